import type { Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Tick } from './axis.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Form } from './form.ts';
import type { BarOption, ChartOption, LineOption, MarkOption } from './echarts.ts';
import type { FigurePart } from './layout.ts';
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

/** How a series is filled: not at all, lightly down to zero, or fully, covering what is behind it. */
export type Fill = 'none' | 'light' | 'solid';

/** A line of the chart. */
export interface ChartLine {
  readonly id: string;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly marker: Marker;
  readonly fill: Fill;
  /** Whether it is on the right axis. */
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
  /** Whether series are stacked. */
  readonly stacked: boolean;
  readonly colours: BaseColours;
  /** Formats a value of the left axis. */
  readonly value: (value: number) => string;
  /** Lines that are not counts, drawn over those that are. */
  readonly extra?: readonly LineOption[] | undefined;
}

const LINE_PX = 1.6;
/** Of a moving average, and of the counts behind it. */
const AVERAGE_PX = 2.2;
const FAINT = { width: 1, opacity: 0.3 };
const DOT_PX = 5;
/** Share of the series' colour in its fill. */
const LIGHT = 0.13;
const SOLID = 0.55;
const BAR = 0.88;

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

const BASE = {
  dimensions: ['x', 'y'],
  silent: true,
  animation: false,
  emphasis: { disabled: true },
  clip: true,
};

/** The marked points of lines on one axis, if there are any: hollow ones, and filled ones. */
function marksOption(
  lines: readonly ChartLine[],
  ground: string,
  { kind, one }: ValueScale,
  yAxisIndex: number,
): MarkOption[] {
  const data = lines.flatMap(({ colour, marker: symbol, dots, parts }) =>
    [parts.rings, dots].flatMap((points, filled) => {
      const itemStyle = filled
        ? { color: colour }
        : { color: ground, borderColor: colour, borderWidth: LINE_PX };
      const heights = heightsOf(kind, points, one);
      return Array.from({ length: points.length / 2 }, (_, i) => ({
        value: [...heights.subarray(2 * i, 2 * i + 2)],
        symbol,
        itemStyle,
      }));
    }),
  );
  const id = `marks ${yAxisIndex}`;
  const style = { symbolSize: DOT_PX, lineStyle: { width: 0 }, showAllSymbol: true };
  return data.length > 0 ? [{ type: 'line', ...BASE, ...style, id, yAxisIndex, data }] : [];
}

/** The lines of one series, or its bars, as ECharts draws them. */
function seriesOptions(
  line: ChartLine,
  colours: BaseColours,
  stacked: boolean,
  { kind, one }: ValueScale,
): (LineOption | BarOption)[] {
  const { id, colour, dash, fill, parts } = line;
  const data = (points: Float64Array): Float64Array => heightsOf(kind, points, one);
  const base = { ...BASE, color: colour };
  const yAxisIndex = line.right ? 1 : 0;
  const lineBase = { type: 'line' as const, ...base, showSymbol: false, yAxisIndex };
  const style = { color: colour, width: LINE_PX, join: 'round' as const, cap: 'butt' as const };
  const area =
    fill === 'none'
      ? {}
      : {
          areaStyle: {
            color: fill === 'solid' ? mixed(colour, colours.ground, SOLID) : colour,
            opacity: fill === 'solid' ? 1 : LIGHT,
          },
        };
  const type = dash.length > 0 ? [...dash] : ('solid' as const);
  const { barWidth } = parts;
  const earlier = {
    ...lineBase,
    id: `${id} earlier`,
    // Behind the bars, as behind a line.
    ...(barWidth && { z: 1 }),
    data: data(parts.earlier ?? new Float64Array(0)),
    lineStyle: { ...style, width: 1, opacity: 0.7, type },
  };
  const main = barWidth
    ? {
        type: 'bar' as const,
        ...base,
        yAxisIndex,
        id,
        data: data(parts.line),
        barWidth,
        // When stacked, every bar begins at zero, and shorter bars cover the taller ones.
        barGap: stacked ? '-100%' : '0%',
        // Draws all bars as one path, which is faster than an element for each.
        large: true,
        largeThreshold: 1,
        itemStyle: { color: mixed(colour, colours.ground, BAR) },
      }
    : {
        ...lineBase,
        ...area,
        id,
        data: data(parts.line),
        lineStyle: { ...style, ...(parts.faint && { width: AVERAGE_PX }), type },
      };
  const none = new Float64Array(0);
  const all: (LineOption | BarOption)[] = [
    {
      ...lineBase,
      id: `${id} counts`,
      data: data(parts.faint ?? none),
      lineStyle: { ...style, ...FAINT },
    },
    ...(parts.earlier ? [earlier] : []),
    main,
    {
      ...lineBase,
      id: `${id} outlines`,
      data: data(parts.outlines ?? none),
      lineStyle: { ...style, width: 1.2, type: [2, 3] },
    },
  ];
  // For ECharts, a line without points is as slow as one of a hundred.
  return all.filter((one) => one.id === id || one.data.length > 0);
}

/** Formats a value on an axis. */
export function axisText(value: number, unit: Unit, form: Form, format: Formatter): string {
  if (unit === 'part') return format.part(value);
  return unit === 'count' && form === 'share' ? format.share(value) : format.short(value);
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
      margin: 8,
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
 * Series are silent and not animated. Labels and the line at the pointer are elements over the canvas, so that hovering
 * does not redraw it. A log scale is drawn as heights on a linear axis, because that of ECharts has no zero.
 */
export function chartOption(picture: ChartPicture): ChartOption {
  const { window, plot, scale, right, ticks, lines, stacked, colours, value, extra = [] } = picture;
  const values = ticks.map((tick) => tick.at);
  const byAt = new Map(ticks.map((tick) => [tick.at, tick]));
  const text = { fontFamily: colours.font, fontSize: colours.fontSize };
  const covered = lines.some(({ fill }) => fill === 'solid');
  // Stacked bands cover the whole plot, so grid lines go on top of them.
  const splitLine = {
    show: true,
    lineStyle: covered
      ? { color: colours.ink, width: 1, opacity: 0.1 }
      : { color: colours.hairline, width: 1, opacity: 1 },
  };
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
        customValues: values,
        hideOverlap: true,
        margin: 8,
        color: colours.quiet,
        ...text,
        rich: { strong: { ...text, fontWeight: 640, color: colours.ink } },
        formatter: (at: number) => {
          const tick = byAt.get(at);
          return tick?.strong ? `{strong|${tick.text}}` : (tick?.text ?? '');
        },
      },
    },
    yAxis: right
      ? [
          { ...valueAxis(scale, value, colours), z: covered ? 3 : 0, splitLine },
          { ...valueAxis(right.scale, right.value, colours), splitLine: { show: false } },
        ]
      : { ...valueAxis(scale, value, colours), z: covered ? 3 : 0, splitLine },
    series: [
      ...lines.flatMap((line) =>
        seriesOptions(line, colours, stacked, (line.right && right?.scale) || scale),
      ),
      ...[scale, right?.scale].flatMap((side, number) => {
        const own = lines.filter((line) => line.right === number > 0);
        return side ? marksOption(own, colours.ground, side, number) : [];
      }),
      ...extra,
    ],
  };
}
