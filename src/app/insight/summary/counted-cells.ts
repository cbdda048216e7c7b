import type { Curve } from '#core/series/series.ts';
import type { Result } from '#core/series/statistics.ts';
import { roundedMean, roundedPercent, roundedShare, roundedValue } from '#app/format/rounded.ts';
import { changeWords, comparedWords, marginWords, unclearWords } from './change-words.ts';
import { reasonWords, type InsightSeries } from '#app/insight/insight.ts';
import { sentence } from './pending.ts';
import { coveredPart, leftOut, valueWords, type Summary } from './summary.ts';
import { type RowsOf, type RowCell, emptyCell, figureCell, QUOTIENT } from './row-cell.ts';
import type { VoiceShares } from './share-cell.ts';

/** No figure of an earlier period: its counts still load, or there are none. */
function noEarlier({ loading, befores }: InsightSeries): RowCell {
  return loading && befores?.length !== 0
    ? figureCell('Loading…', Number.NaN, { why: 'The earlier period is loading.' })
    : emptyCell('The earlier period is not known.');
}

/** The change since the earlier period, with its band. */
export function changeCell(series: InsightSeries, { per, format }: RowsOf): RowCell {
  if (series.kind === 'formula') return emptyCell('Computed: only queries have a change.');
  if (series.kind === 'file' && !series.queried) {
    return emptyCell('From a file that names no query: only queries have a change.');
  }
  if (!series.before) return noEarlier(series);
  const { change: result, unit = per } = series.before;
  if (!result.ok) {
    const text =
      result.why === 'uncovered'
        ? 'No earlier data to compare.'
        : `${reasonWords(result.why, unit).slice(0, -1)}, now or earlier.`;
    return emptyCell(text);
  }
  const { change, low, high, compared, buckets } = result.value;
  if (Number.isNaN(change)) return emptyCell('No Posts in view or before.');
  const of = `${format.count(compared)} of ${format.counted(buckets, unit)} compared`;
  return figureCell(changeWords(result.value, format), change, {
    rounded: roundedPercent(change),
    note: unclearWords(result.value, format),
    why: `${marginWords(result.value, format)} ${of}: ${comparedWords(result.value, format)}`,
    band: [roundedPercent(low), roundedPercent(high)],
  });
}

/** A counted series, and what its figures depend on. */
export interface CountedSeries {
  readonly series: InsightSeries;
  readonly curve: Curve;
  readonly summary: Summary;
  readonly all: VoiceShares;
  readonly rows: RowsOf;
}

/** The total; at most so much, or a part of it, where not all is known. */
export function totalCell({ series, summary, rows: { format } }: CountedSeries): RowCell {
  const { total, unit, share: known } = summary;
  if (!Number.isFinite(total))
    return emptyCell(series.kind === 'file' ? QUOTIENT : 'The divisor is zero.');
  const note = [
    series.run.upperBounds ? 'at most' : '',
    known < 1 ? `of ${format.share(known)}` : '',
  ];
  return figureCell(valueWords(total, unit, format), total, {
    rounded: roundedValue(total, unit),
    note: note.filter(Boolean).join(', '),
  });
}

/**
 * The mean or the median; only counts of Posts have one.
 *
 * @param noted - True if its note has the buckets it is of: the median next to a mean is of the same.
 */
export function middleCell(
  counted: CountedSeries,
  middle: () => Result<number>,
  noted: boolean,
): RowCell {
  const { summary, rows } = counted;
  const { per, format } = rows;
  const { whole, buckets } = summary.of;
  if (summary.unit !== 'posts') return emptyCell(QUOTIENT);
  const result = middle();
  if (!result.ok) return emptyCell(reasonWords(result.why, per));
  const isShort = leftOut(counted.curve, summary, rows) > 0;
  return figureCell(format.mean(result.value), result.value, {
    rounded: roundedMean(result.value),
    note: noted && isShort ? `${format.count(whole)} of ${format.count(buckets)} ${per}s` : '',
    why: isShort
      ? `${sentence(per)}s that the source covers only in part, or not at all, are left out.`
      : '',
  });
}

const noPeak = ({ series: { kind }, summary: { unit }, rows: { per } }: CountedSeries): RowCell =>
  emptyCell(
    unit === 'posts' && kind !== 'formula'
      ? 'No Post is known.'
      : `No ${per} with a value is whole.`,
  );

/** The highest value. */
export function peakCell(counted: CountedSeries): RowCell {
  const { summary, rows } = counted;
  const { peak, unit, share: known } = summary;
  const why = known < 1 ? 'The highest known value.' : '';
  return peak
    ? figureCell(valueWords(peak.value, unit, rows.format), peak.value, {
        rounded: roundedValue(peak.value, unit),
        why,
      })
    : noPeak(counted);
}

/** The start of the bucket with the highest value. */
export function peakStartCell(counted: CountedSeries): RowCell {
  const { curve, summary, rows } = counted;
  const { peak } = summary;
  if (!peak) return noPeak(counted);
  const [start = Number.NaN, end = Number.NaN] = curve.bounds.subarray(peak.index, peak.index + 2);
  return figureCell(rows.format.bucket(start, end, rows.per), start);
}

/** The part of the time in view that is known. */
export function completeCell({ summary, rows: { format } }: CountedSeries): RowCell {
  const { share: known, covered } = summary;
  const inReach = coveredPart(summary);
  return figureCell(format.share(known), known, {
    rounded: roundedShare(known),
    note: inReach < 1 ? `of the ${format.share(inReach)} covered` : '',
    why: covered < 1 ? `The source covers ${format.share(covered)} of this time.` : '',
  });
}

/** The total of an earlier period. A part of one would look like a fall, so there is none. */
export function earlierCell({ series, rows: { per, format } }: CountedSeries, at: number): RowCell {
  if (series.kind === 'formula') return emptyCell('Computed: only queries have earlier periods.');
  const summary = series.earlierSummaries?.[at];
  if (!summary) return noEarlier(series);
  const { share, total } = summary;
  const covered = coveredPart(summary);
  if (Number.isNaN(share)) return emptyCell(reasonWords('uncovered', per));
  if (covered < 1) return emptyCell(`The source covers ${format.share(covered)} of this time.`);
  if (share < 1) return emptyCell(reasonWords('missing', per));
  return figureCell(format.count(total), total, { note: series.run.upperBounds ? 'at most' : '' });
}
