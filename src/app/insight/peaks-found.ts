import type { SeriesStyle } from '#app/ui/series-style.ts';
import { MIN_BUCKETS } from '#core/series/baseline.ts';
import { findPeaks, type Peak, type Peaks } from '#core/series/peaks.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';

/** A peak's marker on the chart. */
export interface ChartPeak {
  /** From 1, in order of time across all visible series. */
  readonly number: number;
  /** Start of the summit's bucket, epoch ms. */
  readonly at: number;
  /** Posts of the summit's bucket: the height of the marker. */
  readonly count: number;
  readonly seriesId: number;
}

/** The part of a series needed to find its peaks. */
export interface PeakSeries {
  readonly id: number;
  readonly name: string;
  /** The query whose counts are shown. */
  readonly shown: string;
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  readonly curve: Curve | null;
}

/** A peak with its series. */
export interface SeriesPeak extends ChartPeak {
  /** Unique, and stable as long as its curve. */
  readonly key: string;
  readonly series: PeakSeries;
  readonly curve: Curve;
  readonly peak: Peak;
  readonly span: Span;
}

export interface PeaksFound {
  /** By number. */
  readonly peaks: readonly SeriesPeak[];
  /** How many smaller ones have no number. */
  readonly more: number;
  /** Names of series with too few whole buckets to find peaks. */
  readonly unknown: readonly string[];
  /** How many whole buckets a series needs. */
  readonly least: number;
}

/** The most numbered peaks per series, the largest: more markers hide the curve. */
const MOST = 12;

const known = new WeakMap<Curve, { readonly zone: string; readonly peaks: Peaks }>();

/** Whether the peaks of a curve are already found. */
export function peaksKnown(curve: Curve, zone: string): boolean {
  return known.get(curve)?.zone === zone;
}

/** The peaks of a curve, found once for each curve and zone. */
export function peaksOf(curve: Curve, zone: string): Peaks {
  const stored = known.get(curve);
  if (stored?.zone === zone) return stored.peaks;
  const peaks = findPeaks(curve, zone);
  known.set(curve, { zone, peaks });
  return peaks;
}

/**
 * The peaks of all visible series, numbered together in order of time.
 *
 * @param window - Numbers only peaks with their summit in it; all if null.
 */
export function peaksFound(
  series: readonly PeakSeries[],
  zone: string,
  window: Span | null = null,
): PeaksFound {
  const found: Omit<SeriesPeak, 'number'>[] = [];
  const unknown: string[] = [];
  let more = 0;
  for (const one of series) {
    const { curve } = one;
    if (one.hidden || !curve) continue;
    const { peaks, baseline } = peaksOf(curve, zone);
    if (!baseline) unknown.push(one.name);
    const at = (bucket: number): number => curve.bounds[bucket] ?? 0;
    const inSight = window
      ? peaks.filter(({ summit }) => at(summit) >= window.start && at(summit) < window.end)
      : peaks;
    more += Math.max(0, inSight.length - MOST);
    for (const peak of inSight.slice(0, MOST)) {
      found.push({
        key: `${one.id}:${at(peak.from)}`,
        at: at(peak.summit),
        count: curve.counts[peak.summit] ?? 0,
        seriesId: one.id,
        series: one,
        curve,
        peak,
        span: { start: at(peak.from), end: at(peak.to) },
      });
    }
  }
  found.sort((a, b) => a.at - b.at || a.seriesId - b.seriesId);
  const peaks = found.map((one, i) => ({ ...one, number: i + 1 }));
  return { peaks, more, unknown, least: MIN_BUCKETS };
}
