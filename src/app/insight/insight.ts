import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { Change } from '#core/series/change.ts';
import type { Basis } from '#core/series/basis.ts';
import type { Pyramid } from '#core/series/pyramid.ts';
import type { Curve } from '#core/series/series.ts';
import type { Reason, Result } from '#core/series/statistics.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Summary } from './summary.ts';

/** One series as the tables below the chart are given it. */
export interface InsightSeries {
  readonly id: number;
  readonly name: string;
  readonly kind: 'query' | 'formula' | 'file';
  /** Whether its counts are those of a query: asked here, or told by a file that names it. */
  readonly queried: boolean;
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  readonly curve: Curve | null;
  /** Of the curve, where there is one. */
  readonly pyramid?: Pyramid | null;
  readonly summary: Summary | null;
  /** What its figures are computed from, whatever the resolution; null where that is the curve. */
  readonly basis?: Basis | null;
  readonly run: { readonly upperBounds: boolean };
  /** Earlier counts in the places of those shown, and the change since; null where they are not known. */
  readonly before: {
    readonly curve: Curve;
    readonly change: Result<Change>;
    /** What the change compares one by one; the buckets shown unless given. */
    readonly unit?: Resolution;
  } | null;
}

/** `a day`, `an hour`. */
export function aBucket(per: Resolution): string {
  return per === 'hour' ? 'an hour' : `a ${per}`;
}

/** Why there is no value, as a sentence. */
export function reasonWords(why: Reason, per: Resolution): string {
  if (why === 'nothing') return 'Nothing has begun yet.';
  if (why === 'missing') return 'Some counts are missing.';
  if (why === 'uncovered') return 'The source has no data of this time.';
  if (why === 'undefined') return `The divisor is zero in some ${per}s.`;
  return `No ${per} is whole.`;
}
