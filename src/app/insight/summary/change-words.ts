import type { Change } from '#core/series/change.ts';
import { roughDuration } from '#app/format/duration.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Result } from '#core/series/statistics.ts';
import { DAY_MS } from '#core/time/span.ts';

type Lengths = Pick<Change, 'beforeMs' | 'afterMs'>;

/** The lengths of two compared spans, `31 days against 28 days`; empty if they are equal. */
function lengthWords({ beforeMs, afterMs }: Lengths): string {
  return beforeMs === afterMs ? '' : `${roughDuration(afterMs)} against ${roughDuration(beforeMs)}`;
}

/** The lengths that the changes of series compare, each once, where they differ. */
export function lengthsOf(
  series: readonly { readonly before: { readonly change: Result<Lengths> } | null }[],
): string[] {
  const lengths = series.flatMap(({ before }) =>
    before?.change.ok ? lengthWords(before.change.value) : '',
  );
  return [...new Set(lengths)].filter(Boolean);
}

/** A percentage of fewer Posts says less than the counts. */
const FEW = 10;
/** Spans differ by less than this part of their length if their counts compare, as those of months do. */
const ALIKE = 0.15;

/**
 * The two counts of a change from too few Posts for a percentage, `3 to 1,832`; empty if they are enough, or if the
 * lengths of the spans differ too much to compare counts.
 */
export function countsWords(
  { before, after, beforeMs, afterMs }: Pick<Change, 'before' | 'after'> & Lengths,
  words: Pick<Formatter, 'count'>,
): string {
  const few = before < FEW && Math.abs(afterMs / beforeMs - 1) < ALIKE;
  return few ? `${words.count(before)} to ${words.count(after)}` : '';
}

/** A change as a percentage, or as its counts where they are few; `new` if there was nothing before. */
export function changeWords(
  of: Pick<Change, 'change' | 'before' | 'after'> & Lengths,
  words: Pick<Formatter, 'count' | 'change'>,
): string {
  return (of.before > 0 && countsWords(of, words)) || words.change(of.change);
}

/** The reason a change is not called clear, in a few words; empty if it is. */
export function unclearWords(
  of: Pick<Change, 'before' | 'after' | 'clear' | 'low' | 'high'> & Lengths,
  words: Pick<Formatter, 'count'>,
): string {
  const { clear, low, high } = of;
  if (clear) return '';
  if (countsWords(of, words)) return 'too few to compare';
  return low > 0 || high < 0 ? 'too little history' : 'within noise';
}

/** The periods that a change compares, as a sentence; Posts a day where the lengths differ. */
export function comparedWords(
  { before, after, beforeMs, afterMs }: Pick<Change, 'before' | 'after'> & Lengths,
  words: Pick<Formatter, 'count' | 'mean'>,
): string {
  const [now, was] = [words.count(after), words.count(before)];
  if (beforeMs === afterMs) return `${now} Posts compared with ${was}.`;
  const daily = (sum: number, ms: number): string => words.mean((sum * DAY_MS) / ms);
  const posts = `${now} Posts in ${roughDuration(afterMs)} compared with ${was} in ${roughDuration(beforeMs)}`;
  return `${posts}: ${daily(after, afterMs)} a day against ${daily(before, beforeMs)}.`;
}

/** The margin of a change, as a sentence. */
export function marginWords(
  { low, high }: Pick<Change, 'low' | 'high'>,
  words: Pick<Formatter, 'change' | 'share'>,
): string {
  return `${words.change(low)} to ${words.change(high)} at ${words.share(0.95)}.`;
}
