import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
// Registers bars too, so that a file shows the same as the screen.
import '#app/chart/draw/bar-chart.ts';
import '#app/chart/draw/echarts.ts';
import type { ChartOption } from '#app/chart/draw/echarts.ts';
import { DOT_PX, PEAK_LABEL_PX, RING_PX } from '#app/chart/interact/peak-markers.ts';
import type { RowBand } from '#app/chart/draw/rows.ts';
import type { Still, PlotStretch } from '#app/chart/draw/still.ts';
import { cutTo } from '#app/chart/draw/text-width.ts';
import { markShapes, noteShapes } from './note-shapes.ts';
import { svgOf, svgText } from './shapes.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

use([SVGRenderer]);

/** Size of the names at the ends of lines, px. */
export const END_NAME_PX = 12;

/** The counts that are missing or not final, as on screen: hatched, notched in the colour of a series, or tinted. */
function incompleteSvg({ incomplete, plot, height }: Still, colours: BaseColours): string {
  const { ink, quiet, hairline, ground } = colours;
  const { uncovered, provisional, missing } = incomplete;
  const [top, tall] = [plot.top, height - plot.bottom - plot.top];
  const plotted = { top, height: tall };
  const area = ({ from, to }: PlotStretch, fill: string, band: RowBand = plotted): string =>
    `<rect x="${from.toFixed(1)}" y="${band.top}" width="${(to - from).toFixed(1)}" height="${band.height}" ${fill}/>`;
  const hatch =
    uncovered.length > 0
      ? `<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" x2="0" y1="0" y2="7" stroke="${hairline}" stroke-width="2"/></pattern>`
      : '';
  const words = { fill: quiet, size: 11, anchor: 'middle', halo: ground } as const;
  const none = uncovered.map((stretch) => {
    const said = stretch.to - stretch.from > 80;
    const text = said
      ? svgText((stretch.from + stretch.to) / 2, stretch.top + stretch.height / 2, 'no data', words)
      : '';
    return area(stretch, 'fill="url(#hatch)"', stretch) + text;
  });
  const tint = provisional ? area(provisional, `fill="${ink}" fill-opacity="0.04"`) : '';
  const wide = provisional !== null && provisional.to - provisional.from > 110;
  const changes = wide
    ? svgText(provisional.from + 6, top + 12, 'may still change', { fill: quiet, size: 11 })
    : '';
  const notches = missing.map(
    ({ from, to, y, height, colour }) =>
      `<line x1="${from.toFixed(1)}" x2="${Math.max(to, from + 2).toFixed(1)}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" stroke="${colour}" stroke-width="${height.toFixed(1)}" stroke-dasharray="1.2 3.4"/>`,
  );
  return [hatch, ...none, tint, changes, ...notches].join('');
}

function peaksSvg({ peaks }: Still, { ink, ground }: BaseColours): string {
  return peaks
    .map(({ x, y, colour, mark, number, label }) => {
      const at = x.toFixed(1);
      if (label) {
        const { left, right, bottom } = label.box;
        const style = { fill: ink, size: PEAK_LABEL_PX, anchor: 'middle', halo: ground } as const;
        return `<circle cx="${at}" cy="${y.toFixed(1)}" r="${DOT_PX}" fill="${colour}" stroke="${ground}"/>${svgText((left + right) / 2, bottom - 4, label.text, style)}`;
      }
      if (mark === 'tick') {
        return `<line x1="${at}" x2="${at}" y1="${(y - 3).toFixed(1)}" y2="${(y + 3).toFixed(1)}" stroke="${colour}" stroke-width="1.6"/>`;
      }
      const ring = `<circle cx="${at}" cy="${y.toFixed(1)}" r="${RING_PX / 2}" fill="${ground}" stroke="${colour}" stroke-width="1.4"/>`;
      const style = { fill: ink, size: 10, weight: 600, anchor: 'middle' } as const;
      return ring + svgText(x, y + 3.6, String(number), style);
    })
    .join('');
}

/** Replaces double quotes in font names, which the renderer writes unescaped into attributes. */
function quotable<T>(value: T): T {
  if (Array.isArray(value)) return value.map(quotable) as T;
  if (!(value instanceof Object) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => [
    key,
    key === 'fontFamily' && typeof part === 'string' ? part.replaceAll('"', "'") : quotable(part),
  ]);
  return Object.fromEntries(entries) as T;
}

/** Draws an option as an SVG document, without a page. */
export function optionSvg(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const curves = { of: () => quotable(option.curves.of()) };
    const quoted = { ...quotable(option), curves };
    chart.setOption(quoted as unknown as Parameters<typeof chart.setOption>[0]);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** Draws a chart with its marks, notes, peaks and names as part of an SVG document. */
export function chartSvg(still: Still, colours: BaseColours, x: number, y: number): string {
  const { option, width, height, names } = still;
  const lines = optionSvg(option, width, height).replace(/^[^]*?<svg /, `<svg x="${x}" y="${y}" `);
  const named = names.map(({ x, y, colour, text, faint }) =>
    svgText(x, y + 4, cutTo(text, END_NAME_PX, width - x), {
      fill: colour,
      size: END_NAME_PX,
      weight: faint ? 400 : 600,
      halo: colours.ground,
    }),
  );
  const noted = svgOf([...noteShapes(still, colours), ...markShapes(still, colours)]);
  const over = `${noted}${peaksSvg(still, colours)}${named.join('')}`;
  const group = (of: string): string => `<g transform="translate(${x} ${y})">${of}</g>`;
  return group(incompleteSvg(still, colours)) + lines + group(over);
}
