import type { ChartPeak } from '#app/chart/chart-props.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { drawnDash } from '#app/ui/series-style.ts';
import { stillOf, type Still } from '#app/chart/draw/still.ts';
import { DOT_PX } from '#app/chart/interact/peak-markers.ts';
import { cutTo, wrappedRows, textWidth } from '#app/chart/draw/text-width.ts';
import type { BaseColours } from '#app/chart/draw/option.ts';
import { chartSvg } from './chart-svg.ts';
import { escaped } from './markup.ts';
import { svgOf, text, svgText, type Shape } from './shapes.ts';

/** Sizes of slides in px. */
export const SLIDES = {
  '16:9': { width: 960, height: 540 },
  '4:3': { width: 800, height: 600 },
} as const;
export type SlideShape = keyof typeof SLIDES;

/** The causes of a time, which add up to all its Posts. */
export interface SlideCauses {
  readonly heading: string;
  /** As in SVG. */
  readonly colour: string;
  readonly rows: readonly {
    readonly name: string;
    /** Whole. */
    readonly percent: number;
    /** The same as text. */
    readonly share: string;
    /** True for everything that is no cause. */
    readonly isRest: boolean;
  }[];
}

/** A chart as a slide, with everything needed to understand it. */
export interface SlideInput {
  readonly shape: SlideShape;
  /** Its colours are those of the slide. */
  readonly shown: Shown;
  readonly title: string;
  readonly subtitle: string;
  /** Explains a marked peak: `bakery croissants, 9 Nov 2016: 41,203`. */
  readonly peakText: (peak: ChartPeak) => string;
  /** Source, completeness and date. */
  readonly foot: string;
  /** Under the chart; null for none. */
  readonly causes: SlideCauses | null;
  /** True if title, subtitle and foot are left out, because the page around the picture has them. */
  readonly bare?: boolean;
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
const ENTRY_PX = 12;
const ROW_PX = 20;
const SWATCH_PX = 20;
/** Width of a share, px. */
const SHARE_PX = 34;
/** The axis labels of the chart begin about as far right as the title. */
export const INSET_PX = 14;
/** Minimum width of a column that explains peaks, px. */
const PEAK_COLUMN_PX = 205;
/** Size of what explains a peak. */
export const PEAK_PX = 11;

/** The left edge of what a slide shows, and its width, px. */
export interface Room {
  readonly edge: number;
  readonly room: number;
}

/** A grid of equally wide columns, filled row by row. */
interface Rows {
  readonly svg: string;
  readonly height: number;
}

/** The names of the curves in equally wide columns, each after its colour and dash. */
export function legendOf({ shown }: SlideInput, { edge, room: width }: Room, top: number): Rows {
  const { data, style } = shown;
  const { base, series: colours } = style.colours;
  // The rows of small multiples have their names.
  if (data.series.length < 2 || style.form === 'multiples') return { svg: '', height: 0 };
  const widest = Math.max(...data.series.map(({ name }) => textWidth(name, ENTRY_PX)));
  const wanted = SWATCH_PX + 8 + widest + 28;
  const fitting = Math.max(1, Math.floor((width + 28) / wanted));
  const rows = Math.ceil(data.series.length / fitting);
  // As many in each row as in the next.
  const columns = Math.ceil(data.series.length / rows);
  const column = columns === 1 ? width : wanted;
  const svg = data.series.map(({ name, style: own }, i) => {
    const x = edge + (i % columns) * column;
    const y = top + Math.floor(i / columns) * ROW_PX + 12;
    const dash = drawnDash(own, style.dashed).join(' ');
    const pattern = dash ? ` stroke-dasharray="${dash}"` : '';
    const line = `<line x1="${x}" x2="${x + SWATCH_PX}" y1="${y - 4}" y2="${y - 4}" stroke="${colours[own.colour - 1] ?? base.ink}" stroke-width="2.4"${pattern}/>`;
    const said = cutTo(name, ENTRY_PX, column - SWATCH_PX - 16);
    return line + svgText(x + SWATCH_PX + 8, y, said, { fill: base.ink, size: ENTRY_PX });
  });
  return { svg: svg.join(''), height: rows * ROW_PX + 6 };
}

/** The peaks in view by their number, ascending: of each moment the highest. */
export function numberedPeaks({
  annotations,
  view,
}: Shown): readonly (readonly [number, ChartPeak])[] {
  const { start, end } = view.window;
  const numbered = new Map<number, ChartPeak>();
  for (const peak of annotations.peaks) {
    const { number, at, count } = peak;
    if (number === null || at < start || at >= end) continue;
    if ((numbered.get(number)?.count ?? -1) < count) numbered.set(number, peak);
  }
  return [...numbered].sort(([a], [b]) => a - b);
}

/** The explanations of the marks of peaks, in equally wide columns; one entry for each moment. */
export function peakRows({ shown, peakText }: SlideInput, { edge, room: width }: Room) {
  const { quiet, ink } = shown.style.colours.base;
  const entries = numberedPeaks(shown);
  const texts = entries.map(([, peak]) => peakText(peak));
  const widest = Math.max(0, ...texts.map((said) => textWidth(said, PEAK_PX)));
  const fitting = Math.floor(width / Math.max(PEAK_COLUMN_PX, widest + 30));
  const columns = Math.max(1, Math.min(fitting, entries.length));
  const column = width / columns;
  const shapesAt = (top: number, marked: Still['peaks']): Shape[] =>
    entries.flatMap(([number], i): Shape[] => {
      const dot = marked.find((each) => each.number === number && each.mark === 'dot');
      const x = edge + (i % columns) * column;
      const y = top + Math.floor(i / columns) * (ROW_PX - 3) + 11;
      const said = cutTo(texts[i]!, PEAK_PX, column - 26);
      return [
        dot
          ? { is: 'circle', x: x + DOT_PX, y: y - 4, r: DOT_PX, fill: dot.colour }
          : text(x, y, String(number), { fill: ink, size: PEAK_PX, weight: 600 }),
        text(x + 14, y, said, { fill: quiet, size: PEAK_PX }),
      ];
    });
  const rows = Math.ceil(entries.length / columns);
  return { height: rows === 0 ? 0 : rows * (ROW_PX - 3) + 8, shapesAt };
}

/** Height of the heading of causes, and of the bar under it, px. */
const CAUSES_HEAD_PX = 20;
const CAUSES_BAR_PX = 8;
/** Part of the colour that each further cause has less of. */
const FADE = 0.17;

/** The causes: a bar of their shares, then their names in equally wide columns. */
export function slideCauseRows(
  causes: SlideCauses | null,
  base: BaseColours,
  { edge, room }: Room,
) {
  if (!causes) return { height: 0, words: '', shapesAt: () => [] };
  const { heading, colour, rows } = causes;
  const { ink, quiet, hairline } = base;
  const columns = Math.max(1, Math.min(rows.length, Math.floor(room / PEAK_COLUMN_PX)));
  const column = room / columns;
  const body = CAUSES_HEAD_PX + CAUSES_BAR_PX + 6;
  const look = (i: number) =>
    rows[i]?.isRest ? { fill: hairline } : { fill: colour, opacity: 1 - FADE * i };
  const shapesAt = (top: number): Shape[] => {
    const bold = { fill: ink, size: ENTRY_PX, weight: 600 };
    let from = edge;
    const drawn = rows.flatMap(({ name, percent, share }, i): Shape[] => {
      const wide = (room * percent) / 100;
      const [start, x] = [from, edge + (i % columns) * column];
      from += wide;
      const y = top + body + Math.floor(i / columns) * ROW_PX + 13;
      const said = cutTo(name, ENTRY_PX, column - SHARE_PX - 22);
      const bar = { y: top + CAUSES_HEAD_PX, width: Math.max(0, wide - 1), height: CAUSES_BAR_PX };
      return [
        { is: 'rect', x: start, ...bar, ...look(i) },
        { is: 'rect', x, y: y - 9, width: 9, height: 9, ...look(i) },
        text(x + 15, y, share, bold),
        text(x + 15 + SHARE_PX, y, said, { fill: quiet, size: ENTRY_PX }),
      ];
    });
    return [text(edge, top + 12, cutTo(heading, ENTRY_PX, room), bold), ...drawn];
  };
  return {
    height: body + Math.ceil(rows.length / columns) * ROW_PX + 6,
    words: ` ${heading}: ${rows.map(({ name, share }) => `${share} ${name}`).join(', ')}.`,
    shapesAt,
  };
}

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
interface SlideRoom extends Room {
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

/**
 * Draws the slide of a chart: the names of several curves, the chart with names at the ends of its lines, what the marks
 * of peaks stand for, and the causes of one.
 */
export function slideOf(input: SlideInput, font: EmbeddedFont | null): Picture {
  const { shown } = input;
  const colours = shown.style.colours.base;
  const draw: SlidePage['draw'] = ({ edge, room, top: head, bottom: end }) => {
    const legend = legendOf(input, { edge, room }, head);
    const peaks = peakRows(input, { edge, room });
    const top = head + legend.height;
    const causes = slideCauseRows(input.causes, colours, { edge, room });
    const bottom = end - peaks.height - causes.height;
    const still = stillOf(shown, room + INSET_PX, bottom - top);
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
