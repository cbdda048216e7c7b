import { sameBuckets } from '#core/series/series.ts';
import { COUNTING, excessOf, shareBand } from '#core/series/confidence.ts';
import { shareOver, type WindowShare } from '#core/series/share.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { roundedPercent } from '#app/format/rounded.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { pendingOfAll } from './pending.ts';
import { basisWindow } from './summary.ts';
import { type RowsOf, type RowCell, emptyCell, figureCell, UNEVEN } from './row-cell.ts';

interface Shares {
  readonly of: readonly InsightSeries[];
  readonly share: WindowShare | null;
  /** Resolution of its buckets. */
  readonly unit: Resolution;
}

/** The shares of voice of all series, with the excess of each over the earlier one. */
export interface VoiceShares extends Shares {
  /** By how much the variance of each series exceeds that of independent Posts; null while one is not known. */
  readonly excesses: readonly number[] | null;
}

/** Share of voice among the totals of all visible queries, over the time that is known for all of them. */
function sharesOf({ series, now, window, per }: RowsOf): Shares {
  const of = series.filter((each) => each.queried && !each.hidden);
  const curves = of.flatMap(({ curve }) => curve ?? []);
  const [first] = curves;
  const same = curves.every((curve) => first && sameBuckets(curve, first));
  if (pendingOfAll(of)) return { of, share: null, unit: per };
  if (!first || curves.length < of.length || !same) return { of, share: null, unit: per };
  const bases = of.flatMap(({ basis }) => basis ?? []);
  const [basis] = bases;
  const alike =
    basis &&
    bases.length === of.length &&
    bases.every(({ curve }) => sameBuckets(curve, basis.curve));
  const within = alike ? basisWindow(first, basis, window) : null;
  if (alike && within) {
    const { bounds } = basis.curve;
    const [start = 0, end = 0] = [bounds[within.first], bounds[within.end]];
    const until = Math.min(now, end);
    return {
      of,
      share: shareOver(
        bases.map(({ curve }) => curve),
        start,
        until,
      ),
      unit: basis.unit,
    };
  }
  const start = window?.start ?? -Infinity;
  const pyramids = of.map(({ pyramid = null }) => pyramid);
  const end = Math.min(now, window?.end ?? now);
  return { of, share: shareOver(curves, start, end, pyramids), unit: per };
}

function excessesOf({ of, share }: Shares): VoiceShares['excesses'] {
  if (!share || of.some(({ noise }) => noise === null)) return null;
  const { elapsedMs } = share;
  return of.map(({ noise }) => excessOf(noise?.(elapsedMs, elapsedMs) ?? COUNTING));
}

/**
 * By how much the variance of a share exceeds that of independent Posts: that of the series and that of the others,
 * each weighed by how much it moves the share (the delta method).
 */
function shareExcess(
  { sums, total }: WindowShare,
  excesses: readonly number[],
  at: number,
): number {
  const own = sums[at] ?? 0;
  const rest = total - own;
  const others = excesses.reduce(
    (sum, excess, i) => sum + (i === at ? 0 : excess * (sums[i] ?? 0)),
    0,
  );
  const ofOthers = rest > 0 ? others / rest : 1;
  return ((excesses[at] ?? 1) * rest + ofOthers * own) / total;
}

/** The share of voice of a series, with its change. */
export function shareCell(
  series: InsightSeries,
  { of, share, unit, excesses }: VoiceShares,
  { format }: RowsOf,
): RowCell {
  if (series.kind === 'formula') return emptyCell('Computed: only queries have a share.');
  if (series.kind === 'file' && !series.queried) {
    return emptyCell('From a file that names no query: only queries have a share.');
  }
  if (series.hidden) return emptyCell('Hidden: the share is of the visible queries.');
  if (of.length < 2) return emptyCell('No other visible query.');
  if (!share) return emptyCell('Another visible query is not counted yet.');
  if (share.complete === 0) return emptyCell(`No ${unit} is complete in all visible queries.`);
  const at = of.indexOf(series);
  const [value = Number.NaN, sum = 0] = [share.shares[at], share.sums[at]];
  if (Number.isNaN(value)) return emptyCell('No visible query has a Post.');
  const missing = share.complete < share.buckets;
  const part = missing ? `of ${format.share(share.complete / share.buckets)}` : '';
  const buckets = `${format.count(share.whole)} of ${format.counted(share.buckets, unit)} ${share.buckets === 1 ? 'is' : 'are'} complete in all visible queries.`;
  const rounded = roundedPercent(value);
  if (!excesses)
    return figureCell(format.percent(value), value, { rounded, note: part, why: buckets });
  const { low, high } = shareBand(sum, share.total, Math.max(1, shareExcess(share, excesses, at)));
  const ends = [format.percent(low), format.percent(high)] as const;
  // With few Posts, or near 0 or 1, the band is lopsided.
  const wide = Math.max(value - low, high - value);
  const even = 2 * wide - (high - low) < UNEVEN && wide <= Math.min(value, 1 - value);
  // The share of a query that has all Posts, or none, has no margin.
  const isExact = ends[0] === ends[1];
  const spread = isExact ? '' : even ? `± ${format.points(wide)}` : `${ends[0]} to ${ends[1]}`;
  return figureCell(format.percent(value), value, {
    rounded,
    note: [spread, part].filter(Boolean).join(' '),
    why: isExact ? buckets : `${ends[0]} to ${ends[1]} at ${format.share(0.95)}. ${buckets}`,
    band: [roundedPercent(low), roundedPercent(high)],
  });
}

/** The shares of voice of all rows. */
export function sharingOf(rows: RowsOf): VoiceShares {
  const shares = sharesOf(rows);
  return { ...shares, excesses: excessesOf(shares) };
}
