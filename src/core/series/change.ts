import { changeBand, type ChangeBand } from './noise.ts';
import { STATE, type Curve } from './series.ts';
import type { Result } from './statistics.ts';

/** How a span changed against an earlier one, like for like. */
export interface Change extends ChangeBand {
  /** Posts in the buckets compared, and the length of these, in ms. */
  readonly before: number;
  readonly after: number;
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Buckets in view that have begun, and how many of them are compared: the rest is cut, running or has no counterpart. */
  readonly buckets: number;
  readonly compared: number;
}

/**
 * The change of a curve against an earlier one, over the buckets that are whole in both; where these differ in
 * length (a day of 23 hours), of Posts per time. A running or cut bucket leaves its pair out; one that is
 * missing leaves no change at all.
 *
 * @param curve - Counts in view; a computed quotient has no change of this kind.
 * @param earlier - Counts of the earlier span at the same resolution.
 * @param aligned - What `alignEarlier` says of the bounds of both.
 * @param now - Buckets that begin later are no part of anything.
 * @returns The change, or why there is none.
 * @throws {RangeError} if counts are not whole numbers from zero on.
 */
export function changeAgainst(
  curve: Curve,
  earlier: Curve,
  aligned: Int32Array,
  now: number,
): Result<Change> {
  let before = 0;
  let after = 0;
  let beforeMs = 0;
  let afterMs = 0;
  let buckets = 0;
  let compared = 0;
  let unreachable = false;
  for (let i = 0; i < aligned.length && (curve.bounds[i] ?? Infinity) < now; i++) {
    buckets++;
    const k = aligned[i] ?? -1;
    if (k < 0) continue;
    const state = Math.min(curve.states[i] ?? 0, earlier.states[k] ?? 0);
    if (state === STATE.partial) continue;
    if (state === STATE.unreachable) unreachable = true;
    else if (state < STATE.partial) return { ok: false, why: 'missing' };
    compared++;
    after += curve.counts[i] ?? NaN;
    before += earlier.counts[k] ?? NaN;
    afterMs += (curve.bounds[i + 1] ?? 0) - (curve.bounds[i] ?? 0);
    beforeMs += (earlier.bounds[k + 1] ?? 0) - (earlier.bounds[k] ?? 0);
  }
  if (unreachable) return { ok: false, why: 'unreachable' };
  if (buckets === 0) return { ok: false, why: 'nothing' };
  if (compared === 0) return { ok: false, why: 'partial' };
  const band = changeBand(before, after, afterMs / beforeMs);
  return { ok: true, value: { ...band, before, after, beforeMs, afterMs, buckets, compared } };
}
