import { STATE, type Curve } from '#core/series/series.ts';
import { statistics } from '#core/series/statistics.ts';
import type { Span } from '#core/time/span.ts';

export { bucketAt } from '#core/series/window.ts';

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
  const of = statistics(curve, now, window);
  const { total, known, buckets, provisional, knownMs, elapsedMs, mean, peak } = of;
  const part = elapsedMs > 0 ? Math.min(knownMs / elapsedMs, 0.9999) : 0;
  return {
    total,
    known,
    buckets,
    share: known === buckets ? 1 : part,
    mean: mean.ok ? mean.value : null,
    peak: peak && { index: peak.index, count: peak.value },
    provisional,
  };
}

/** The stretches up to now whose counts are not known, out of reach or else, ascending; neighbours are one stretch. */
function spansIn({ bounds, counts, states }: Curve, now: number, reachable: boolean): Span[] {
  const out: { start: number; end: number }[] = [];
  for (let i = 0; i < counts.length; i += 1) {
    const start = bounds[i] ?? 0;
    if (start >= now) break;
    // What is known and has no value is a quotient by zero: nothing of it is missing.
    if (!Number.isNaN(counts[i] ?? Number.NaN) || (states[i] ?? 0) >= STATE.partial) continue;
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
