import { withArticle } from '#core/format/plural.ts';
import { NOTE_PX } from '#app/chart/chart.svelte.ts';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import { isQuotient } from '#app/chart/draw/axes.ts';
import { gridOf } from '#app/chart/draw/grid.ts';
import { gridColumns, figureOf, type ChartLayout } from '#app/chart/draw/layout.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { cutTo, wrappedRows } from '#app/chart/draw/text-width.ts';
import { notesOn } from '#app/chart/notes/dated-notes.ts';
import { marksOn } from '#app/chart/notes/marks.ts';
import { figureNotes, NOTE_TEXT_PX } from '#app/chart/notes/notes.ts';
import { drawnDash } from '#app/ui/series-style.ts';
import { DATE, TIME, uniqueLabels } from '#core/export/csv.ts';
import { STATE } from '#core/series/series.ts';
import { trackOf } from '#core/series/trend.ts';
import { bucketAt } from '#core/series/window.ts';
import { wallTime } from '#core/time/zone.ts';
import { markShapes, noteShapes } from './note-shapes.ts';
import { text } from './shapes.ts';
import {
  slideCauseRows,
  EDGE_PX,
  HEAD_PX,
  INSET_PX,
  legendOf,
  numberedPeaks,
  peakRows,
  SLIDES,
  SUBTITLE_PX,
  slideFootRows,
  slideTitle,
  type SlideInput,
} from './slide.ts';
import { COUNTS_SHEET } from './xlsx.ts';
import type { Deck, DeckSeries } from '#app/export/pptx/deck.ts';
import { START_LOCAL, type XlsxJob } from '#app/export/xlsx/counts-sheet.ts';
import type { PlainSheet } from '#app/export/xlsx/plain-sheet.ts';

/** Most points of a series: the pixels of a projector. More are merged, as on the drawn slide. */
const MOST_POINTS = 4_000;
/** The sheet of drawn values, where these are not the counts. */
const DRAWN_SHEET = 'Chart';
/** Around the plot, px: for the labels of its axes. */
const PLOT_PX = { left: 52, top: 14, right: 14, second: 48, bottom: 28 };

/** The counts in view, as the workbook behind the chart has them. */
type Book = Pick<XlsxJob, 'bounds' | 'series' | 'timed'>;

/** The points of a chart: the instants between which they lie, one more than points, and the values of each line. */
interface Points {
  readonly bounds: readonly number[];
  readonly lines: readonly {
    readonly series: ChartSeries;
    /** Of the earlier periods; null for the time in view. */
    readonly period: number | null;
    readonly name: string;
    readonly values: readonly number[];
  }[];
  /** True for points of unfinished buckets. */
  readonly open: readonly boolean[];
  /** Buckets in each. */
  readonly step: number;
}

/** True if the drawn values are the counts, so that the chart can refer to the sheet that equals a CSV. */
function areCounts({ data, style }: Shown, { stacked }: ChartLayout, { bounds, series }: Book) {
  const fits = (i: number): boolean => {
    const column = series.map(({ counts }) => counts[i] ?? Number.NaN);
    // A stack has no column where one of its parts is missing.
    return column.every((value) => value >= 0) || column.every((value) => Number.isNaN(value));
  };
  return (
    style.trend.kind === 'none' &&
    bounds.length - 1 <= MOST_POINTS &&
    data.series.length === series.length &&
    data.series.every(({ name, earlier = [] }, i) => name === series[i]?.label && !earlier[0]) &&
    (!stacked || Array.from({ length: bounds.length - 1 }, (_, i) => fits(i)).every(Boolean))
  );
}

function countPoints({ data }: Shown, { bounds, series }: Book): Points {
  const names = uniqueLabels(series.map(({ label }) => label));
  return {
    bounds: [...bounds],
    lines: data.series.map((each, i) => ({
      series: each,
      period: null,
      name: names[i] ?? '',
      values: [...(series[i]?.counts ?? [])],
    })),
    open: Array.from(series[0]?.counts ?? [], (_, i) =>
      series.some(({ states }) => states[i] === STATE.partial),
    ),
    step: 1,
  };
}

