import type { Span } from '#core/time/span.ts';
import type { Tick } from './axis.ts';
import type { ChartOption } from './echarts.ts';
import type { LineParts } from './line.ts';
import type { CountScale } from './scale.ts';

/** Place of the plot inside the chart, in px from its edges. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Colours as the page has them, resolved. */
export interface Look {
  readonly ink: string;
  readonly quiet: string;
  readonly hairline: string;
  readonly axis: string;
  readonly ground: string;
  readonly font: string;
  readonly fontSize: number;
}

/** One line of the chart. */
export interface ChartLine {
  readonly id: string;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly parts: LineParts;
}

export interface ChartPicture {
  readonly window: Span;
  readonly plot: Plot;
  readonly scale: CountScale;
  readonly ticks: readonly Tick[];
  readonly lines: readonly ChartLine[];
  readonly look: Look;
  readonly count: (value: number) => string;
}

const LINE_PX = 1.6;

/**
 * The picture as ECharts is told it: pure data, one interleaved array a line.
 *
 * Every series is silent and none is animated: pointer, labels and the rule under the pointer are drawn over
 * the canvas, so that hovering redraws nothing in it.
 */
export function chartOption(picture: ChartPicture): ChartOption {
  const { window, plot, scale, ticks, lines, look, count } = picture;
  const values = ticks.map((tick) => tick.at);
  const byAt = new Map(ticks.map((tick) => [tick.at, tick]));
  const text = { fontFamily: look.font, fontSize: look.fontSize };
  return {
    animation: false,
    grid: { ...plot, outerBoundsMode: 'none' },
    xAxis: {
      type: 'value',
      min: window.start,
      max: window.end,
      axisLine: { show: true, onZero: false, lineStyle: { color: look.axis, width: 1 } },
      axisTick: { show: true, length: 4, lineStyle: { color: look.axis }, customValues: values },
      splitLine: { show: false },
      axisLabel: {
        customValues: values,
        hideOverlap: true,
        margin: 8,
        color: look.quiet,
        ...text,
        rich: { strong: { ...text, fontWeight: 640, color: look.ink } },
        formatter: (value: number) => {
          const tick = byAt.get(value);
          return tick?.strong ? `{strong|${tick.text}}` : (tick?.text ?? '');
        },
      },
    },
    yAxis: {
      type: 'value',
      min: 0,
      max: scale.max,
      interval: scale.step,
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: true, lineStyle: { color: look.hairline, width: 1 } },
      axisLabel: { color: look.quiet, margin: 8, ...text, formatter: count },
    },
    series: lines.flatMap(({ id, colour, dash, parts }) => {
      const base = {
        type: 'line' as const,
        dimensions: ['x', 'y'],
        silent: true,
        animation: false,
        color: colour,
        emphasis: { disabled: true },
        clip: true,
      };
      const style = { color: colour, width: LINE_PX, join: 'round' as const, cap: 'butt' as const };
      const dot = {
        symbol: 'circle',
        showSymbol: true,
        showAllSymbol: true,
        lineStyle: { width: 0 },
      };
      return [
        {
          ...base,
          id,
          data: parts.line,
          showSymbol: false,
          lineStyle: { ...style, type: dash.length > 0 ? [...dash] : ('solid' as const) },
        },
        {
          ...base,
          id: `${id} open`,
          data: parts.open,
          showSymbol: false,
          lineStyle: { ...style, width: 1.2, type: [2, 3] },
        },
        {
          ...base,
          ...dot,
          id: `${id} rings`,
          data: parts.rings,
          symbolSize: 5,
          itemStyle: { color: look.ground, borderColor: colour, borderWidth: LINE_PX },
        },
        { ...base, ...dot, id: `${id} dots`, data: parts.dots, symbolSize: 4 },
      ];
    }),
  };
}
