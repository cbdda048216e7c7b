import type { ChartPeak } from '#app/chart/chart-props.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { MIN_BUCKETS } from '#core/series/baseline.ts';
import {
  findPeaks,
  findPeaksLater,
  type Later,
  type Peak,
  type Peaks,
} from '#core/series/peaks.ts';
import type { Curve } from '#core/series/series.ts';
import type { Causes } from '#core/causes/causes.ts';
import type { Span } from '#core/time/span.ts';

/** The part of a series needed to find its peaks. */
export interface PeakSeries extends Pick<
  InsightSeries,
  'id' | 'name' | 'style' | 'hidden' | 'curve'
> {
  /** The query whose counts are shown. */
  readonly shown: string;
}

/** A peak with its series. */
export interface SeriesPeak extends ChartPeak {
  readonly series: PeakSeries;
  readonly curve: Curve;
  readonly peak: Peak;
  readonly span: Span;
}

/** The causes of peaks, as far as they are known. */
export interface KnownCauses {
  of(peak: SeriesPeak): Causes | null;
  /** Reads those of all peaks of a list. Those that cannot be read stay unknown. */
  readAll(peaks: readonly SeriesPeak[], signal: AbortSignal): Promise<void>;
}

export interface PeaksFound {
  /** By time. */
  readonly peaks: readonly SeriesPeak[];
  /** The number of smaller ones that are left out. */
  readonly more: number;
  /** Names of series with too few whole buckets to find peaks. */
  readonly unknown: readonly string[];
  /** The number of whole buckets that a series needs. */
  readonly least: number;
}

/** The most peaks per series, the largest: more markers hide the curve. */
const MOST = 12;
/** The most moments with a number. */
const MOST_NUMBERS = 8;

const known = new WeakMap<Curve, { readonly zone: string; readonly peaks: Peaks }>();

/** True if the peaks of a curve are already found. */
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

/** Finds the peaks of a long curve, so that {@link peaksOf} has them, without blocking the page. */
export async function findPeaksOf(curve: Curve, zone: string, later: Later): Promise<void> {
  known.set(curve, { zone, peaks: await findPeaksLater(curve, zone, later) });
}

type Unnumbered = Omit<SeriesPeak, 'number'>;

const holds = ({ span }: Unnumbered, { at }: Unnumbered): boolean =>
  at >= span.start && at < span.end;

/**
 * Numbers the largest moments from 1 on. Peaks of several series are one moment if the summit of the largest lies in
 * another, or the other's summit in it.
 */
function numbered(found: readonly Unnumbered[]): SeriesPeak[] {
  const moments: Unnumbered[] = [];
  const bySize = found.toSorted((a, b) => b.peak.excess - a.peak.excess || a.at - b.at);
  const numbers = new Map(
    bySize.map((peak) => {
      const same = moments.findIndex((first) => holds(first, peak) || holds(peak, first));
      return [peak, same < 0 ? moments.push(peak) : same + 1];
    }),
  );
  return found.map((peak) => {
    const number = numbers.get(peak) ?? Infinity;
    return { ...peak, number: number <= MOST_NUMBERS ? number : null };
  });
}

/**
 * The peaks of all visible series, with the largest moments numbered.
 *
 * @param window - Finds only peaks with their summit in it; all if null.
 */
export function peaksFound(
  series: readonly PeakSeries[],
  zone: string,
  window: Span | null = null,
): PeaksFound {
  const found: Unnumbered[] = [];
  const unknown: string[] = [];
  let more = 0;
  for (const queried of series) {
    const { curve } = queried;
    if (queried.hidden || !curve) continue;
    const { peaks, baseline } = peaksOf(curve, zone);
    if (!baseline) unknown.push(queried.name);
    const at = (bucket: number): number => curve.bounds[bucket] ?? 0;
    const inSight = window
      ? peaks.filter(({ summit }) => at(summit) >= window.start && at(summit) < window.end)
      : peaks;
    more += Math.max(0, inSight.length - MOST);
    for (const peak of inSight.slice(0, MOST)) {
      found.push({
        key: `${queried.id}:${at(peak.from)}`,
        at: at(peak.summit),
        count: curve.counts[peak.summit] ?? 0,
        seriesId: queried.id,
        series: queried,
        curve,
        peak,
        span: { start: at(peak.from), end: at(peak.to) },
      });
    }
  }
  found.sort((a, b) => a.at - b.at || a.seriesId - b.seriesId);
  return { peaks: numbered(found), more, unknown, least: MIN_BUCKETS };
}
