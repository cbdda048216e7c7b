import type { Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Tick } from './axis.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Form } from './form.ts';
import type { DrawnCurve, CurveMark } from './curve.ts';
import type { BarOption, ChartOption } from './echarts.ts';
import type { FigurePart } from './layout.ts';
import { inRow, type RowPlace } from './rows.ts';
import { fromHeight, heightsOf, toHeight, type ValueScale } from './scale.ts';
import type { Marker } from '#app/ui/series-style.ts';

/** Margins of the plot inside the chart, px. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The theme's resolved colours and font, because a canvas does not support custom properties. */
export interface BaseColours {
  readonly ink: string;
  readonly quiet: string;
  readonly hairline: string;
  readonly axis: string;
  readonly ground: string;
  readonly font: string;
  readonly fontSize: number;
}

/** With the colours of series, in the order of their styles. */
export interface ThemeColours {
  readonly base: BaseColours;
  readonly series: readonly string[];
}

/** The filling of a series: not at all, lightly down to zero, or fully, covering what is behind it. */
export type Fill = 'none' | 'light' | 'solid';

/** A line of the chart. */
export interface ChartLine {
  readonly id: string;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly marker: Marker;
  readonly fill: Fill;
  /** True if it is on the right axis. */
  readonly right: boolean;
  /** The marked points. */
  readonly dots: Float64Array;
  readonly parts: FigurePart;
}

export interface ChartPicture {
  readonly window: Span;
  readonly plot: Plot;
  readonly scale: ValueScale;
  /** Of quotients in a chart with counts, and the format of its values; null if there are none. */
  readonly right: { readonly scale: ValueScale; readonly value: (value: number) => string } | null;
  readonly ticks: readonly Tick[];
  /** In drawing order: the last one is on top. */
  readonly lines: readonly ChartLine[];
  /** True if series are stacked. */
  readonly stacked: boolean;
  readonly colours: BaseColours;
  /** Formats a value of the left axis. */
  readonly value: (value: number) => string;
  /** Lines that are not counts, drawn over those that are. */
  readonly extra?: readonly DrawnCurve[] | undefined;
  /** The rows of small multiples, by the ids of their lines; without them, all lines are on one scale. */
  readonly rows?: readonly PictureRow[];
}

/** A row of small multiples, and the format of its values. */
export interface PictureRow extends RowPlace {
  readonly id: string;
  readonly value: (value: number) => string;
}

const LINE_PX = 1.35;
const DOT_PX = 5;
/** Opacity of the earlier periods, the latest first: older ones are fainter. */
const EARLIER = [0.7, 0.5, 0.38, 0.3, 0.24];
/** Share of the series' colour in its fill. */
const LIGHT = 0.13;
const SOLID = 0.55;
const BAR = 0.88;
/** Between an axis and its labels. */
const LABEL_PX = 8;

