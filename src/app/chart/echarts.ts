import { LineChart, type LineSeriesOption } from 'echarts/charts';
import { GridSimpleComponent, type GridComponentOption } from 'echarts/components';
import { init, use, type ComposeOption, type ECharts } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

// The simple grid is enough, because the chart has its own pointer and tooltip.
use([LineChart, GridSimpleComponent, CanvasRenderer]);

type Told = ComposeOption<LineSeriesOption | GridComponentOption>;

/** A line as one interleaved array `x, y, x, y …`. */
export type ChartLineOption = Omit<LineSeriesOption, 'data'> & { readonly data: Float64Array };

/** An option with the components registered here: lines on a grid. */
export type ChartOption = Omit<Told, 'series'> & { readonly series: readonly ChartLineOption[] };

/** A chart in an element. */
export interface Drawing {
  /** Draws an option, which replaces the previous one completely. */
  draw(option: ChartOption): void;
  size(width: number, height: number): void;
  dispose(): void;
}

/** The nested property names of an option, without values. */
function shapeOf(value: unknown): string {
  if (ArrayBuffer.isView(value) || !(value instanceof Object)) return '';
  if (Array.isArray(value)) return `[${value.map(shapeOf).join()}]`;
  const parts = Object.entries(value).map(
    ([name, part]: [string, unknown]) => name + shapeOf(part),
  );
  return `{${parts.join()}}`;
}

/** The shape of each series by id, in order, and that of everything else under `undefined`. */
function shapesOf({ series, ...rest }: ChartOption): Map<unknown, string> {
  return new Map([
    [undefined, shapeOf(rest)],
    ...series.map((one) => [one.id, shapeOf(one)] as const),
  ]);
}

/** Whether the next option has only shapes of the previous one, in the same order; series may be missing. */
function isPart(next: Map<unknown, string>, before: Map<unknown, string>): boolean {
  const left = [...before].filter(([id]) => next.has(id));
  return (
    left.length === next.size &&
    [...next].every(([id, shape], i) => left[i]?.[0] === id && left[i]?.[1] === shape)
  );
}

/** Creates a chart in an element. */
export function chartIn(element: HTMLElement): Drawing {
  const chart: ECharts = init(element, null, { renderer: 'canvas' });
  let before = new Map<unknown, string>();
  return {
    draw: (option) => {
      // ECharts reads typed arrays 24 times faster than pairs, though its types do not allow them.
      const merged = option as unknown as Told;
      // A merge would keep what the new option lacks: fills, dashes, an axis, an order.
      const shapes = shapesOf(option);
      if (!isPart(shapes, before)) chart.clear();
      before = shapes;
      chart.setOption(merged, { replaceMerge: ['series'], silent: true });
    },
    size: (width, height) => chart.resize({ width, height }),
    dispose: () => chart.dispose(),
  };
}
