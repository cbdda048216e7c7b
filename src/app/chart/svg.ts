import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
// Registers what an option may hold, so that a file shows what the screen does.
import './echarts.ts';
import type { ChartOption } from './echarts.ts';

use([SVGRenderer]);

/** A chart as an SVG document of so many px, drawn without a page. */
export function chartSvg(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option as unknown as Parameters<typeof chart.setOption>[0]);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
