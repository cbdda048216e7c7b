import { bucketsIn } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';
import type { Board } from './board.svelte.ts';

/** A span extended to the edges of the board's buckets. */
export function wholeBuckets({ time }: Pick<Board, 'time'>, { start, end }: Span): Span {
  const bounds = time.edges.all;
  const { first, end: last } = bucketsIn(bounds, start, end);
  return { start: bounds[first] ?? start, end: bounds[last] ?? end };
}
