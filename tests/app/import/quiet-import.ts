import { ImportQueue } from '#app/import/import-queue.svelte.ts';

/** An import queue for pages on which no file is dropped. */
export function quietImports(): ImportQueue {
  const unexpected = (): Promise<never> => Promise.reject(new Error('expected no import'));
  return new ImportQueue({
    api: { import: unexpected, stop: unexpected },
    client: { send: unexpected, json: unexpected },
    now: () => 0,
    id: () => 'work',
    onimported: () => Promise.resolve(),
    onother: () => undefined,
    storage: null,
    zone: 'UTC',
    board: { time: { zone: 'UTC' } },
  });
}
