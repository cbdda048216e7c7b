import { withArticle } from '#core/format/plural.ts';
import { NOTE_PX } from '#app/chart/chart.svelte.ts';
import { isQuotient } from '#app/chart/draw/axes.ts';
import { figureOf } from '#app/chart/draw/layout.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { cutTo, wrappedRows } from '#app/chart/draw/text-width.ts';
import { notesOn } from '#app/chart/notes/dated-notes.ts';
import { marksOn } from '#app/chart/notes/marks.ts';
import { figureNotes, NOTE_TEXT_PX } from '#app/chart/notes/notes.ts';
import { drawnDash } from '#app/ui/series-style.ts';
import { bucketAt } from '#core/series/window.ts';
import { wallTime } from '#core/time/zone.ts';
import { markShapes, noteShapes } from './note-shapes.ts';
import { text } from './shapes.ts';
import { EDGE_PX, HEAD_PX, INSET_PX, SUBTITLE_PX, slideFootRows, slideTitle } from './slide.ts';
import { COUNTS_SHEET } from './xlsx.ts';
import type { Deck, DeckSeries } from '#app/export/pptx/deck.ts';
import {
  type Points,
  type Book,
  areCounts,
  countPoints,
  drawnPoints,
  DRAWN_SHEET,
  drawnSheet,
} from './deck-points.ts';
import {
  slideCauseRows,
  legendOf,
  numberedPeaks,
  peakRows,
  SLIDES,
  type SlideInput,
} from './slide-rows.ts';
import type { ChartLayout } from '#app/chart/draw/layout-lines.ts';

/** Around the plot, px: for the labels of its axes. */
const PLOT_PX = { left: 52, top: 14, right: 14, second: 48, bottom: 28 };

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
