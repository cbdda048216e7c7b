import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { Dispersion } from '#core/series/confidence.ts';
import type { Change } from '#core/series/change.ts';
import type { Basis } from '#core/series/basis.ts';
import type { DispersionBy } from '#core/series/dispersion.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import type { Reason, Result } from '#core/series/statistics.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Pending } from '#app/insight/summary/pending.ts';
import type { Summary } from '#app/insight/summary/summary.ts';

/** One series of the tables below the chart. */
export interface InsightSeries {
  readonly id: number;
  readonly name: string;
  readonly kind: 'query' | 'formula' | 'file';
  /** True if its counts are those of a query: loaded here, or from a file that names the query. */
  readonly queried: boolean;
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  readonly curve: Curve | null;
  /** Summary tree of the curve, if there is one. */
  readonly pyramid?: Pyramid | null;
  readonly summary: Summary | null;
  /** The event for which its figures wait; null if they are final. */
  readonly pending: Pending | null;
  /** True while counts load from which its figures follow, also those of earlier periods. */
  readonly loading?: boolean;
  /** The basis from which its figures are computed at any resolution; null if that is the curve. */
  readonly basis?: Basis | null;
  readonly run: { readonly upperBounds: boolean };
  /** The variation of the sums of its spans; without it, that of counts of independent Posts. */
  readonly noise?: DispersionBy | null;
  /** Earlier counts aligned with those shown, and the change since; null if unknown. */
  readonly before: {
    readonly curve: Curve;
    readonly change: Result<Change>;
    /** Length of the earlier buckets, and how much single ones vary. */
    readonly starts?: Float64Array;
    readonly ends?: Float64Array;
    readonly noise?: Dispersion;
    /** The buckets the change compares pairwise; by default those shown. */
    readonly unit?: Resolution;
  } | null;
  /** Earlier counts of each earlier period, and its figures, the latest first; null if unknown. */
  readonly befores?: readonly InsightSeries['before'][];
  readonly earlierSummaries?: readonly (Summary | null)[];
}

/** The reason there is no value, as a sentence. */
export function reasonWords(why: Reason, per: Resolution): string {
  if (why === 'nothing') return 'Nothing has started yet.';
  if (why === 'missing') return 'Some counts are missing.';
  if (why === 'uncovered') return 'The source has no data for this time.';
  if (why === 'undefined') return `The divisor is zero in some ${per}s.`;
  return `No ${per} is whole.`;
}
