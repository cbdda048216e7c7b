import { stillOf, type Still } from '#app/chart/draw/still.ts';
import { cutTo, wrappedRows, textWidth } from '#app/chart/draw/text-width.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { chartSvg, END_NAME_PX } from './chart-svg.ts';
import { escaped } from './markup.ts';
import { svgOf, text, svgText, type Shape } from './shapes.ts';
import {
  type SlideBox,
  type SlideInput,
  SLIDES,
  legendOf,
  peakRows,
  slideCauseRows,
} from './slide-rows.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

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

export const EDGE_PX = 40;
const TITLE_PX = { max: 26, min: 20 };
/** Height of a further line of the title. */
const TITLE_ROW_PX = 26;
export const SUBTITLE_PX = 13.5;
export const HEAD_PX = 92;
const FOOT_PX = 44;
const FOOT_TEXT_PX = 11;
/** Height of a further row of the foot. */
const FOOT_ROW_PX = 14;
/** Between the facts of a foot. */
export const FACT_GAP = ' · ';
/** Instead of the head and the foot. */
const BARE = { head: 4, below: 4 };

/** The axis labels of the chart begin about as far right as the title. */
export const INSET_PX = 14;

/** The title: smaller if it is long, in two lines if it is longer, and cut off if it is very long. */
export function slideTitle(title: string, fill: string, room: number) {
  const { max, min } = TITLE_PX;
  const size = Math.max(min, Math.min(max, (max * room) / Math.max(1, textWidth(title, max))));
  const [first = '', ...rest] = wrappedRows([title], size, room);
  const rows = rest.length === 0 ? [first] : [first, cutTo(rest.join(' '), size, room)];
  const svg = rows.map((row, i) =>
    svgText(EDGE_PX, EDGE_PX + 18 + i * TITLE_ROW_PX, cutTo(row, size, room), {
      fill,
      size: Math.floor(size),
      weight: 650,
    }),
  );
  return { svg: svg.join(''), size: Math.floor(size), more: (rows.length - 1) * TITLE_ROW_PX };
}

/** Breaks a foot between its facts into rows no wider than a room in px; a fact that is wider has a row of its own. */
function footRows(foot: string, room: number): string[] {
  const rows: string[] = [];
  for (const fact of foot.split(FACT_GAP)) {
    const row = rows.at(-1);
    const longer = row === undefined ? fact : row + FACT_GAP + fact;
    if (row !== undefined && textWidth(longer, FOOT_TEXT_PX) > room) rows.push(fact);
    else rows.splice(-1, 1, longer);
  }
  return rows;
}

/**
 * The foot of a slide and the line above it, in a second row if its facts do not fit into one.
 *
 * @param slide - Its size, px.
 */
export function slideFootRows(
  foot: string,
  { width, height }: { readonly width: number; readonly height: number },
  { quiet, hairline }: Pick<BaseColours, 'quiet' | 'hairline'>,
): { readonly shapes: readonly Shape[]; readonly height: number } {
  const room = width - 2 * EDGE_PX;
  let rows = footRows(foot, room);
  // No single word in the last row.
  for (let within = room; rows.length > 1 && within > 0; within -= FOOT_ROW_PX) {
    const even = footRows(foot, within);
    if (even.length > rows.length) break;
    rows = even;
  }
  const more = (rows.length - 1) * FOOT_ROW_PX;
  const y = height - FOOT_PX - more + 8;
  const lines = rows.map((row, i) =>
    text(EDGE_PX, height - 16 - more + i * FOOT_ROW_PX, cutTo(row, FOOT_TEXT_PX, room), {
      fill: quiet,
      size: FOOT_TEXT_PX,
    }),
  );
  const line = { is: 'line', x1: EDGE_PX, x2: width - EDGE_PX, y1: y, y2: y } as const;
  return { shapes: [{ ...line, stroke: hairline }, ...lines], height: FOOT_PX + more };
}

