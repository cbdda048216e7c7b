import type {
  ChartAnnotations,
  ChartSeries,
  ChartStyle,
  ChartView,
} from '#app/chart/chart-props.ts';
import { pendingOfAll, pendingWords } from '#app/insight/summary/pending.ts';
import { isStacked } from '#app/chart/draw/layout.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { drawnBefore } from '#app/board/state/comparison.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';

function chartSeries(board: Board, series: BoardSeries): ChartSeries[] {
  const { id, name, style, unit, curve, pyramid, finer } = series;
  const parts = series.formula && unit !== 'count' && !series.fractions ? series.parts : null;
  const earlier =
    board.chart.comparison === 'none'
      ? []
      : series.befores.flatMap((before, i) => (before ? [drawnBefore(before, i)] : []));
  return curve ? [{ id, name, style, unit, curve, pyramid, parts, finer, earlier }] : [];
}

/**
 * Formulas that are not drawn: counts in a stack, where they would count twice with their parts, and shares on the axis of
 * a ratio, or ratios on that of a share. The first quotient has the axis.
 */
export function undrawn({ chart, series }: Board): readonly BoardSeries[] {
  const counted = series.visible.filter((each) => each.unit === 'count');
  const stacked = isStacked(chart.form, chart.trend, counted.length);
  const quotients = series.visible.filter((each) => each.unit !== 'count');
  const hasOwnScales = chart.form === 'multiples' && chart.rows !== 'shared';
  return [
    ...(stacked ? counted.filter((each) => each.formula) : []),
    ...(hasOwnScales ? [] : quotients.filter(({ unit }) => unit !== quotients[0]?.unit)),
  ];
}

/** The reason that a series of {@link undrawn} is not drawn. */
function undrawnNote({ name, unit }: BoardSeries): string {
  if (unit === 'count') return `${name} is a formula, so it isn’t drawn in a stack`;
  return `Only in the table: ${name}, as the axis is for ${unit === 'part' ? 'ratios' : 'shares'}`;
}

/** The visible series, without some. */
export function drawnSeries(board: Board, without: readonly BoardSeries[]): ChartSeries[] {
  return board.series.visible
    .filter((series) => !without.includes(series))
    .flatMap((series) => chartSeries(board, series));
}

/** The visible series over the whole range. */
export function seriesAcross(board: Board): ChartSeries[] {
  return board.series.visible.flatMap((series) => {
    const { id, name, style, unit, run } = series;
    return run.curve ? [{ id, name, style, unit, curve: run.curve, pyramid: run.pyramid }] : [];
  });
}

/** The series that all others are divided by; null if there is none. */
export function baselineSeries(board: Board): ChartSeries | null {
  const { trend } = board.chart;
  const base = trend.kind === 'per' && board.series.find(trend.of);
  return base ? (chartSeries(board, base)[0] ?? null) : null;
}

/** True if any count is known, so that there is something to draw. */
export function isDrawable({ series }: Board): boolean {
  return series.visible.some((each) => (each.summary?.known ?? 0) > 0);
}

export function chartView({ time, picked }: Board): ChartView {
  const { span: range, window, resolution, table, weekStart } = time;
  return { range, window, resolution, table, weekStart, picked: picked?.span ?? null };
}

/** @param theme - Dashes and colours, which are the reader's. */
export function chartStyle(
  { chart: { form, rows, scale, trend, forecast, trendLine, target } }: Board,
  theme: Pick<ChartStyle, 'dashed' | 'colours'>,
): ChartStyle {
  return { form, rows, scale, trend, forecast, trendLine, target, ...theme, overview: true };
}

/** Caveats about the numbers. @param without - The series of {@link undrawn}. */
export function chartNotes(
  { series }: Board,
  without: readonly BoardSeries[],
): ChartAnnotations['notes'] {
  const pending = pendingOfAll(series.visible.filter(({ pending }) => pending?.outdated));
  return [
    ...(pending ? [pendingWords(pending)] : []),
    ...series.visible
      .filter((each) => each.curve && each.run.upperBounds)
      .map((each) => `${each.name}: upper bounds (rounded to five)`),
    ...without.map(undrawnNote),
  ];
}
