import type { Span } from '#core/time/span.ts';
import { isUndefined } from './combine.ts';
import { evenState, LEAF, type Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from './series.ts';

/** Stretches before `now` without counts, ascending, neighbours merged: either those the source covers or those it does not. */
function spansIn(curve: Curve, now: number, covered: boolean, pyramid: Pyramid | null): Span[] {
  const { bounds, counts, states } = curve;
  const blocks = pyramid?.values === counts ? pyramid : null;
  const out: { start: number; end: number }[] = [];
  for (let i = 0, to = 1; i < counts.length; i = to) {
    const start = bounds[i] ?? 0;
    if (start >= now) break;
    const even = blocks && i % LEAF === 0 ? evenState(blocks, i / LEAF) : -1;
    to = even < 0 ? i + 1 : i + LEAF;
    if (even >= STATE.partial) continue;
    if (even < 0 && (!Number.isNaN(counts[i] ?? Number.NaN) || isUndefined(curve, i))) continue;
    if ((states[i] === STATE.uncovered) === covered) continue;
    const end = Math.min(now, bounds[to] ?? start);
    const last = out.at(-1);
    if (last && last.end === start) last.end = end;
    else out.push({ start, end });
  }
  return out;
}

/**
 * Stretches before `now` whose counts are missing and can be fetched.
 *
 * @param pyramid - Of the curve; skips most buckets of a long one.
 */
export function missingSpans(curve: Curve, now: number, pyramid: Pyramid | null = null): Span[] {
  return spansIn(curve, now, true, pyramid);
}

/** Stretches before `now` that the source has no data for. @param pyramid - As for {@link missingSpans}. */
export function uncoveredSpans(curve: Curve, now: number, pyramid: Pyramid | null = null): Span[] {
  return spansIn(curve, now, false, pyramid);
}
