import { changeBand, type ChangeBand } from './confidence.ts';
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

/** Posts and length of a curve of whole buckets alone; null where one is not. */
function wholeOf({ bounds, counts, states }: Curve): { posts: number; ms: number } | null {
  let posts = 0;
  for (let i = 0; i < counts.length; i++) {
    if ((states[i] ?? 0) < STATE.provisional) return null;
    posts += counts[i] ?? NaN;
  }
  return { posts, ms: (bounds.at(-1) ?? 0) - (bounds[0] ?? 0) };
}

/** Part of the earlier time that may be uncovered, where more than one bucket is. */
const UNCOVERED_PART = 0.05;

/**
 * The change of a curve against an earlier one. Where both are whole it is that of their totals, whatever they
 * are cut into: 31 days of March against the 29 of February. Else it is of the buckets that are whole in both:
 * a bucket that is running, cut or not covered by the source leaves its pair out; one that is missing leaves no
 * change at all, nor is there one where the source does not cover a twentieth of the earlier time.
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
  const [view, past] = [wholeOf(curve), wholeOf(earlier)];
  const buckets = begun(curve, aligned.length, now);
  if (view && past && buckets > 0) {
    const [before, after] = [past.posts, view.posts];
    const lengths = { beforeMs: past.ms, afterMs: view.ms };
    const band = changeBand(before, after);
    return { ok: true, value: { ...band, before, after, ...lengths, buckets, compared: buckets } };
  }
  let before = 0;
  let after = 0;
  let beforeMs = 0;
  let afterMs = 0;
  let compared = 0;
  let covered = 0;
  let uncovered = 0;
  for (let i = 0; i < buckets; i++) {
    const k = aligned[i] ?? -1;
    const state = curve.states[i] ?? 0;
    if (k < 0 || state === STATE.uncovered) continue;
    if (state < STATE.partial) return { ok: false, why: 'missing' };
    covered++;
    const past = earlier.states[k] ?? 0;
    if (past === STATE.uncovered) {
      uncovered++;
      continue;
    }
    if (past < STATE.partial) return { ok: false, why: 'missing' };
    if (state === STATE.partial || past === STATE.partial) continue;
    compared++;
    after += curve.counts[i] ?? NaN;
    before += earlier.counts[k] ?? NaN;
    afterMs += (curve.bounds[i + 1] ?? 0) - (curve.bounds[i] ?? 0);
    beforeMs += (earlier.bounds[k + 1] ?? 0) - (earlier.bounds[k] ?? 0);
  }
  if (uncovered > Math.max(1, UNCOVERED_PART * covered)) return { ok: false, why: 'uncovered' };
  if (buckets === 0) return { ok: false, why: 'nothing' };
  if (compared === 0) {
    return { ok: false, why: uncovered > 0 || covered === 0 ? 'uncovered' : 'partial' };
  }
  const band = changeBand(before, after);
  return { ok: true, value: { ...band, before, after, beforeMs, afterMs, buckets, compared } };
}

/** How many buckets begin before now, of so many. */
function begun({ bounds }: Curve, size: number, now: number): number {
  let i = 0;
  while (i < size && (bounds[i] ?? Infinity) < now) i++;
  return i;
}
