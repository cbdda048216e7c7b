import { bucketAt } from '#core/series/window.ts';
import type { ChartSeries, ChartState } from './chart.svelte.ts';
import { placePeaks, type ChartPeak, type PlacedPeak } from './peaks.ts';

/** Where the rings of peaks stand above what is drawn of their series; those out of view have none. */
export function ringsOf(
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
