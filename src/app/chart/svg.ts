import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
// Registers what an option may hold, so that a file shows what the screen does.
import './echarts.ts';
import type { ChartOption } from './echarts.ts';

use([SVGRenderer]);

/** An option whose fonts can stand inside an attribute: the renderer writes them as they are. */
function quotable<T>(value: T): T {
  if (Array.isArray(value)) return value.map(quotable) as T;
  if (!(value instanceof Object) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => [
    key,
    key === 'fontFamily' && typeof part === 'string' ? part.replaceAll('"', "'") : quotable(part),
  ]);
  return Object.fromEntries(entries) as T;
}

/** A chart as an SVG document of so many px, drawn without a page. */
export function chartSvg(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(quotable(option) as unknown as Parameters<typeof chart.setOption>[0]);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}
