import type { Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import type { Tick } from './axis.ts';
import type { Form, Unit } from './form.ts';
import type { ChartLineOption, ChartOption } from './echarts.ts';
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

/** The theme's colours and font, resolved, because a canvas does not support custom properties. */
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

/** How a series is filled: not, lightly down to zero, or opaquely, to cover what is behind. */
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
  /** Points that are marked. */
  readonly dots: Float64Array;
  readonly parts: FigurePart;
}

export interface ChartPicture {
  readonly window: Span;
  readonly plot: Plot;
  readonly scale: ValueScale;
  /** Right axis, for quotients next to counts, and its formatter; null without. */
  readonly right: { readonly scale: ValueScale; readonly value: (value: number) => string } | null;
  readonly ticks: readonly Tick[];
  /** In drawing order: the last one is on top. */
  readonly lines: readonly ChartLine[];
  readonly colours: BaseColours;
  /** Formats a value on the axis. */
  readonly value: (value: number) => string;
}

const LINE_PX = 1.6;
const DOT_PX = 5;
/** Share of the series' colour in its fill. */
const LIGHT = 0.13;
const SOLID = 0.55;
const BAR = 0.88;

/** Mixes a share of a colour into another. Both must be `#rrggbb` or `#rgb`, else the first is returned. */
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

/** ECharts options of one series. */
function linesOf(
  line: ChartLine,
  colours: BaseColours,
  { kind, one }: ValueScale,
): ChartLineOption[] {
  const { id, colour, dash, marker, fill, parts } = line;
  const data = (points: Float64Array): Float64Array => heightsOf(kind, points, one);
  const base = {
    type: 'line' as const,
    dimensions: ['x', 'y'],
    silent: true,
    animation: false,
    color: colour,
    emphasis: { disabled: true },
    clip: true,
    showSymbol: false,
    yAxisIndex: line.right ? 1 : 0,
  };
  const style = { color: colour, width: LINE_PX, join: 'round' as const, cap: 'butt' as const };
  const dot = {
    symbol: marker,
    showSymbol: true,
    showAllSymbol: true,
    lineStyle: { width: 0 },
  };
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
  const earlier = {
    ...base,
    id: `${id} earlier`,
    data: data(parts.earlier ?? new Float64Array(0)),
    lineStyle: { ...style, width: 1, opacity: 0.7, type },
  };
  const all: ChartLineOption[] = [
    ...(parts.earlier ? [earlier] : []),
    {
      ...base,
      ...area,
      id,
      data: data(parts.line),
      lineStyle: parts.stroke
        ? { ...style, color: mixed(colour, colours.ground, BAR), width: parts.stroke }
        : { ...style, type },
    },
    {
      ...base,
      id: `${id} open`,
      data: data(parts.open),
      lineStyle: { ...style, width: 1.2, type: [2, 3] },
    },
    {
      ...base,
      ...dot,
      id: `${id} rings`,
      data: data(parts.rings),
      symbolSize: DOT_PX,
      itemStyle: { color: colours.ground, borderColor: colour, borderWidth: LINE_PX },
    },
    { ...base, ...dot, id: `${id} dots`, data: data(line.dots), symbolSize: DOT_PX },
  ];
  // Empty lines take ECharts as long as lines with a hundred points.
  return all.filter((one) => one.id === id || one.data.length > 0);
}

/** Formats a value on an axis of a unit. */
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
 * Builds the ECharts option: pure data, with one interleaved array per line.
 *
 * Series are silent and not animated: the cursor, labels and tooltip are drawn over the canvas, so that hovering does not
 * redraw it. A log scale is drawn as heights on a linear axis, because ECharts' own cannot show zero.
 */
export function chartOption(picture: ChartPicture): ChartOption {
  const { window, plot, scale, right, ticks, lines, colours, value } = picture;
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
    series: lines.flatMap((line) => linesOf(line, colours, (line.right && right?.scale) || scale)),
  };
}
