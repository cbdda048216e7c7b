// Separate entries: with `echarts/charts`, the build could not separate lines from bars, which load later.
import 'echarts/lib/chart/line';
// The simple grid is enough: the chart has its own pointer and tooltip.
import 'echarts/lib/component/gridSimple';
import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import type { GridComponentOption } from 'echarts/components';
import { init, use, type ComposeOption, type ECharts } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([CanvasRenderer]);

type EChartsOption = ComposeOption<LineSeriesOption | BarSeriesOption | GridComponentOption>;

/** Data as one interleaved array `x, y, x, y …`. */
interface Points {
  readonly data: Float64Array;
}
export type LineOption = Omit<LineSeriesOption, 'data'> & Points;
export type BarOption = Omit<BarSeriesOption, 'data'> & Points;
/** Points that each have their own look. For ECharts, another series is as slow as a line of a hundred points. */
export type MarkOption = Omit<LineSeriesOption, 'data'> & {
  readonly data: readonly {
    /** `x, y`. */
    readonly value: readonly number[];
    readonly symbol: string;
    readonly itemStyle: NonNullable<LineSeriesOption['itemStyle']>;
  }[];
};

/** An option for what is registered: lines and bars on a grid. */
export type ChartOption = Omit<EChartsOption, 'series'> & {
  readonly series: readonly (LineOption | BarOption | MarkOption)[];
};

/** A chart in an element. */
export interface Drawing {
  /** Draws an option in place of the previous one. */
  draw(option: ChartOption): void;
  size(width: number, height: number): void;
  dispose(): void;
}

/** The structure of an option: its names without the values. A list of values, such as ticks, is one value. */
function shapeOf(part: unknown): string {
  if (ArrayBuffer.isView(part) || !(part instanceof Object)) return '';
  if (Array.isArray(part)) {
    const parts = part.map(shapeOf);
    return parts.some(Boolean) ? `[${parts.join()}]` : '';
  }
  const parts = Object.entries(part).map(([name, each]: [string, unknown]) => name + shapeOf(each));
  return `{${parts.join()}}`;
}

/** The shape of each series by id, in order; under `undefined`, that of the rest. */
function shapesOf({ series, ...rest }: ChartOption): Map<unknown, string> {
  return new Map([
    [undefined, shapeOf(rest)],
    // Data are replaced, not merged.
    ...series.map((one) => [one.id, shapeOf({ ...one, data: null })] as const),
  ]);
}

/** Whether an option has the shape of the previous one, apart from removed series. */
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
      // ECharts merges options: a fill, dash, axis or order that the next option does not have would remain.
      const shapes = shapesOf(option);
      if (!isPart(shapes, before)) chart.clear();
      before = shapes;
      // ECharts reads typed arrays, 24 times faster than pairs, but its types do not allow them.
      chart.setOption(option as unknown as EChartsOption, {
        replaceMerge: ['series'],
        silent: true,
      });
    },
    size: (width, height) => chart.resize({ width, height }),
    dispose: () => chart.dispose(),
  };
}
