import type { Board } from '#app/board/state/board.svelte.ts';
import { eventSpan } from '#core/alerts/event-view.ts';
import type { InboxMessage } from './alert-inbox.svelte.ts';

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
  const { span, now } = board.time;
  // Messages are stored for less than a year.
  if (onset < span.start || onset >= span.end) board.choosePreset('1y');
  board.time.zoom = eventSpan(unit, onset, now);
  board.time.rest();
}
