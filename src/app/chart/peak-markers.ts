import { bucketAt } from '#core/series/window.ts';
import type { ChartPeak, ChartSeries } from './chart-props.ts';
import type { ChartState } from './chart.svelte.ts';

/** A peak with the position of its point, px. */
interface PeakPoint extends ChartPeak {
  readonly x: number;
  readonly y: number;
}

/** A peak with the position of its mark, px. */
export interface PlacedPeak extends PeakPoint {
  /** Whether the mark is a small ring without a number. */
  readonly small: boolean;
}

/** Width of a ring, the gap between two, and its distance above its point, px. */
export const RING_PX = 16;
const APART_PX = 2;
const ABOVE_PX = 14;

/** More rings than this hide the curve. */
const MOST_RINGS = 8;

/** Distance of a small ring above its point, px. */
const SMALL_ABOVE_PX = 7;

/** Offsets for a ring, up and across in units of a ring, nearest to its point first. */
const ELSEWHERE = [0, 1, 2, 3]
  .flatMap((up) => [0, -1, 1].map((across) => ({ up, across })))
  .sort((a, b) => Math.hypot(a.up, 2 * a.across) - Math.hypot(b.up, 2 * b.across));

/**
 * Places numbered rings above the points of the largest peaks, and small ones above the others. If two numbered ones
 * would overlap, the one with the smaller count moves up or aside; without room near its point it becomes small.
 *
 * @param top - Top of the plot, px: the highest middle of a ring.
 */
export function placePeaks(peaks: readonly PeakPoint[], top: number): PlacedPeak[] {
  const out: PlacedPeak[] = [];
  const small: PlacedPeak[] = [];
  const room = RING_PX + APART_PX;
  for (const peak of [...peaks].sort((a, b) => b.count - a.count || a.number - b.number)) {
    const places = out.length < MOST_RINGS ? ELSEWHERE : [];
    const place = places
      .map(({ up, across }) => ({
        x: peak.x + across * room,
        y: peak.y - ABOVE_PX - up * room,
      }))
      .find(
        ({ x, y }, i) =>
          (i === 0 || y >= top) &&
          out.every((one) => Math.hypot(one.x - x, one.y - Math.max(top, y)) >= room),
      );
    if (place) out.push({ ...peak, x: place.x, y: Math.max(top, place.y), small: false });
    else small.push({ ...peak, y: peak.y - SMALL_ABOVE_PX, small: true });
  }
  return [...small, ...out];
}

/** Rings of the peaks in view, above the lines or bars of their series. */
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
  return placePeaks(rings, chart.plot.top);
}
