import { LineChart, type LineSeriesOption } from 'echarts/charts';
import { GridSimpleComponent, type GridComponentOption } from 'echarts/components';
import { init, use, type ComposeOption, type ECharts } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

// The simple grid: pointers and tips are the chart's own.
use([LineChart, GridSimpleComponent, CanvasRenderer]);

type Told = ComposeOption<LineSeriesOption | GridComponentOption>;

/** A line told as one interleaved array `x, y, x, y …`. */
export type ChartLineOption = Omit<LineSeriesOption, 'data'> & { readonly data: Float64Array };

/** An option of what is registered here: lines on a grid. */
export type ChartOption = Omit<Told, 'series'> & { readonly series: readonly ChartLineOption[] };

/** A chart in an element. */
export interface Drawing {
  /** Draws an option whole in place of the one before. */
  draw(option: ChartOption): void;
  size(width: number, height: number): void;
  dispose(): void;
}

/** What an option tells of, by names alone, and of which series. */
function shapeOf(told: unknown): string {
  if (ArrayBuffer.isView(told) || !(told instanceof Object)) return '';
  if (Array.isArray(told)) return `[${told.map(shapeOf).join()}]`;
  const parts = Object.entries(told).map(([name, part]: [string, unknown]) =>
    name === 'id' ? String(part) : name + shapeOf(part),
  );
  return `{${parts.join()}}`;
}

/** Puts a chart into an element. */
export function chartIn(element: HTMLElement): Drawing {
  const chart: ECharts = init(element, null, { renderer: 'canvas' });
  let before = '';
  return {
    draw: (option) => {
      // ECharts reads typed arrays, 24 times faster than pairs; only its types do not say so.
      const told = option as unknown as Told;
      // Merged into what there was, all that is not told any more stays: fills, dashes, an axis, an order.
      const shape = shapeOf(option);
      if (shape !== before) chart.clear();
      before = shape;
      chart.setOption(told, { replaceMerge: ['series'], silent: true });
    },
    size: (width, height) => chart.resize({ width, height }),
    dispose: () => chart.dispose(),
  };
}
