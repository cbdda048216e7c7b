import type { SeriesStyle } from '#app/ui/series-style.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { missingSpans } from '#core/series/gaps.ts';
import type { Unit } from './summary.ts';

/** A series by finer counts than the chart's. */
export interface HourlySeries {
  readonly id: number;
  readonly name: string;
  readonly style: SeriesStyle;
  readonly unit: Unit;
  /** Whether it is counted by asking, and not computed or read. */
  readonly asked: boolean;
  /** By the finer buckets over the whole range; null until they are known. */
  readonly curve: Curve | null;
  readonly busy: boolean;
}

/** Days that a page of the archive tells. */
const PAGE_DAYS = 31;

/** About how many pages the missing counts of some curves take: a page is of one stretch, and of 31 days at most. */
export function pagesMissing(curves: readonly Curve[], now: number): number {
  const spans = curves.flatMap((curve) => missingSpans(curve, now));
  return spans.reduce(
    (sum, { start, end }) => sum + Math.ceil((end - start) / (PAGE_DAYS * DAY_MS)),
    0,
  );
}
