import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { ChartSnapshot } from '#app/chart/chart-props.ts';
import { NOTE_PX } from '#app/chart/chart.svelte.ts';
// Registers bars too, so that a file shows the same as the screen.
import '#app/chart/bar-chart.ts';
import '#app/chart/echarts.ts';
import type { ChartOption } from '#app/chart/echarts.ts';
import { placeMarks } from '#app/chart/marks.ts';

use([SVGRenderer]);

/** A chart image with everything needed to understand it. */
export interface ImageInput {
  readonly chart: ChartSnapshot;
  readonly title: string;
  /** Range and zone. */
  readonly subtitle: string;
  readonly legend: readonly {
    readonly name: string;
    readonly colour: string;
    /** Lengths of dashes and gaps in px; empty means solid. */
    readonly dash: readonly number[];
  }[];
  /** Source and date. */
  readonly foot: string;
}

export interface Picture {
  readonly svg: string;
  /** In px. */
  readonly width: number;
  readonly height: number;
}

/** A font to embed: its name and its woff2 file in base64. */
export interface EmbeddedFont {
  readonly name: string;
  readonly base64: string;
}

const EDGE_PX = 20;
const HEAD_PX = 64;
const FOOT_PX = 30;
const LEGEND_ROW_PX = 22;
const SWATCH_PX = 22;
/** Approximate width of a letter in the legend, px. */
const LETTER_PX = 7;
const SMALL_PX = 12;
const TITLE_PX = 16;
const NAME_MOST = 80;
const MARK_MOST = 48;

/** Escapes a text for XML and removes characters that XML does not allow. */
function xml(text: string): string {
  return [...text]
    .filter((sign) => {
      const code = sign.codePointAt(0) ?? 0;
      const control = code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d;
      return !control && code !== 0xfffe && code !== 0xffff && (code < 0xd800 || code > 0xdfff);
    })
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

interface Style {
  readonly fill: string;
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Outline of the letters, so that lines behind do not cross them. */
  readonly halo?: string;
}

function text(x: number, y: number, said: string, style: Style): string {
  const { fill, size = SMALL_PX, weight = 400, anchor = 'start', halo } = style;
  const around = halo ? ` stroke="${halo}" stroke-width="3" paint-order="stroke"` : '';
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="${fill}"${around}>${xml(said)}</text>`;
}

/** Vertical lines at dates with their labels, as on screen. */
function marksSvg({ marks, notes, plot, width, height, colours }: ChartSnapshot): string {
  const { ink, quiet, ground } = colours.base;
  const [left, right, bottom] = [plot.left, width - plot.right, height - plot.bottom];
  const over = notes.length * NOTE_PX;
  const base = (row: number): number =>
    row === 0 ? plot.top - 4 - over : plot.top - 3 + row * NOTE_PX;
  const inside = marks
    .filter(({ x }) => x >= left && x <= right)
    .map((mark) => ({ ...mark, text: cut(mark.text, MARK_MOST) }));
  const placed = placeMarks(inside, left, right).map(({ x, row, side, text: said }) => {
    const line = `<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${base(row) - 9}" y2="${bottom}" stroke="${quiet}" stroke-dasharray="1.5 3"/>`;
    const before = side === 'before';
    const anchor = before ? 'end' : 'start';
    return (
      line + text(before ? x - 5 : x + 5, base(row), said, { fill: ink, anchor, halo: ground })
    );
  });
  const said = notes.map((note, row) =>
    text(left, plot.top - 5 - over + (row + 1) * NOTE_PX, note, { fill: ink, halo: ground }),
  );
  return [...placed, ...said].join('');
}

function peaksSvg({ peaks, colours }: ChartSnapshot): string {
  const { ink, ground } = colours.base;
  return peaks
    .map(({ x, y, colour, text: said }) => {
      const at = x.toFixed(1);
      if (said === '') {
        return `<line x1="${at}" x2="${at}" y1="${(y - 3).toFixed(1)}" y2="${(y + 3).toFixed(1)}" stroke="${colour}" stroke-width="1.6"/>`;
      }
      const ring = `<circle cx="${at}" cy="${y.toFixed(1)}" r="5" fill="${ground}" fill-opacity="0.6" stroke="${colour}" stroke-width="1.6"/>`;
      return ring + text(x, y - 9, said, { fill: ink, anchor: 'middle', halo: ground });
    })
    .join('');
}

/** The legend: names of the curves in rows, each after its colour and dash. */
function legendSvg(input: ImageInput, width: number, top: number): { svg: string; rows: number } {
  let [x, row] = [EDGE_PX, 0];
  const parts = input.legend.map(({ name, colour, dash }) => {
    const said = cut(name, NAME_MOST);
    const size = SWATCH_PX + 6 + said.length * LETTER_PX + 18;
    if (x > EDGE_PX && x + size > width - EDGE_PX) [x, row] = [EDGE_PX, row + 1];
    const y = top + row * LEGEND_ROW_PX + 12;
    const pattern = dash.length > 0 ? ` stroke-dasharray="${dash.join(' ')}"` : '';
    const line = `<line x1="${x}" x2="${x + SWATCH_PX}" y1="${y - 4}" y2="${y - 4}" stroke="${colour}" stroke-width="2"${pattern}/>`;
    const svg =
      line + text(x + SWATCH_PX + 6, y, said, { fill: input.chart.colours.base.ink, size: 13 });
    x += size;
    return svg;
  });
  return { svg: parts.join(''), rows: row + 1 };
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

/** Draws a chart as an SVG document, without a page. */
export function chartSvg(option: ChartOption, width: number, height: number): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(quotable(option) as unknown as Parameters<typeof chart.setOption>[0]);
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/**
 * Draws a chart with its title, legend, range, source and date as one SVG document, with the same background as on
 * screen. Without an embedded font, it uses the viewer's own.
 */
export function pictureOf(input: ImageInput, font: EmbeddedFont | null): Picture {
  const { chart, title, subtitle, foot } = input;
  const { ink, quiet, ground, font: family } = chart.colours.base;
  const { width } = chart;
  const legendTop = HEAD_PX + Math.ceil(chart.height) + 6;
  const legend = legendSvg(input, width, legendTop);
  const height = legendTop + legend.rows * LEGEND_ROW_PX + FOOT_PX;
  const face = font
    ? `<style>@font-face{font-family:'${font.name}';font-weight:100 900;src:url(data:font/woff2;base64,${font.base64}) format('woff2')}</style>`
    : '';
  const body = [
    `<rect width="${width}" height="${height}" fill="${ground}"/>`,
    text(EDGE_PX, 30, title, { fill: ink, size: TITLE_PX, weight: 640 }),
    text(EDGE_PX, 50, subtitle, { fill: quiet }),
    chartSvg(chart.option, width, chart.height).replace(
      /^[^]*?<svg /,
      `<svg x="0" y="${HEAD_PX}" `,
    ),
    `<g transform="translate(0 ${HEAD_PX})">${marksSvg(chart)}${peaksSvg(chart)}</g>`,
    legend.svg,
    text(EDGE_PX, height - 12, foot, { fill: quiet }),
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${xml(family)}" role="img" aria-label="${xml(`${title}. ${subtitle}`)}">${face}${body.join('')}</svg>`;
  return { svg, width, height };
}
