import { formatView, type View, type ViewSeries } from '#app/board/state/view.ts';
import type { Note } from '#app/counts/cache/saved-board.ts';
import { writeDashboardBackup } from '#app/counts/files/backup.ts';
import { NEW_CAMPAIGN } from '#app/events/board-events.svelte.ts';
import { onKinds, shownNotes } from '#app/events/event.ts';
import { BoardError } from '#contract/counts/report.ts';
import { seriesIn } from '#core/series/formula.ts';
import { fixedKey } from '#core/series/imported-series.ts';
import type { ReportContent } from './given-board.ts';

/** A topic in its place, for formulas refer to places. */
const BLANK: ViewSeries = { query: '', label: '', hidden: true };

/** The places of the topics from which what is shown follows, from 1. */
function usedPlaces({ series = [], trend }: View): ReadonlySet<number> {
  const used = new Set(series.flatMap(({ hidden }, i) => (hidden ? [] : [i + 1])));
  if (trend?.kind === 'per') used.add(trend.of);
  // A set also yields what is added meanwhile.
  for (const place of used) {
    const { formula } = series[place - 1] ?? {};
    for (const of of formula ? seriesIn(formula) : []) used.add(of);
  }
  return used;
}

/** A view without the topics that are hidden, and without what only its owner needs. */
function sharedView(view: View): View {
  const { live: _, picked: __, tab: ___, board: ____, series, ...shown } = view;
  const used = usedPlaces(view);
  const topics = series?.map(({ typed: _____, ...of }, i) => (used.has(i + 1) ? of : BLANK));
  return { ...shown, ...(topics && { series: topics }) };
}

/** A note without the money and accounts of its campaign. */
const sharedNote = ({ campaign, ...note }: Note): Note =>
  campaign ? { ...note, campaign: NEW_CAMPAIGN } : note;

/**
 * A board, as the service stores it, for readers who may know no more than it shows: without hidden topics that no other
 * topic needs, without hidden notes, and without the money and accounts of campaigns.
 *
 * @throws {@link BoardError} if a part of its view cannot be read.
 */
export async function sharedBoard(content: ReportContent): Promise<Uint8Array<ArrayBuffer>> {
  const { name, problems, notes, fixed } = content;
  if (problems.length > 0) throw new BoardError(problems.join(' '));
  const view = sharedView(content.view);
  const files = new Set(view.series?.map(({ file }) => file));
  const board = {
    id: 'shared',
    name,
    at: 0,
    opened: 0,
    view: formatView(view),
    notes: shownNotes(notes, onKinds(view.events ?? [])).map(sharedNote),
    fixed: fixed.filter((series) => files.has(fixedKey(series))),
    was: [],
  };
  const nothing = async function* (): AsyncGenerator<never> {};
  return new Uint8Array(await (await writeDashboardBackup(nothing(), [board])).arrayBuffer());
}
