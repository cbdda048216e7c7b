import { bucketsIn } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';
import type { Board } from './board.svelte.ts';

/** Opens a span in the drawer, for the visible series with the most Posts in it. Partly covered buckets count whole. */
export function pickSpan(board: Pick<Board, 'series' | 'picked'>, { start, end }: Span): void {
  let most = -1;
  let picked: Board['picked'] = null;
  for (const { id, queried, curve } of board.series.visible) {
    if (!queried || !curve) continue;
    const { bounds, counts } = curve;
    const { first, end: last } = bucketsIn(bounds, start, end);
    let count = 0;
    for (const number of counts.subarray(first, last)) count += number || 0;
    if (count <= most) continue;
    most = count;
    picked = { span: { start: bounds[first] ?? start, end: bounds[last] ?? end }, of: id };
  }
  if (picked) board.picked = picked;
}
