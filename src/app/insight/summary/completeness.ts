import { STATE } from '#core/series/series.ts';
import type { Cut } from '#core/series/rollup.ts';
import { without, type Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { pendingOfAll, pendingWords, sentence } from './pending.ts';
import { coveredPart, leftOut } from './summary.ts';

/** The completeness of the counts in view. */
export interface Completeness {
  /** A word or a few; empty until all series are counted. */
  readonly word: string;
  /** The part of complete counts that can still change; empty if none can. */
  readonly latest: string;
}

/** The completeness of the counts in view, in a few words. */
export function completenessWords(
  shown: readonly Pick<InsightSeries, 'summary' | 'curve' | 'kind' | 'pending'>[],
  view: { readonly window: Span; readonly now: number; readonly cut?: Cut | undefined },
): Completeness {
  const of = (word: string, latest = ''): Completeness => ({ word, latest });
  if (shown.length === 0 || shown.some((series) => !series.summary)) return of('');
  const pending = pendingOfAll(shown);
  if (pending) return of(sentence(pendingWords(pending)));
  const whole = shown.every(({ summary }) => summary?.share === 1 || summary?.covered === 0);
  if (!whole) return of('Some counts are missing');
  const uncovered = shown.filter(({ summary }) => summary !== null && coveredPart(summary) < 1);
  if (uncovered.length > 0) {
    const part = shown.every(({ summary }) => summary?.covered === 0) ? '' : 'part of ';
    return of(
      part && uncovered.every((series) => series.kind === 'file')
        ? 'The file covers only part of this time'
        : `No data for ${part}this time`,
    );
  }
  // The part that is covered is the same at every width; of a zoom, it knows whole buckets only. A time that still runs
  // is covered up to its last count.
  const isOver = view.window.end <= view.now;
  const hasGaps = shown.some(
    ({ curve, summary }) =>
      curve && summary && ((isOver && summary.covered < 1) || leftOut(curve, summary, view) > 0),
  );
  if (hasGaps) return of('Complete but for small gaps');
  const open = shown.some((series) => series.curve?.states.includes(STATE.provisional));
  if (open) return of('Complete', 'latest may change');
  return of('Complete', view.window.end > view.now ? 'latest still running' : '');
}

/** More gaps than this are counted, not named. */
const NAMED = 3;

/** `No data after 30 May 2018, 23:01`: the gaps in what a source covers of a time up to now; empty if it covers all or nothing. */
export function gapWords(
  { start, end: to }: Span,
  now: number,
  covered: readonly Span[],
  format: Pick<Formatter, 'moment' | 'counted'>,
): string {
  const end = Math.min(to, now);
  const gaps = without([{ start, end }], covered);
  const [first] = gaps;
  if (!first || (first.start === start && first.end === end)) return '';
  const words = gaps.map((gap) => {
    if (gap.start === start) return `before ${format.moment(gap.end)}`;
    if (gap.end === end) return `after ${format.moment(gap.start)}`;
    return `from ${format.moment(gap.start)} to ${format.moment(gap.end)}`;
  });
  const named = words.length > NAMED ? words.slice(0, NAMED - 1) : words;
  const more = words.length - named.length;
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  return `No data ${list.format(more > 0 ? [...named, `in ${format.counted(more, 'more gap')}`] : named)}`;
}
