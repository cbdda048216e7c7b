import { bucketAt } from '#core/series/window.ts';
import type { ChartPeak, ChartSeries } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import { textWidth } from '#app/chart/draw/text-width.ts';
import { NOTE_TEXT_PX } from '#app/chart/notes/notes.ts';

/** A peak with the position of its point, px. */
interface PeakPoint extends ChartPeak {
  readonly x: number;
  readonly y: number;
}

/** A peak with the position of its mark, px. */
export interface PlacedPeak extends PeakPoint {
  /** True if the mark is a tick without a number. */
  readonly tick: boolean;
}

/** Width of a ring, the gap between two, and its distance above its point, px. */
export const RING_PX = 16;
const APART_PX = 2;
const ABOVE_PX = 14;
/** The distance of the middle of a ring from the top of the plot, below a note or next to it, px. */
const NOTE_APART_PX = 7;

/** Distance of the middle of a tick above its point, px. */
const TICK_ABOVE_PX = 7;

/** Offsets for a ring, up and across in units of a ring, nearest to its point first. */
const ELSEWHERE = [0, 1, 2, 3]
  .flatMap((up) => [0, -1, 1].map((across) => ({ up, across })))
  .sort((a, b) => Math.hypot(a.up, 2 * a.across) - Math.hypot(b.up, 2 * b.across));

/**
 * Places one numbered ring for each moment, above its highest point, and a tick above every other peak. If two rings
 * would overlap, the one with the larger number moves up or aside; without room near its point it becomes a tick.
 *
 * @param top - The highest middle of a ring at a distance from the left, px.
 * @param right - Right edge of the plot, px: no ring moves beyond it.
 */
export function placePeaks(
  peaks: readonly PeakPoint[],
  top: (x: number) => number,
  right = Infinity,
): PlacedPeak[] {
  const rings: PlacedPeak[] = [];
  const ticks: PlacedPeak[] = [];
  const room = RING_PX + APART_PX;
  const rank = ({ number }: PeakPoint): number => number ?? Infinity;
  const taken = new Set<number | null>([null]);
  for (const peak of peaks.toSorted((a, b) =>
    rank(a) === rank(b) ? a.y - b.y : rank(a) - rank(b),
  )) {
    const places = taken.has(peak.number) ? [] : ELSEWHERE;
    taken.add(peak.number);
    const place = places
      .map(({ up, across }) => ({
        x: peak.x + across * room,
        y: peak.y - ABOVE_PX - up * room,
      }))
      .find(
        ({ x, y }, i) =>
          (i === 0 || (y >= top(x) && x <= right)) &&
          rings.every((ring) => Math.hypot(ring.x - x, ring.y - Math.max(top(x), y)) >= room),
      );
    if (place) rings.push({ ...peak, x: place.x, y: Math.max(top(place.x), place.y), tick: false });
    else ticks.push({ ...peak, y: peak.y - TICK_ABOVE_PX, tick: true });
  }
  return [...ticks, ...rings];
}

/** Marks of the peaks in view, above the lines or bars of their series. */
export function peakMarkers(
  chart: ChartState,
  series: readonly ChartSeries[],
  peaks: readonly ChartPeak[],
): PlacedPeak[] {
  const bounds = series[0]?.curve.bounds ?? new Float64Array(0);
  const right = chart.plot.left + chart.plotWidth;
  const rings = peaks.flatMap((peak) => {
    const i = bucketAt(bounds, peak.at);
    if (i < 0) return [];
    const x = chart.x(((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2);
    if (x < chart.plot.left || x > right) return [];
    const top = chart.topOf(peak.seriesId, i);
    return Number.isNaN(top) ? [] : [{ ...peak, x, y: chart.y(top, peak.seriesId) }];
  });
  const { left, top } = chart.plot;
  const note = chart.notes.at(-1);
  // A ring does not cover a note above the plot; next to it there is room.
  const noteEnd = note === undefined ? 0 : left + textWidth(note, NOTE_TEXT_PX) + RING_PX;
  const highest = (x: number): number =>
    note === undefined ? top : x > noteEnd ? top - NOTE_APART_PX : top + NOTE_APART_PX;
  return placePeaks(rings, highest, right);
}
