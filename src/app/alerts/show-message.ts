import type { Board } from '#app/board/state/board.svelte.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { InboxMessage } from './alert-inbox.svelte.ts';

/** The time around an event that is shown before and after its beginning, ms. */
const AROUND_MS = { hour: DAY_MS, day: 14 * DAY_MS } as const;

/** Zooms the board to the event of a message, and charts the alert's query if the board does not. */
export function showMessage(board: Board, { message, alert }: InboxMessage): void {
  const { query, source, name, unit } = alert;
  if (board.source.id !== source) board.chooseSource(source);
  const there = board.series.all.find(
    (series) => series.kind === 'query' && series.query.trim() === query,
  );
  if (there) there.hidden = false;
  else board.series.addQueries([{ query, label: name === query ? '' : name }]);
  const onset = Date.parse(message.onset);
  const around = AROUND_MS[unit];
  const { span, now } = board.time;
  // Of an event that has just begun, not half of the chart is still to come.
  const end = Math.min(onset + around, Math.max(now, onset + around / 8));
  // Messages are stored for less than a year.
  if (onset < span.start || onset >= span.end) board.choosePreset('1y');
  board.time.zoom = { start: onset - around, end };
  board.time.rest();
}
