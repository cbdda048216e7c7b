import { FORECAST_LEVEL } from '#core/series/forecast.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { ChartAnalysis, SeriesAnalysis } from './chart-analysis.ts';
import type { DrawnCurve } from '#app/chart/draw/curve.ts';
import { heightsOf, toHeight, type ValueScale } from '#app/chart/draw/scale.ts';
import { targetText } from '#app/chart/notes/target-note.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

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

/** A text at a point, in px from it; it ends there if it is moved to the left. */
function label(
  id: string,
  at: readonly [number, number],
  text: string,
  offset: readonly [number, number],
  { colours: { ink, ground, font, fontSize } }: Look,
): DrawnCurve {
  const look = { color: ink, halo: ground, fontFamily: font, fontSize };
  const align = offset[0] < 0 ? 'right' : 'left';
  const label = { at, text, offset, align, verticalAlign: 'middle', ...look } as const;
  return { id, z: 4, label };
}

/** A forecast as a dotted line from the last whole bucket on, in front of its interval. */
function forecastLines(
  { id, colour, last, forecast }: SeriesAnalysis,
  { kind, one }: ValueScale,
): DrawnCurve[] {
  if (!forecast) return [];
  const { bounds, expected, low, high } = forecast;
  const begin = last ? [last.x, last.y] : [];
  const heights = (values: Float64Array): Float64Array =>
    heightsOf(kind, Float64Array.from([...begin, ...pointsOf(bounds, values)]), one);
  return [
    {
      id: `${id} interval`,
      points: heights(high),
      fill: { color: colour, opacity: BAND, to: heights(low) },
      z: 1,
    },
    {
      id: `${id} forecast`,
      points: heights(expected),
      line: { color: colour, width: 1.6, dash: [2, 3] },
    },
  ];
}

function trendLines(
  { id, colour, trend }: SeriesAnalysis,
  { kind, one }: ValueScale,
): DrawnCurve[] {
  if (!trend) return [];
  const { from, to, value, slope } = trend;
  const points = Array.from({ length: TREND_POINTS + 1 }, (_, k) => {
    const x = from + ((to - from) * k) / TREND_POINTS;
    // Counts do not fall below zero, and neither does their line.
    return [x, Math.max(0, value + slope * (x - from))];
  });
  return [
    {
      id: `${id} trend`,
      points: heightsOf(kind, Float64Array.from(points.flat()), one),
      line: { color: colour, width: 1.4, dash: [9, 4] },
    },
  ];
}

/** The count so far and its projection, joined, the projection as a faint ring. */
function projectionLines(
  { id, colour, style, projection }: SeriesAnalysis,
  { kind, one }: ValueScale,
  { colours }: Look,
): DrawnCurve[] {
  if (!projection) return [];
  const { x, y, projected } = projection;
  const height = (value: number): number => toHeight(kind, value, one);
  return [
    {
      id: `${id} pace`,
      points: Float64Array.of(x, height(y), x, height(projected)),
      line: { color: colour, width: 1, opacity: 0.6, dash: [1, 3] },
      z: 1,
    },
    {
      id: `${id} projected`,
      marks: [
        {
          at: [x, height(projected)],
          symbol: style.marker,
          size: 6,
          fill: colours.ground,
          stroke: colour,
          strokeWidth: 1.2,
          opacity: 0.55,
        },
      ],
    },
  ];
}

/** The curves that a chart draws in addition to its counts. @param of - Id of the only series; all by default. */
export function analysisLines(
  { series: all, target }: Pick<ChartAnalysis, 'series' | 'target'>,
  scale: ValueScale,
  look: Look,
  of?: number,
): DrawnCurve[] {
  const series = all.filter(({ id }) => of === undefined || id === of);
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
        id: 'forecast begins',
        points: Float64Array.of(from, low, from, high),
        line: { color: colours.quiet, width: 1, dash: [2, 3] },
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
        id: 'target',
        points: Float64Array.of(start, height, end, height),
        line: { color: colours.ink, width: 1.2, dash: [6, 3] },
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
