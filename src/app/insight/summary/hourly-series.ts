import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { missingSpans } from '#core/series/gaps.ts';
import type { FigureUnit } from './summary.ts';

/** A series with finer counts than the chart's. */
export interface HourlySeries {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly unit: FigureUnit;
  /** True if its counts are fetched, not computed or from a file. */
  readonly fetched: boolean;
  /** The finer buckets of the whole range; null until they are known. */
  readonly curve: Curve | null;
  readonly busy: boolean;
}

/** Days that a page of the archive covers. */
const PAGE_DAYS = 31;

/** Roughly how many pages the missing counts need: a page covers one stretch of at most 31 days. */
export function pagesMissing(curves: readonly Curve[], now: number): number {
  const spans = curves.flatMap((curve) => missingSpans(curve, now));
  return spans.reduce(
    (sum, { start, end }) => sum + Math.ceil((end - start) / (PAGE_DAYS * DAY_MS)),
    0,
  );
}
