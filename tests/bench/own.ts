import { openSource } from '#server/posts/index/source.ts';
import type { Engine } from './engine.ts';

/** The counting index, queried as the service's main thread queries it. */
export function countingIndex(file: string): Engine {
  const source = openSource(file, { random: (n) => new Uint8Array(n) });
  return {
    name: 'index',
    ask:
      async ({ condition, span, granularity }) =>
      () =>
        source.index.histogram(condition, span, granularity),
    close: () => source.close(),
  };
}
