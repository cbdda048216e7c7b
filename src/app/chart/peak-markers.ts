import { bucketAt } from '#core/series/window.ts';
import type { ChartPeak, ChartSeries } from './chart-props.ts';
import type { ChartState } from './chart.svelte.ts';

/** A peak with the position of its ring, px. */
export interface PlacedPeak extends ChartPeak {
  readonly x: number;
  readonly y: number;
}

/** Width of a ring, the gap between two, and its distance above its point, px. */
export const RING_PX = 16;
const APART_PX = 2;
const ABOVE_PX = 14;

/** Offsets for a ring, up and across in units of a ring, nearest to its point first. */
const ELSEWHERE = [0, 1, 2, 3]
  .flatMap((up) => [0, -1, 1].map((across) => ({ up, across })))
  .sort((a, b) => Math.hypot(a.up, 2 * a.across) - Math.hypot(b.up, 2 * b.across));

/**
 * Places rings above their points. If two would overlap, the one with the smaller count moves up or aside. It is
 * omitted only if there is no room near its point.
 *
 * @param peaks - With the positions of their points, px.
 * @param top - Top of the plot, px: the highest middle of a ring.
 */
export function placePeaks(peaks: readonly PlacedPeak[], top: number): PlacedPeak[] {
  const out: PlacedPeak[] = [];
  const room = RING_PX + APART_PX;
  for (const peak of [...peaks].sort((a, b) => b.count - a.count || a.number - b.number)) {
    const place = ELSEWHERE.map(({ up, across }) => ({
      x: peak.x + across * room,
      y: peak.y - ABOVE_PX - up * room,
    })).find(
      ({ x, y }, i) =>
        (i === 0 || y >= top) &&
        out.every((one) => Math.hypot(one.x - x, one.y - Math.max(top, y)) >= room),
    );
    if (place) out.push({ ...peak, x: place.x, y: Math.max(top, place.y) });
  }
  return out.sort((a, b) => a.x - b.x);
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