/** Blends a colour with the background. Returns colours other than `#rrggbb` and `#rgb` unchanged. */
export function mixed(colour: string, ground: string, share: number): string {
  const parts = (hex: string): number[] | null => {
    const long = /^#[0-9a-f]{3}$/i.test(hex) ? hex.replace(/[0-9a-f]/gi, '$&$&') : hex;
    if (!/^#[0-9a-f]{6}$/i.test(long)) return null;
    return [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16));
  };
  const [over, under] = [parts(colour), parts(ground)];
  if (!over || !under) return colour;
  const mix = over.map((part, i) => Math.round(part * share + (under[i] ?? 0) * (1 - share)));
  return `#${mix.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** The marked points of a line: hollow ones, and filled ones. */
function marksOf(
  { colour, marker: symbol, dots, parts }: ChartLine,
  ground: string,
  { kind, one }: ValueScale,
): CurveMark[] {
  const marksAt = (points: Float64Array, look: Omit<CurveMark, 'at' | 'symbol' | 'size'>) => {
    const heights = heightsOf(kind, points, one);
    return Array.from({ length: points.length / 2 }, (_, i): CurveMark => {
      const at = [heights[2 * i] ?? 0, heights[2 * i + 1] ?? Number.NaN] as const;
      return { at, symbol, size: DOT_PX, ...look };
    });
  };
  return [
    ...marksAt(parts.rings, { fill: ground, stroke: colour, strokeWidth: LINE_PX }),
    ...marksAt(dots, { fill: colour }),
  ];
}

/** The bars of a series; null if it is drawn as a line. */
function barsOf(line: ChartLine, colours: BaseColours, stacked: boolean, scale: ValueScale) {
  const { id, colour, right, parts } = line;
  const { barWidth } = parts;
  if (!barWidth) return null;
  return {
    type: 'bar',
    dimensions: ['x', 'y'],
    silent: true,
    animation: false,
    emphasis: { disabled: true },
    clip: true,
    yAxisIndex: right ? 1 : 0,
    id,
    data: heightsOf(scale.kind, parts.line, scale.one),
    barWidth,
    // When stacked, every bar begins at zero, and shorter bars cover the taller ones.
    barGap: stacked ? '-100%' : '0%',
    // Draws all bars as one path, which is faster than an element for each.
    large: true,
    largeThreshold: 1,
    itemStyle: { color: mixed(colour, colours.ground, BAR) },
  } satisfies BarOption;
}

/** The curves of a series: the earlier periods, its line, and what bars do not show. */
function curvesOf(line: ChartLine, colours: BaseColours, scale: ValueScale): DrawnCurve[] {
  const { id, colour: color, dash, fill, right, parts } = line;
  const points = (of: Float64Array): Float64Array => heightsOf(scale.kind, of, scale.one);
  const { earlier, outlines, barWidth } = parts;
  const marks = marksOf(line, colours.ground, scale);
  const solid = fill === 'solid';
  const curves: DrawnCurve[] = [];
  // The latest in front.
  for (const { period, line: past } of earlier.toReversed()) {
    const look = { color, width: 1, opacity: EARLIER[period] ?? EARLIER[0] ?? 1, dash };
    // Behind the bars, as behind a line.
    const z = barWidth ? 1 : 3;
    const key = period === 0 ? `${id} earlier` : `${id} earlier ${period + 1}`;
    curves.push({ id: key, right, z, points: points(past), line: look });
  }
  if (!barWidth) {
    const filling = {
      color: solid ? mixed(color, colours.ground, SOLID) : color,
      opacity: solid ? 1 : LIGHT,
    };
    curves.push({
      id,
      right,
      points: points(parts.line),
      line: { color, width: LINE_PX, dash },
      ...(fill !== 'none' && { fill: filling }),
    });
  }
  if (outlines) {
    const look = { color, width: 1.2, dash: [2, 3] };
    curves.push({ id: `${id} outlines`, right, points: points(outlines), line: look });
  }
  if (marks.length > 0) curves.push({ id: `${id} marks`, right, marks });
  return curves;
}

/** Formats a value on an axis. */
export function axisText(value: number, unit: Unit, form: Form, format: Formatter): string {
  if (unit === 'part') return format.part(value);
  return unit === 'count' && form === 'share' ? format.share(value) : format.short(value);
}

/** The names of longer units, where ECharts' axis has the other labels. */
function strongLabels(
  ticks: readonly Tick[],
  low: number,
  { ink, font, fontSize }: BaseColours,
): DrawnCurve[] {
  return ticks.flatMap(({ at, text, strong }) => {
    if (!strong) return [];
    const look = { color: ink, fontFamily: font, fontSize, fontWeight: 640 };
    const place = { offset: [0, LABEL_PX], align: 'center', verticalAlign: 'top' } as const;
    const label = { at: [at, low] as const, text, ...place, ...look };
    return [{ id: `label ${at}`, label }];
  });
}

/** The grid lines of a row with their labels. */
function rowAxis(
  row: PictureRow,
  { start, end }: Span,
  { hairline, axis, quiet, font, fontSize }: BaseColours,
): DrawnCurve[] {
  const { id, scale, value } = row;
  return scale.ticks.map((tick) => {
    const height = toHeight(scale.kind, tick, scale.one);
    const look = { color: quiet, fontFamily: font, fontSize };
    const place = { offset: [-LABEL_PX, 0], align: 'right', verticalAlign: 'middle' } as const;
    const curve: DrawnCurve = {
      id: `${id} at ${tick}`,
      z: 0,
      points: Float64Array.of(start, height, end, height),
      line: { color: tick === 0 ? axis : hairline, width: 1 },
      label: { at: [start, height], text: value(tick), ...place, ...look },
    };
    return inRow(curve, row);
  });
}

/** A value axis, of which only the labels are drawn. */
function valueAxis(scale: ValueScale, value: (value: number) => string, colours: BaseColours) {
  const { kind, one, ticks } = scale;
  const heights = ticks.map((tick) => toHeight(kind, tick, one));
  const byHeight = new Map(ticks.map((tick, i) => [heights[i], tick]));
  return {
    type: 'value' as const,
    min: scale.low,
    max: scale.high,
    axisLine: { show: false },
    axisTick: { show: false, customValues: heights },
    axisLabel: {
      color: colours.quiet,
      margin: LABEL_PX,
      fontFamily: colours.font,
      fontSize: colours.fontSize,
      customValues: heights,
      formatter: (height: number) => value(byHeight.get(height) ?? fromHeight(kind, height, one)),
    },
  };
}

/**
 * Converts the chart to an ECharts option: pure data, one interleaved array for each line.
 *
 * Nothing is animated or listens to the pointer. Labels and the line at the pointer are elements over the canvas, so that hovering
 * does not redraw it. A log scale is drawn as heights on a linear axis, because that of ECharts has no zero.
 */
export function chartOption(picture: ChartPicture): ChartOption {
  const { window, plot, scale, right, ticks, lines, stacked, colours, value, extra = [] } = picture;
  const { rows = [] } = picture;
  const values = ticks.map((tick) => tick.at);
  const byAt = new Map(ticks.map(({ at, text }) => [at, text]));
  const text = { fontFamily: colours.font, fontSize: colours.fontSize };
  const covered = lines.some(({ fill }) => fill === 'solid');
  // Stacked bands cover the whole plot, so grid lines go on top of them.
  const splitLine = {
    show: true,
    lineStyle: covered
      ? { color: colours.ink, width: 1, opacity: 0.1 }
      : { color: colours.hairline, width: 1, opacity: 1 },
  };
  const scaleOf = (line: ChartLine): ValueScale => (line.right && right?.scale) || scale;
  const curves = [
    ...rows.flatMap((row) => rowAxis(row, window, colours)),
    ...lines.flatMap((line) => {
      const row = rows.find(({ id }) => id === line.id);
      if (!row) return curvesOf(line, colours, scaleOf(line));
      return curvesOf(line, colours, row.scale).map((curve) => inRow(curve, row));
    }),
    ...extra,
    ...strongLabels(ticks, scale.low, colours),
  ];
  return {
    animation: false,
    grid: { ...plot, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      min: window.start,
      max: window.end,
      // Otherwise, an axis with bars would reach half a bar beyond the window, and the elements over it would not fit.
      containShape: false,
      axisLine: { show: true, onZero: false, lineStyle: { color: colours.axis, width: 1 } },
      axisTick: { show: true, length: 4, lineStyle: { color: colours.axis }, customValues: values },
      splitLine: { show: false },
      axisLabel: {
        // Rich texts would be laid out again for every label at every frame.
        customValues: ticks.filter(({ strong }) => !strong).map(({ at }) => at),
        margin: LABEL_PX,
        color: colours.quiet,
        ...text,
        formatter: (at: number) => byAt.get(at) ?? '',
      },
    },
    yAxis: right
      ? [
          { ...valueAxis(scale, value, colours), z: covered ? 3 : 0, splitLine },
          { ...valueAxis(right.scale, right.value, colours), splitLine: { show: false } },
        ]
      : { ...valueAxis(scale, value, colours), z: covered ? 3 : 0, splitLine },
    series: lines.flatMap((line) => barsOf(line, colours, stacked, scaleOf(line)) ?? []),
    curves: { of: () => curves },
  };
}
