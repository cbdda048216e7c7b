import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STATE, type Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';

/** A labelled series of the Numenta Anomaly Benchmark: mentions of a company by 5 minutes. */
export interface Volume {
  readonly name: string;
  readonly curve: Curve;
  /** Spans labelled as anomalies, ends included. */
  readonly windows: readonly Span[];
}

/** A curve with settled buckets only. */
export function plainCurve(bounds: Float64Array, counts: Curve['counts']): Curve {
  return {
    bounds,
    counts,
    states: new Uint8Array(counts.length).fill(STATE.settled),
    fetchedAt: new Float64Array(counts.length).fill(NaN),
  };
}

const utc = (text: string): number => Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`);

/** Reads the series in the folder `volumes` with their labels in `combined_windows.json`. */
export function readVolumes(folder: string): Volume[] {
  const labels = JSON.parse(
    readFileSync(join(folder, 'volumes', 'combined_windows.json'), 'utf8'),
  ) as Record<string, [string, string][]>;
  return Object.entries(labels).map(([path, windows]) => {
    const file = path.split('/').at(-1) ?? '';
    const rows = readFileSync(join(folder, 'volumes', file), 'utf8')
      .trim()
      .split('\n')
      .slice(1);
    const starts = rows.map((row) => utc(row));
    const counts = Float64Array.from(rows, (row) => Number(row.split(',')[1]));
    const width = (starts[1] ?? 0) - (starts[0] ?? 0);
    return {
      name: file.replace(/^Twitter_volume_|\.csv$/g, ''),
      curve: plainCurve(Float64Array.from([...starts, (starts.at(-1) ?? 0) + width]), counts),
      windows: windows.map(([start, end]) => ({ start: utc(start), end: utc(end) + 1 })),
    };
  });
}

/** Sums every `by` buckets into one; an incomplete last bucket is left out. */
export function coarser(curve: Curve, by: number): Curve {
  const size = Math.floor(curve.counts.length / by);
  const counts = new Float64Array(size);
  for (let i = 0; i < size * by; i += 1) counts[Math.floor(i / by)]! += curve.counts[i] ?? NaN;
  return plainCurve(
    curve.bounds.filter((_, i) => i % by === 0 && i <= size * by),
    counts,
  );
}

/** Found peaks compared with labelled windows. */
export interface Score {
  readonly found: number;
  /** Found peaks that touch a labelled window. */
  readonly hits: number;
  readonly windows: number;
  /** Labelled windows that some peak touches. */
  readonly met: number;
}

export function scoreOf(found: readonly Span[], windows: readonly Span[]): Score {
  const touches = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;
  return {
    found: found.length,
    hits: found.filter((peak) => windows.some((window) => touches(peak, window))).length,
    windows: windows.length,
    met: windows.filter((window) => found.some((peak) => touches(peak, window))).length,
  };
}

/** Over several series: precision is hits by found, recall met windows by windows, F1 their harmonic mean. */
export interface Rates {
  readonly found: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

export function rates(scores: readonly Score[]): Rates {
  const sum = (of: keyof Score): number => scores.reduce((all, score) => all + score[of], 0);
  const found = sum('found');
  const precision = found === 0 ? 0 : sum('hits') / found;
  const recall = sum('met') / sum('windows');
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { found, precision, recall, f1 };
}

/** The baseline: spans of buckets more than 3 standard deviations above the mean of the whole series. */
export function zScorePeaks({ bounds, counts }: Curve): Span[] {
  const mean = [...counts].reduce((sum, n) => sum + n, 0) / counts.length;
  const variance = [...counts].reduce((sum, n) => sum + (n - mean) ** 2, 0) / counts.length;
  const bar = mean + 3 * Math.sqrt(variance);
  const out: { start: number; end: number }[] = [];
  counts.forEach((count, i) => {
    if (count <= bar) return;
    const start = bounds[i] ?? 0;
    const end = bounds[i + 1] ?? start;
    const last = out.at(-1);
    if (last?.end === start) last.end = end;
    else out.push({ start, end });
  });
  return out;
}

/** Scores both methods over some series, with every `by` buckets summed into one. */
export function compare(
  volumes: readonly Volume[],
  by: number,
  peaksOf: (curve: Curve) => readonly Span[],
): { readonly ours: Rates; readonly plain: Rates } {
  const over = (find: (curve: Curve) => readonly Span[]): Rates =>
    rates(volumes.map(({ curve, windows }) => scoreOf(find(coarser(curve, by)), windows)));
  return { ours: over(peaksOf), plain: over(zScorePeaks) };
}