/** The values of the drawn slide, of as many buckets each as leave {@link MOST_POINTS}. */
function drawnPoints({ data, view: { window }, format }: Shown, figure: ChartLayout): Points {
  const tracks = data.series.map(({ curve, pyramid }) => trackOf(curve, pyramid));
  const grid = gridOf(tracks, window, MOST_POINTS);
  const { bounds = new Float64Array() } = data.series[0]?.curve ?? {};
  const columns = gridColumns(grid).filter(
    ({ from }) => (bounds[from] ?? 0) >= window.start && (bounds[from] ?? 0) < window.end,
  );
  const rows = columns.map(({ from, to }) => figure.read(from, to));
  const lines = data.series.flatMap((series) => {
    const { id, name, earlier = [] } = series;
    const at = rows[0]?.findIndex((each) => each.id === id) ?? -1;
    if (at < 0) return [];
    const own = rows.map((row) =>
      Number.isNaN(row[at]?.top) ? Number.NaN : (row[at]?.value ?? 0),
    );
    const pasts = (rows[0]?.[at]?.earlier ?? []).map((_, k) => {
      const period = earlier[k]?.period ?? k;
      const said = `${name}, ${format.earlier[period] ?? 'earlier'}`;
      const values = rows.map((row) => row[at]?.earlier[k] ?? Number.NaN);
      return { series, period, name: said, values };
    });
    return [{ series, period: null, name, values: own }, ...pasts];
  });
  const names = uniqueLabels(lines.map(({ name }) => name));
  return {
    bounds: [...columns.map(({ from }) => bounds[from] ?? 0), bounds[columns.at(-1)?.to ?? 0] ?? 0],
    lines: lines.map((line, i) => ({ ...line, name: names[i] ?? '' })),
    open: columns.map(({ open }) => open),
    step: grid.step,
  };
}

/** The statements of the drawn slide about its curves, and where a native chart differs from it. */
function caveatsOf(shown: Shown, figure: ChartLayout, step: number, open: boolean): string[] {
  const { data, style, view, annotations, format } = shown;
  const { form, scale, trend, forecast, trendLine, target } = style;
  const many = { step, edges: new Float64Array(), open: new Set<number>() };
  const said = figureNotes(step > 1 ? { ...figure, grid: many } : figure, {
    form: form === 'multiples' ? 'line' : form,
    scale,
    trend,
    resolution: view.resolution,
    subtitled: true,
    baseline: data.baseline?.name ?? null,
    quotients: data.series.filter(isQuotient),
  });
  const compared = data.series.some(({ earlier = [] }) => earlier.length > 0);
  return [
    ...said,
    ...(compared ? [`Thin lines: ${format.earlier.join(', ')}`] : []),
    ...(open ? [`Dotted: part of ${withArticle(view.resolution)}`] : []),
    ...(forecast || trendLine || target ? ['Without forecast, trend line and target'] : []),
    ...annotations.notes,
  ];
}

/** The lines of the chart, with the numbers of their peaks. */
function deckSeries({ bounds, lines }: Points, shown: Shown, figure: ChartLayout): DeckSeries[] {
  const { colours, dashed } = shown.style;
  const numbered = numberedPeaks(shown);
  const starts = Float64Array.from(bounds);
  return lines.map(({ series, period, name, values }) => {
    const own = period === null;
    return {
      name,
      values,
      colour: colours.series[series.style.colour - 1] ?? colours.base.ink,
      dash: own ? drawnDash(series.style, dashed) : [3, 2],
      thin: !own,
      right: figure.onRight.has(series.id),
      labels: numbered.flatMap(([number, peak]) => {
        const i = bucketAt(starts, peak.at);
        return own && peak.seriesId === series.id && i >= 0 ? [{ i, text: String(number) }] : [];
      }),
    };
  });
}

/** Columns of the sheet of drawn values; of them a chart of whole days has the first. */
const TIME_COLUMNS = [
  { name: DATE, as: 'date' },
  { name: TIME, as: 'time' },
  { name: START_LOCAL, as: 'instant' },
] as const;

/** The sheet of drawn values. @param walls - Wall times of the points, ms as if they were UTC. */
function drawnSheet({ lines }: Points, walls: readonly number[], timed: boolean): PlainSheet {
  const times = timed ? TIME_COLUMNS : TIME_COLUMNS.slice(0, 1);
  return {
    name: DRAWN_SHEET,
    columns: [
      ...times.map(({ name }) => ({ name, width: 18 })),
      ...lines.map(({ name }) => ({ name, width: 16 })),
    ],
    rows: walls.map((wall, i) => [
      ...times.map(({ as }) => ({ value: wall, as })),
      ...lines.map(({ values }) => ({ value: values[i] ?? Number.NaN, as: 'plain' }) as const),
    ]),
  };
}

/**
 * Lays out the slide of {@link slideOf} for a presentation: its texts as text boxes, and its curves as a chart that can
 * be edited.
 *
 * @param book - The workbook behind the chart.
 * @param method - The speaker's notes.
 * @param at - The time of writing, epoch ms.
 */
