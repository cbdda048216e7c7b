import { STATE, type Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';

/** What a curve comes to. Buckets that begin after now are no part of anything. */
export interface Summary {
  /** Sum over the buckets that are known. */
  readonly total: number;
  /** Buckets known and buckets that there are up to now. */
  readonly known: number;
  readonly buckets: number;
  /** Known part of the time up to now, 0 to 1; 1 only where every bucket is known. */
  readonly share: number;
  /** Posts per bucket, over whole buckets only; null unless all are known and one is whole. */
  readonly mean: number | null;
  /** The highest known bucket, the first of equals; null where no Post is known. */
  readonly peak: { readonly index: number; readonly count: number } | null;
  /** Buckets that may still change a little. */
  readonly provisional: number;
}

/**
 * Sums up a curve, or its buckets that a window touches, in one pass.
 *
 * @param window - The whole curve where null.
 */
export function summarize(curve: Curve, now: number, window: Span | null = null): Summary {
  const { bounds, counts, states } = curve;
  let total = 0;
  let known = 0;
  let buckets = 0;
  let knownMs = 0;
  let elapsedMs = 0;
  let whole = 0;
  let wholeSum = 0;
  let provisional = 0;
  let peak: { index: number; count: number } | null = null;
  const first = window ? Math.max(0, bucketAt(bounds, window.start)) : 0;
  const until = window ? Math.min(now, window.end) : now;
  for (let i = first; i < counts.length; i += 1) {
    const start = bounds[i] ?? 0;
    if (start >= until) break;
    const width = (bounds[i + 1] ?? start) - start;
    buckets += 1;
    elapsedMs += width;
    const count = counts[i] ?? Number.NaN;
    if (Number.isNaN(count)) continue;
    known += 1;
    knownMs += width;
    total += count;
    const state = states[i] ?? 0;
    if (state !== STATE.partial) {
      whole += 1;
      wholeSum += count;
    }
    if (state === STATE.provisional) provisional += 1;
    if (count > 0 && (!peak || count > peak.count)) peak = { index: i, count };
  }
  const complete = known === buckets;
  const share = complete ? 1 : elapsedMs > 0 ? Math.min(knownMs / elapsedMs, 0.9999) : 0;
  const mean = complete && whole > 0 ? wholeSum / whole : null;
  return { total, known, buckets, share, mean, peak, provisional };
}

/** The stretches up to now whose counts are not known, out of reach or else, ascending; neighbours are one stretch. */
function spansIn({ bounds, counts, states }: Curve, now: number, reachable: boolean): Span[] {
  const out: { start: number; end: number }[] = [];
  for (let i = 0; i < counts.length; i += 1) {
    const start = bounds[i] ?? 0;
    if (start >= now) break;
    if (!Number.isNaN(counts[i] ?? Number.NaN)) continue;
    if ((states[i] === STATE.unreachable) === reachable) continue;
    const end = Math.min(now, bounds[i + 1] ?? start);
    const last = out.at(-1);
    if (last && last.end === start) last.end = end;
    else out.push({ start, end });
  }
  return out;
}

/** The stretches up to now whose counts are missing and can be asked. */
export function missingSpans(curve: Curve, now: number): Span[] {
  return spansIn(curve, now, true);
}

/** The stretches up to now that the source does not reach any more. */
export function unreachableSpans(curve: Curve, now: number): Span[] {
  return spansIn(curve, now, false);
}

/** Number of the bucket that holds an instant; -1 outside the curve. */
export function bucketAt(bounds: Float64Array, at: number): number {
  const last = bounds.length - 1;
  if (last < 1 || at < (bounds[0] ?? 0) || at >= (bounds[last] ?? 0)) return -1;
  let low = 0;
  let high = last - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((bounds[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
