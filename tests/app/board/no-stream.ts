import type { LiveDeps } from '#app/board/state/live.svelte.ts';

/** A browser to which no service streams changes, so that boards ask for them. */
export const NO_STREAM: Pick<LiveDeps, 'stream' | 'count' | 'drawn'> = {
  stream: () => ({ follows: () => false, listen: () => undefined }),
  count: () => Promise.resolve(null),
  drawn: () => Promise.resolve(),
};
