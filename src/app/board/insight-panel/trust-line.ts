import { coveredPart } from '#app/insight/summary.ts';
import { lastFetch } from '#core/series/fetch-times.ts';
import { STATE } from '#core/series/series.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { zoneCity, type Formatter } from '#app/format/formatter.ts';

/** When the newest count was fetched, epoch ms; NaN if none was. */
function newestOf(shown: readonly BoardSeries[]): number {
  let newest = Number.NaN;
  for (const { curve } of shown) {
    const at = curve ? lastFetch(curve) : Number.NaN;
    if (!Number.isNaN(at) && !(at <= newest)) newest = at;
  }
  return newest;
}

/** How complete and how fresh the numbers are, in a line; empty until all series are counted. */
export function trustWords(
  board: Board,
  shown: readonly BoardSeries[],
  words: Formatter,
  clock: number,
): string {
  if (shown.length === 0 || shown.some((one) => !one.summary)) return '';
  const whole = shown.every(({ summary }) => summary?.share === 1 || summary?.covered === 0);
  const uncovered = shown.filter(({ summary }) => summary !== null && coveredPart(summary) < 1);
  const files = uncovered.every((one) => one.kind === 'file');
  const open = shown.some((one) => one.curve?.states.includes(STATE.provisional));
  const counts = !whole
    ? 'Some counts are missing'
    : uncovered.length > 0
      ? files
        ? 'The file covers only part of this time'
        : 'No data for part of this time'
      : open
        ? 'Complete · latest may change'
        : board.time.window.end > board.time.now
          ? 'Complete · latest still running'
          : 'Complete';
  const fetched = newestOf(shown);
  const when = Number.isNaN(fetched) ? '' : ` · fetched ${words.ago(clock - fetched)}`;
  const done = shown.every((one) => one.run.phase === 'done');
  const stored = done && board.requests === 0 ? ', from this browser' : '';
  const part = board.time.zoom ? 'Zoom · ' : '';
  return `${part}${counts} · ${board.time.resolution}s of ${zoneCity(board.time.zone)}${when}${stored}`;
}
