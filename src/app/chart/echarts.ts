// By their own entries: through `echarts/charts` the build could not tell lines from bars, which load later.
import 'echarts/lib/chart/line';
// The simple grid: pointer and tooltip are the chart's own.
import 'echarts/lib/component/gridSimple';
import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import type { GridComponentOption } from 'echarts/components';
import { init, use, type ComposeOption, type ECharts } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([CanvasRenderer]);

type EChartsOption = ComposeOption<LineSeriesOption | BarSeriesOption | GridComponentOption>;

/** One interleaved array `x, y, x, y …` for data. */
interface Points {
  readonly data: Float64Array;
}
export type LineOption = Omit<LineSeriesOption, 'data'> & Points;
export type BarOption = Omit<BarSeriesOption, 'data'> & Points;

/** An option with what is registered: lines and bars on a grid. */
export type ChartOption = Omit<EChartsOption, 'series'> & {
  readonly series: readonly (LineOption | BarOption)[];
};

/** A chart in an element. */
export interface Drawing {
  /** Draws an option in place of the one before. */
  draw(option: ChartOption): void;
  size(width: number, height: number): void;
  dispose(): void;
}

/** The names in an option, without their values. */
function shapeOf(part: unknown): string {
  if (ArrayBuffer.isView(part) || !(part instanceof Object)) return '';
  if (Array.isArray(part)) return `[${part.map(shapeOf).join()}]`;
  const parts = Object.entries(part).map(([name, each]: [string, unknown]) => name + shapeOf(each));
  return `{${parts.join()}}`;
}

/** The shape of each series by id, in order, and that of the rest under `undefined`. */
function shapesOf({ series, ...rest }: ChartOption): Map<unknown, string> {
  return new Map([
    [undefined, shapeOf(rest)],
    ...series.map((one) => [one.id, shapeOf(one)] as const),
  ]);
}

/** Whether an option has the shape of the one before, but for series that are gone. */
function isPart(next: Map<unknown, string>, before: Map<unknown, string>): boolean {
  const common = [...before].filter(([id]) => next.has(id));
  return (
    common.length === next.size &&
    [...next].every(([id, shape], i) => common[i]?.[0] === id && common[i]?.[1] === shape)
  );
}

/** Creates a chart in an element. */
export function chartIn(element: HTMLElement): Drawing {
  const chart: ECharts = init(element, null, { renderer: 'canvas' });
  let before = new Map<unknown, string>();
  return {
    draw: (option) => {
      // ECharts merges: a fill, a dash, an axis or an order that is not in the next option would stay.
      const shapes = shapesOf(option);
      if (!isPart(shapes, before)) chart.clear();
      before = shapes;
      // ECharts reads typed arrays, 24 times faster than pairs; only its types do not say so.
      chart.setOption(option as unknown as EChartsOption, {
        replaceMerge: ['series'],
        silent: true,
      });
    },
    size: (width, height) => chart.resize({ width, height }),
    dispose: () => chart.dispose(),
  };
}
