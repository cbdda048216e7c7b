import type { ChartPeak } from '#app/chart/chart-props.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { drawnDash } from '#app/ui/series-style.ts';
import type { Still } from '#app/chart/draw/still.ts';
import { DOT_PX } from '#app/chart/interact/peak-markers.ts';
import { cutTo, textWidth } from '#app/chart/draw/text-width.ts';
import { text, svgText, type Shape } from './shapes.ts';
import type { BaseColours } from '#app/chart/draw/chart-picture.ts';

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

const ENTRY_PX = 12;
const ROW_PX = 20;
const SWATCH_PX = 20;
/** Width of a share, px. */
const SHARE_PX = 34;

/** Minimum width of a column that explains peaks, px. */
const PEAK_COLUMN_PX = 205;
/** Size of what explains a peak. */
export const PEAK_PX = 11;

/** The left edge of what a slide shows, and its width, px. */
export interface SlideBox {
  readonly edge: number;
  readonly room: number;
}

/** A grid of equally wide columns, filled row by row. */
interface DrawnRows {
  readonly svg: string;
  readonly height: number;
}

/** The names of the curves in equally wide columns, each after its colour and dash. */
export function legendOf(
  { shown }: SlideInput,
  { edge, room: width }: SlideBox,
  top: number,
): DrawnRows {
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
export function peakRows({ shown, peakText }: SlideInput, { edge, room: width }: SlideBox) {
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
  { edge, room }: SlideBox,
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