/** The part of a slide that a drawing has, px. */
interface SlideRoom extends SlideBox {
  readonly top: number;
  readonly bottom: number;
}

/** A slide around any drawing. */
export interface SlidePage extends Pick<
  SlideInput,
  'shape' | 'title' | 'subtitle' | 'foot' | 'bare'
> {
  readonly colours: BaseColours;
  /** Draws the content as SVG. `words` continue the text for those who do not see it; empty if there are none. */
  readonly draw: (room: SlideRoom) => { readonly svg: string; readonly words: string };
}

/** Draws a slide as one SVG document: title, subtitle, content and foot. Without an embedded font, it uses the viewer's own. */
export function slidePage(page: SlidePage, font: EmbeddedFont | null): Picture {
  const { shape, colours, title, subtitle, foot, bare = false } = page;
  const { width } = SLIDES[shape];
  const least = bare ? BARE.head : HEAD_PX;
  const less = bare ? HEAD_PX - BARE.head + FOOT_PX - BARE.below : 0;
  const height = SLIDES[shape].height - less;
  const { ink, quiet, ground } = colours;
  const edge = bare ? 0 : EDGE_PX;
  const room = width - 2 * edge;
  const heading = slideTitle(title, ink, room);
  const top = bare ? least : least + heading.more;
  const footing = slideFootRows(foot, { width, height }, colours);
  const below = bare ? BARE.below : footing.height;
  const { svg: content, words } = page.draw({ edge, room, top, bottom: height - below });
  const face = font
    ? `<style>@font-face{font-family:'${font.name}';font-weight:100 900;src:url(data:font/woff2;base64,${font.base64}) format('woff2')}</style>`
    : '';
  const around = bare
    ? []
    : [
        heading.svg,
        svgText(EDGE_PX, EDGE_PX + 40 + heading.more, cutTo(subtitle, SUBTITLE_PX, room), {
          fill: quiet,
          size: SUBTITLE_PX,
        }),
        svgOf(footing.shapes),
      ];
  const paper = `<rect width="${width}" height="${height}" fill="${ground}"/>`;
  const body = [paper, ...around, content].join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(colours.font)}" role="img" aria-label="${escaped(`${title}. ${subtitle}${words}`)}">${face}${body}</svg>`;
  return { svg, width, height };
}

const NO_ROWS = { svg: '', height: 0 };

/** True if every curve has its whole name at its end, so that a legend would only repeat the names. */
function isNamed({ names, width }: Still, { data }: Shown): boolean {
  const whole = names.filter(({ x, text }) => x + textWidth(text, END_NAME_PX) <= width);
  return data.series.every(({ name }) => whole.some(({ text }) => text === name));
}

/**
 * Draws the slide of a chart: a legend if the chart lacks the room for a name, the chart with names at the ends of its
 * lines, what the marks of peaks stand for, and the causes of one.
 */
export function slideOf(input: SlideInput, font: EmbeddedFont | null): Picture {
  const { shown } = input;
  const colours = shown.style.colours.base;
  const draw: SlidePage['draw'] = ({ edge, room, top: head, bottom: end }) => {
    const peaks = peakRows(input, { edge, room });
    const causes = slideCauseRows(input.causes, colours, { edge, room });
    const bottom = end - peaks.height - causes.height;
    const whole = stillOf(shown, room + INSET_PX, bottom - head);
    const legend = isNamed(whole, shown) ? NO_ROWS : legendOf(input, { edge, room }, head);
    const top = head + legend.height;
    const still = legend.height === 0 ? whole : stillOf(shown, room + INSET_PX, bottom - top);
    const svg = [
      legend.svg,
      chartSvg(still, colours, edge - INSET_PX, top),
      svgOf(peaks.shapesAt(bottom + 2, still.peaks)),
      svgOf(causes.shapesAt(bottom + 2 + peaks.height)),
    ];
    return { svg: svg.join(''), words: causes.words };
  };
  return slidePage({ ...input, colours, draw }, font);
}
