import type { ChartAnnotations, ChartSeries } from '#app/chart/chart-props.ts';
import { NOTE_PX, type ChartState } from '#app/chart/chart.svelte.ts';
import { endNames } from '#app/chart/draw/end-labels.ts';
import { analysisCurves } from '#app/chart/draw/picture.ts';
import { textWidth } from '#app/chart/draw/text-width.ts';
import { NOTE_ROW_PX, notesOn } from '#app/chart/notes/dated-notes.ts';
import { marksOn } from '#app/chart/notes/marks.ts';
import { NOTE_TEXT_PX } from '#app/chart/notes/notes.ts';
import { bucketAt } from '#core/series/window.ts';
import { placePeaks, type MarkBox, type PeakPoint, type PlacedPeak } from './peak-markers.ts';

/** A drawn line. */
export interface PxLine {
  /** Interleaved `x, y`, px, ascending by `x`; the line has a gap at each NaN. */
  readonly points: Float64Array;
  /** Distance to either side of its points that is drawn too, px. */
  readonly reach: number;
  /** True if the area below it is filled. */
  readonly filled: boolean;
}

/** True if a line or its fill reaches into a box. */
export function lineCovers({ points, reach, filled }: PxLine, box: MarkBox): boolean {
  const [left, right] = [box.left - reach, box.right + reach];
  // The first point that is not left of the box; the one before it may be on a line into it.
  let [first, end] = [0, points.length >> 1];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (points[2 * middle]! < left) first = middle + 1;
    else end = middle;
  }
  for (let i = first; 2 * i < points.length; i += 1) {
    const [x, y] = [points[2 * i]!, points[2 * i + 1]!];
    const beforeX = points[2 * i - 2] ?? x;
    const beforeY = points[2 * i - 1] ?? Number.NaN;
    const at = (edge: number): number =>
      beforeY + ((y - beforeY) * (edge - beforeX)) / (x - beforeX);
    // A lone point is drawn too.
    const isLine = !Number.isNaN(beforeY) && x > beforeX;
    const from = isLine ? at(Math.max(left, beforeX)) : y;
    const to = isLine && x > right ? at(right) : y;
    const isInside = isLine || x <= right;
    const low = filled ? Infinity : Math.max(from, to);
    if (isInside && Math.min(from, to) < box.bottom && low > box.top) return true;
    if (x > right) return false;
  }
  return false;
}

/** Radius of the open point of an unfinished bucket, px. */
const OPEN_PX = 4;

/** All lines and bars of a chart. */
function drawnLines(chart: ChartState): PxLine[] {
  const { figure, scale } = chart;
  const x = chart.positions();
  const placed = (points: Float64Array, y: (value: number) => number): Float64Array =>
    points.map((value, i) => (i % 2 === 0 ? x(value) : y(value)));
  const drawn = [...figure.parts].flatMap(([id, { line, rings, earlier, barWidth = 0 }]) => {
    const y = chart.heights(id);
    const px = (points: Float64Array): Float64Array => placed(points, y);
    const lone = Array.from(rings, (value, i) =>
      i % 2 === 0 ? value : [value, rings[i - 1]!, NaN],
    ).flat();
    const filled = !figure.onRight.has(id) && figure.form !== 'line';
    return [
      { points: px(line), reach: barWidth / 2 + Math.abs(barOffset(chart, id)), filled },
      { points: px(Float64Array.from(lone)), reach: OPEN_PX, filled: false },
      ...earlier.map(({ line: past }) => ({ points: px(past), reach: 0, filled: false })),
    ];
  });
  const { top, height } = chart.band();
  const share = (at: number): number => (at - scale.low) / (scale.high - scale.low);
  const more = analysisCurves(chart).map(({ points = new Float64Array(0) }) => ({
    points: placed(points, (at) => top + (1 - share(at)) * height),
    reach: 0,
    filled: false,
  }));
  return [...drawn, ...more].filter(({ points }) => points.length > 0);
}

