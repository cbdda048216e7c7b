// The simple grid is enough: the chart has its own pointer and tooltip.
import 'echarts/lib/component/gridSimple';
import type { BarSeriesOption } from 'echarts/charts';
import type { GridComponentOption } from 'echarts/components';
import { init, use, type ComposeOption, type ECharts } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import type { CurvesOption } from './curve.ts';
import './curves.ts';

use([CanvasRenderer]);

type EChartsOption = ComposeOption<BarSeriesOption | GridComponentOption>;

/** Bars, with data as one interleaved array `x, y, x, y …`. */
export type BarOption = Omit<BarSeriesOption, 'data'> & {
  readonly id: string;
  readonly data: Float64Array;
};

/** An option for what is registered: curves and bars on a grid. */
export type ChartOption = Omit<EChartsOption, 'series'> & {
  readonly series: readonly BarOption[];
  readonly curves: CurvesOption;
};

/** A chart in an element. */
export type Drawing = ReturnType<typeof chartIn>;

/** The parts of an option. ECharts merges options: parts that only the previous one had would remain. */
function partsOf({ series, yAxis }: ChartOption): string {
  return `${Array.isArray(yAxis)} ${series.map(({ id }) => id).join(' ')}`;
}

/** Creates a chart in an element. */
export function chartIn(element: HTMLElement) {
  const chart: ECharts = init(element, null, { renderer: 'canvas' });
  let before = '';
  return {
    /** Draws an option in place of the previous one. */
    draw: (option: ChartOption) => {
      const parts = partsOf(option);
      if (parts !== before) chart.clear();
      before = parts;
      // ECharts reads typed arrays, 24 times faster than pairs, but its types do not allow them.
      chart.setOption(option as unknown as EChartsOption, { silent: true });
    },
    size: (width: number, height: number): void => chart.resize({ width, height }),
    dispose: (): void => chart.dispose(),
  };
}
