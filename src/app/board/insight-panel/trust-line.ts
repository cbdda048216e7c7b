import { completenessWords, gapWords } from '#app/insight/summary/completeness.ts';
import { lastFetch } from '#core/series/fetch-times.ts';
import { coveredSpans } from '#app/counts/source-policy.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { zoneCity, type Formatter } from '#app/format/formatter.ts';

/** The time at which the newest count was fetched, epoch ms; NaN if none was. */
function newestOf(shown: readonly BoardSeries[]): number {
  let newest = Number.NaN;
  for (const { curve } of shown) {
    const at = curve ? lastFetch(curve) : Number.NaN;
    if (!Number.isNaN(at) && !(at <= newest)) newest = at;
  }
  return newest;
}

/** The completeness of the numbers, in a word or a few, and what else there is to know about them. */
interface TrustWords {
  readonly counts: string;
  /** A line: what the source does not cover, whose buckets they are, when and from where they came. */
  readonly details: string;
}

/** The completeness and the freshness of the numbers; null until all series are counted. */
export function trustWords(
  board: Board,
  shown: readonly BoardSeries[],
  format: Formatter,
  clock: number,
): TrustWords | null {
  const { word, latest } = completenessWords(shown, board.time);
  if (word === '') return null;
  const fetched = newestOf(shown);
  const when = Number.isNaN(fetched) ? '' : ` · fetched ${format.ago(clock - fetched)}`;
  const done = shown.every((series) => series.run.phase === 'done');
  const stored = done && board.requests === 0 ? ', from this browser' : '';
  const { zoom, asked, now } = board.time;
  const isCounted = shown.some(({ kind }) => kind !== 'file');
  const covered = coveredSpans((isCounted && board.source.info?.coverage) || []);
  const gaps = gapWords(zoom ?? asked, now, covered, format);
  const part = zoom ? 'Zoom · ' : '';
  const zone = zoneCity(board.time.zone);
  return {
    counts: word,
    details: `${part}${[gaps, latest].map((fact) => fact && `${fact} · `).join('')}${board.time.resolution}s of ${zone}${when}${stored}`,
  };
}
