import { missingSpans, uncoveredSpans } from '#core/series/gaps.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { intersect, type Span } from '#core/time/span.ts';
import type { ChartData, ChartSeries } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';

/** The times in which counts are missing or not final. */
interface Incomplete {
  /** Stretches that can be fetched, by series. */
  readonly missing: readonly { readonly series: ChartSeries; readonly spans: readonly Span[] }[];
  /** Stretches without data, by series. */
  readonly uncovered: readonly { readonly id: number; readonly spans: readonly Span[] }[];
  /** The end of the counts, as far as it may still change. */
  readonly provisional: Span | null;
}

/** Height of the mark of missing stretches with the gap above it, px. */
const MARK_PX = 6;

/** Finds what is incomplete in all buckets of a chart. */
export function incompleteOf({ series, now }: ChartData, end: number): Incomplete {
  return {
    missing: series
      .map((each) => ({ series: each, spans: missingSpans(each.curve, now, each.pyramid) }))
      .filter(({ spans }) => spans.length > 0),
    uncovered: series.map(({ id, curve, pyramid }) => ({
      id,
      spans: uncoveredSpans(curve, now, pyramid),
    })),
    provisional: unsettledTail(
      series.map(({ curve }) => curve),
      Math.min(now, end),
    ),
  };
}

/**
 * The places of what is incomplete, px from the top of the chart: a mark for the missing stretches of each series, and
 * the height of the stretches where no series has data, or not the one of a row.
 */
export function placesOf(
  { missing, uncovered }: Incomplete,
  chart: Pick<ChartState, 'rows' | 'band'>,
) {
  const isRowed = chart.rows.length > 0;
  // More than five share the room of five.
  const px = isRowed ? MARK_PX : Math.min(MARK_PX, 30 / Math.max(1, missing.length));
  const none = isRowed
    ? uncovered.flatMap(({ id, spans }) => spans.map((span) => ({ ...span, ...chart.band(id) })))
    : commonSpans(uncovered.map(({ spans }) => spans)).map((span) => ({
        ...span,
        ...chart.band(),
      }));
  return {
    missing: missing.map((each, i) => {
      const { top, height } = chart.band(each.series.id);
      return { ...each, y: top + height - ((isRowed ? 0 : i) + 0.5) * px, height: px * 0.8 };
    }),
    uncovered: none,
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
