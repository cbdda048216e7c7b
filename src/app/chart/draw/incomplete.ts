import { missingSpans, uncoveredSpans } from '#core/series/gaps.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { intersect, type Span } from '#core/time/span.ts';
import type { ChartData, ChartSeries } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import type { RowBand } from './rows.ts';

/** The places where counts are missing or not final. */
export interface Incomplete {
  /** Stretches that can be fetched, by series; each has a row above the axis. */
  readonly missing: readonly {
    readonly series: ChartSeries;
    readonly spans: readonly Span[];
    /** Its middle, px from the top of the chart, and its height. */
    readonly y: number;
    readonly height: number;
  }[];
  /** Stretches where no series has data, or not the one of a row, and their part of the height. */
  readonly uncovered: readonly (Span & RowBand)[];
  /** The end of the counts, as far as it may still change. */
  readonly provisional: Span | null;
}

/** Height of the mark of missing stretches with the gap above it, px. */
const MARK_PX = 6;

/** Finds what is incomplete in a chart. */
export function incompleteOf(
  { series, now }: ChartData,
  chart: Pick<ChartState, 'range' | 'rows' | 'band'>,
): Incomplete {
  const isRowed = chart.rows.length > 0;
  const missing = series
    .map((each) => ({ series: each, spans: missingSpans(each.curve, now, each.pyramid) }))
    .filter(({ spans }) => spans.length > 0);
  const curves = series.map(({ curve }) => curve);
  // More than five share the room of five.
  const px = isRowed ? MARK_PX : Math.min(MARK_PX, 30 / Math.max(1, missing.length));
  const none = series.map(({ curve, pyramid }) => uncoveredSpans(curve, now, pyramid));
  const uncovered = isRowed
    ? series.flatMap(({ id }, i) => (none[i] ?? []).map((span) => ({ ...span, ...chart.band(id) })))
    : commonSpans(none).map((span) => ({ ...span, ...chart.band() }));
  return {
    missing: missing.map((each, i) => {
      const { top, height } = chart.band(each.series.id);
      return { ...each, y: top + height - ((isRowed ? 0 : i) + 0.5) * px, height: px * 0.8 };
    }),
    uncovered,
    provisional: unsettledTail(curves, Math.min(now, chart.range.end)),
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