export function deckOf(input: SlideInput, book: Book, method: readonly string[], at: number): Deck {
  const { shown, title, subtitle, foot } = input;
  const { data, view, style, annotations } = shown;
  const { width, height } = SLIDES[input.shape];
  const { base, series: accents } = style.colours;
  const room = { edge: EDGE_PX, room: width - 2 * EDGE_PX };
  const { form, trend } = style;
  const { series, baseline = null } = data;
  const figure = figureOf({ series, baseline, form, trend, window: view.window, width: room.room });
  const counts = areCounts(shown, figure, book);
  const points = counts ? countPoints(shown, book) : drawnPoints(shown, figure);
  const { bounds, lines, open, step } = points;
  const size = bounds.length - 1;

  const missing = lines.some(({ values }) => values.some((value) => Number.isNaN(value)));
  const bars = figure.form === 'bars' || (figure.stacked && missing);
  // A native area falls to zero where a value is unknown.
  const kind = bars
    ? 'bar'
    : figure.stacked || (figure.form === 'area' && !missing)
      ? 'area'
      : 'line';

  const heading = slideTitle(title, base.ink, room.room);
  const legend = lines.length > 1 ? Math.max(24, legendOf(input, room, 0).height) : 0;
  const peaks = peakRows(input, room);
  const causes = slideCauseRows(input.causes, base, room);
  const top = HEAD_PX + heading.more;
  const footing = slideFootRows(foot, { width, height }, base);
  const bottom = height - footing.height - peaks.height - causes.height;
  const box = { x: EDGE_PX - INSET_PX, y: top, width: room.room + INSET_PX, height: bottom - top };
  const caveats = caveatsOf(shown, figure, step, kind !== 'area' && open.includes(true));
  const notes = wrappedRows(caveats, NOTE_TEXT_PX, room.room - PLOT_PX.left);
  const plot = {
    left: box.x + PLOT_PX.left,
    right: width - (box.x + box.width) + (figure.right ? PLOT_PX.second : PLOT_PX.right),
    top: top + legend + PLOT_PX.top + NOTE_PX * notes.length,
    bottom: height - bottom + PLOT_PX.bottom,
  };
  const plotWidth = width - plot.left - plot.right;

  /** Points of bars are in the middle of their place; those of lines begin and end at the edges. */
  const x = (time: number): number => {
    const last = bounds.findLastIndex((start) => start <= time);
    const i = Math.max(0, Math.min(size - 1, last));
    const [start = 0, end = 1] = bounds.slice(i, i + 2);
    const part = i + (time - start) / (end - start || 1);
    const across = bars ? part / size : (part - 0.5) / Math.max(1, size - 1);
    return plot.left + across * plotWidth;
  };
  const ground = { x, plot, plotWidth, notes, named: true };
  const over = {
    plot,
    height,
    notes,
    marks: marksOn(ground, annotations.marks),
    dated: notesOn(ground, annotations, 280),
  };
  const walls = bounds.slice(0, -1).map((start) => wallTime(view.table, start));
  const share = figure.form === 'share';
  return {
    width,
    height,
    base,
    accents,
    title: {
      said: title,
      size: heading.size,
      x: EDGE_PX,
      y: 24,
      width: room.room,
      height: 38 + heading.more,
    },
    shapes: [
      text(EDGE_PX, EDGE_PX + 40 + heading.more, cutTo(subtitle, SUBTITLE_PX, room.room), {
        fill: base.quiet,
        size: SUBTITLE_PX,
      }),
      ...noteShapes(over, base),
      ...markShapes(over, base),
      ...peaks.shapesAt(bottom + 2, []),
      ...causes.shapesAt(bottom + 2 + peaks.height),
      ...footing.shapes,
    ],
    notes: [title, subtitle, foot, '', ...caveats, ...method],
    at,
    chart: {
      description: `${title}. ${subtitle}${causes.words}`,
      box,
      plot: {
        x: plot.left,
        y: plot.top,
        width: plotWidth,
        height: height - plot.bottom - plot.top,
      },
      kind,
      grouping: !figure.stacked
        ? kind === 'bar'
          ? 'clustered'
          : 'standard'
        : share && counts
          ? 'percentStacked'
          : 'stacked',
      full: bars && figure.form !== 'bars',
      share,
      log: style.scale === 'log' && lines.every(({ values }) => values.every((v) => !(v <= 0))),
      unit: { left: figure.left.unit, right: figure.right?.unit ?? null },
      legend: lines.length > 1,
      sheet: counts ? COUNTS_SHEET : DRAWN_SHEET,
      resolution: view.resolution,
      order: shown.format.formatter.order,
      timed: book.timed,
      walls,
      open,
      series: deckSeries(points, shown, figure),
    },
    drawn: counts ? null : drawnSheet(points, walls, book.timed),
  };
}