/** Height of a name over a row, px. */
const ROW_NAME_PX = 14;
const NAME_MOST_PX = 118;

/** The texts and uprights of a chart, which no mark of a peak covers. */
function takenBoxes(
  chart: ChartState,
  series: readonly ChartSeries[],
  annotations: Pick<ChartAnnotations, 'marks' | 'dated'>,
): MarkBox[] {
  const { plot, notes } = chart;
  const bottom = plot.top + chart.plotHeight;
  const dated = notesOn(chart, annotations);
  return [
    ...notes.map((note, row): MarkBox => {
      const base = plot.top - 5 - (notes.length - 1 - row) * NOTE_PX;
      const width = textWidth(note, NOTE_TEXT_PX);
      return { left: plot.left, right: plot.left + width, top: base - 11, bottom: base + 3 };
    }),
    ...marksOn(chart, annotations.marks).flatMap(({ x, base, from, to }): MarkBox[] => [
      { left: x - 1, right: x + 1, top: base - 9, bottom },
      { left: from, right: to, top: base - 11, bottom: base + 3 },
    ]),
    ...dated.notes.flatMap(({ from, begins, label }): MarkBox[] => [
      ...(begins ? [{ left: from - 1, right: from + 1, top: plot.top, bottom }] : []),
      ...(label
        ? [
            {
              left: label.left,
              right: label.left + label.width,
              top: dated.top + label.row * NOTE_ROW_PX,
              bottom: dated.top + (label.row + 1) * NOTE_ROW_PX,
            },
          ]
        : []),
    ]),
    // At the ends of lines, names are next to the plot.
    ...endNames(chart, series, []).flatMap(({ name, x, y }): MarkBox[] => {
      if (x === null) return [];
      const width = Math.min(NAME_MOST_PX, textWidth(name, NOTE_TEXT_PX) + 6);
      return [{ left: x, right: x + width, top: y - ROW_NAME_PX / 2, bottom: y + ROW_NAME_PX / 2 }];
    }),
  ];
}

/** The distance of a series' bars from the middle of their bucket, px: bars next to each other share it. */
function barOffset({ figure }: ChartState, id: number): number {
  if (figure.stacked || figure.form !== 'bars') return 0;
  const bars = [...figure.parts].filter(([, { barWidth }]) => barWidth !== undefined);
  const at = bars.findIndex(([of]) => of === id);
  return at < 0 ? 0 : (at - (bars.length - 1) / 2) * (bars[at]![1].barWidth ?? 0);
}

/** Marks of the peaks in view, above the lines or bars of their series. */
export function peakMarkers(
  chart: ChartState,
  series: readonly ChartSeries[],
  { peaks, ...annotations }: Pick<ChartAnnotations, 'peaks' | 'marks' | 'dated'>,
): PlacedPeak[] {
  const bounds = series[0]?.curve.bounds ?? new Float64Array(0);
  const { left } = chart.plot;
  const right = left + chart.plotWidth;
  const points = peaks.flatMap((peak): PeakPoint[] => {
    const i = bucketAt(bounds, peak.at);
    if (i < 0) return [];
    const x = chart.x(((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2);
    if (x < left || x > right) return [];
    const { seriesId } = peak;
    const top = chart.topOf(seriesId, i);
    if (Number.isNaN(top)) return [];
    return [{ ...peak, x: x + barOffset(chart, seriesId), y: chart.y(top, seriesId) }];
  });
  if (points.length === 0) return [];
  const lines = drawnLines(chart);
  return placePeaks(points, {
    // A ring may reach over the edges of the plot by its half.
    inside: { left: left - 8, right: right + 8, top: 0, bottom: chart.plot.top + chart.plotHeight },
    taken: takenBoxes(chart, series, annotations),
    covers: (box) => lines.some((line) => lineCovers(line, box)),
  });
}
