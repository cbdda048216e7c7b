import { missingSpans, uncoveredSpans } from '#core/series/gaps.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { intersect, type Span } from '#core/time/span.ts';
import type { ChartData, ChartSeries } from '#app/chart/chart-props.ts';

/** The places where counts are missing or not final. */
export interface Incomplete {
  /** Stretches that can be fetched, by series; each has a row above the axis. */
  readonly missing: readonly {
    readonly series: ChartSeries;
    readonly spans: readonly Span[];
  }[];
  /** Height of such a row with the gap above it, px; more than five share the room of five. */
  readonly rowPx: number;
  /** Stretches where no series has data. */
  readonly uncovered: readonly Span[];
  /** The end of the counts, as far as it may still change. */
  readonly provisional: Span | null;
}

/** Finds what is incomplete in a chart. @param end - Of the range, epoch ms. */
export function incompleteOf({ series, now }: ChartData, end: number): Incomplete {
  const missing = series
    .map((each) => ({ series: each, spans: missingSpans(each.curve, now, each.pyramid) }))
    .filter(({ spans }) => spans.length > 0);
  const curves = series.map(({ curve }) => curve);
  return {
    missing,
    rowPx: Math.min(6, 30 / Math.max(1, missing.length)),
    uncovered: commonSpans(series.map(({ curve, pyramid }) => uncoveredSpans(curve, now, pyramid))),
    provisional: unsettledTail(curves, Math.min(now, end)),
  };
}

/** The span up to `end` in which counts of any curve may still change; null if all are settled. */
export function unsettledTail(curves: readonly Curve[], end: number): Span | null {
  let start = Infinity;
  for (const { bounds, states } of curves) {
    let i = states.length - 1;
    while (i >= 0 && (states[i] ?? 0) < STATE.settled) i -= 1;
    if (states.includes(STATE.provisional, i + 1))
      start = Math.min(start, bounds[i + 1] ?? Infinity);
  }
  return start < end ? { start, end } : null;
}

/** Intersection of lists of spans, ascending; empty for no lists. */
function commonSpans(lists: readonly (readonly Span[])[]): Span[] {
  const [first = [], ...others] = lists;
  return others.reduce<Span[]>(
    (common, list) =>
      common.flatMap((span) => list.flatMap((other) => intersect(span, other) ?? [])),
    [...first],
  );
}
