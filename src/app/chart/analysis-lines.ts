import { FORECAST_LEVEL } from '#core/series/forecast.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { ChartAnalysis, SeriesAnalysis } from './chart-analysis.ts';
import type { LineOption } from './echarts.ts';
import type { BaseColours } from './option.ts';
import { heightsOf, toHeight, type ValueScale } from './scale.ts';
import { targetText } from './target-note.ts';

const BAND = 0.14;
/** Part of the plot at its top where a label goes under its line. */
const TOP = 0.92;
/** Points of a trend line: on a log scale it is a curve. */
const TREND_POINTS = 60;

interface Look {
  /** Ends of the time on the axis. */
  readonly start: number;
  readonly end: number;
  readonly colours: BaseColours;
  readonly formatter: Formatter;
}

/** Middles of buckets with their values, interleaved `x, y`. */
function pointsOf(bounds: Float64Array, values: Float64Array): number[] {
  return Array.from(values, (value, i) => [
    ((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2,
    value,
  ]).flat();
}

const base = {
  type: 'line' as const,
  dimensions: ['x', 'y'],
  silent: true,
  animation: false,
  showSymbol: false,
  emphasis: { disabled: true },
  clip: true,
};

/** A text at a point, in px from it; it ends there if it is moved to the left. */
function label(
  id: string,
  [x, y]: readonly [number, number],
  text: string,
  offset: [number, number],
  { colours }: Look,
): LineOption {
  return {
    ...base,
    id,
    data: Float64Array.of(x, y),
    symbol: 'circle',
    symbolSize: 1,
    showSymbol: true,
    showAllSymbol: true,
    lineStyle: { width: 0 },
    itemStyle: { opacity: 0 },
    z: 4,
    label: {
      show: true,
      formatter: text,
      // By default as visible as its symbol.
      opacity: 1,
      position: offset,
      align: offset[0] < 0 ? 'right' : 'left',
      verticalAlign: 'middle',
      color: colours.ink,
      fontFamily: colours.font,
      fontSize: colours.fontSize,
      textBorderColor: colours.ground,
      textBorderWidth: 3,
    },
  };
}

/** A forecast as a dotted line from the last whole bucket on, in front of its interval. */
function forecastLines(
  { id, colour, last, forecast }: SeriesAnalysis,
  { kind, one }: ValueScale,
): LineOption[] {
  if (!forecast) return [];
  const { bounds, expected, low, high } = forecast;
  const begin = last ? [last.x, last.y] : [];
  const heights = (values: Float64Array): Float64Array =>
    heightsOf(kind, Float64Array.from([...begin, ...pointsOf(bounds, values)]), one);
  const under = heights(low);
  const over = heights(high);
  const stack = `${id} interval`;
  return [
    { ...base, id: `${id} low`, stack, data: under, lineStyle: { width: 0 }, z: 1 },
    {
      ...base,
      id: `${id} high`,
      stack,
      // Stacked on the lower end, so that only what is between the two is filled.
      data: over.map((value, i) => (i % 2 === 0 ? value : value - (under[i] ?? 0))),
      lineStyle: { width: 0 },
      areaStyle: { color: colour, opacity: BAND },
      z: 1,
    },
    {
      ...base,
      id: `${id} forecast`,
      data: heights(expected),
      lineStyle: { color: colour, width: 1.6, type: [2, 3], join: 'round', cap: 'butt' },
    },
  ];
}

function trendLines(
  { id, colour, trend }: SeriesAnalysis,
  { kind, one }: ValueScale,
): LineOption[] {
  if (!trend) return [];
  const { from, to, value, slope } = trend;
  const points = Array.from({ length: TREND_POINTS + 1 }, (_, k) => {
    const x = from + ((to - from) * k) / TREND_POINTS;
    // Counts do not fall below zero, and neither does their line.
    return [x, Math.max(0, value + slope * (x - from))];
  });
  return [
    {
      ...base,
      id: `${id} trend`,
      data: heightsOf(kind, Float64Array.from(points.flat()), one),
      lineStyle: { color: colour, width: 1.4, type: [9, 4], cap: 'butt' },
    },
  ];
}

/** The count so far and its projection, joined, the projection as a faint ring. */
function projectionLines(
  { id, colour, style, projection }: SeriesAnalysis,
  { kind, one }: ValueScale,
  { colours }: Look,
): LineOption[] {
  if (!projection) return [];
  const { x, y, projected } = projection;
  return [
    {
      ...base,
      id: `${id} pace`,
      data: heightsOf(kind, Float64Array.of(x, y, x, projected), one),
      lineStyle: { color: colour, width: 1, type: [1, 3], opacity: 0.6 },
      z: 1,
    },
    {
      ...base,
      id: `${id} projected`,
      data: heightsOf(kind, Float64Array.of(x, projected), one),
      symbol: style.marker,
      symbolSize: 6,
      showSymbol: true,
      showAllSymbol: true,
      lineStyle: { width: 0 },
      itemStyle: { color: colours.ground, borderColor: colour, borderWidth: 1.2, opacity: 0.55 },
    },
  ];
}

/** What a chart draws in addition to its counts, as ECharts draws it. */
export function analysisLines(
  { series, target }: Pick<ChartAnalysis, 'series' | 'target'>,
  scale: ValueScale,
  look: Look,
): LineOption[] {
  const { colours, start, end, formatter } = look;
  const { kind, one, high, low } = scale;
  const begun = series.flatMap(({ last, forecast }) => (last && forecast ? [last.x] : []));
  const from = Math.min(...begun);
  const lines = [
    ...series.flatMap((each) => forecastLines(each, scale)),
    ...series.flatMap((each) => trendLines(each, scale)),
    ...series.flatMap((each) => projectionLines(each, scale, look)),
  ];
  if (begun.length > 0) {
    lines.push(
      {
        ...base,
        id: 'forecast begins',
        data: Float64Array.of(from, low, from, high),
        lineStyle: { color: colours.quiet, width: 1, type: [2, 3] },
        z: 1,
      },
      label(
        'forecast label',
        [end, high],
        `Forecast, ${formatter.share(FORECAST_LEVEL)} range`,
        [-6, 8],
        look,
      ),
    );
  }
  if (target) {
    const height = toHeight(kind, target.value, one);
    // Near the top of the plot, the label goes under the line.
    const under = height > low + (high - low) * TOP;
    lines.push(
      {
        ...base,
        id: 'target',
        data: Float64Array.of(start, height, end, height),
        lineStyle: { color: colours.ink, width: 1.2, type: [6, 3] },
      },
      label(
        'target label',
        [start, height],
        targetText(target, formatter),
        [6, under ? 9 : -8],
        look,
      ),
    );
  }
  return lines;
}
