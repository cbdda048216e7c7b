import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';
import { changeBand, COUNTING, type ChangeBand } from './confidence.ts';
import type { DispersionBy } from './dispersion.ts';
import { STATE, type Curve } from './series.ts';
import type { Result } from './statistics.ts';

/** The change of a span from an earlier one, comparing like with like: Posts per time. */
export interface Change extends ChangeBand {
  /** Posts in the compared buckets, and their length, ms: days are equal where the clock changes. */
  readonly before: number;
  readonly after: number;
  readonly beforeMs: number;
  readonly afterMs: number;
  /**
   * Buckets in view that have begun, and how many of them are compared; the others are cut, running or
   * without a counterpart.
   */
  readonly buckets: number;
  readonly compared: number;
}

/** The terms of a comparison. */
export interface ChangeOf {
  /** Buckets that begin later are ignored, epoch ms. */
  readonly now: number;
  /** Whose days are of equal length; absent: only buckets of a day or longer are. */
  readonly zone?: ZoneTable;
  /**
   * True if only pairs of buckets count even if both spans are known completely, as where their lengths
   * differ by choice.
   */
  readonly pairs?: boolean;
  /** The variation of the sums of such spans; without it, the margin is that of counting alone. */
  readonly dispersion?: DispersionBy;
}

/** The length of a bucket: one of days lasts an hour more or less where the clock changes. */
function withoutClockChange(ms: number): number {
  const days = Math.round(ms / DAY_MS) * DAY_MS;
  return days > 0 && Math.abs(ms - days) <= HOUR_MS ? days : ms;
}

/**
 * Length of later buckets over that of earlier ones, whose days are all of equal length; 1 if one is unknown.
 *
 * @param bucketMs - Length of one of the buckets; by default there is only one.
 */
export function lengthRatio(afterMs: number, beforeMs: number, bucketMs = afterMs): number {
  const areDays = withoutClockChange(bucketMs) % DAY_MS === 0;
  const [after, before] = areDays
    ? [withoutClockChange(afterMs), withoutClockChange(beforeMs)]
    : [afterMs, beforeMs];
  const ratio = after / before;
  return ratio > 0 && ratio < Infinity ? ratio : 1;
}

interface Compared extends Pick<Change, 'before' | 'after' | 'beforeMs' | 'afterMs'> {
  readonly apartMs: number;
}

function measured(of: Compared, dispersion: DispersionBy = () => COUNTING) {
  const { before, after, beforeMs, afterMs, apartMs } = of;
  const noise = dispersion(Math.max(beforeMs, afterMs), apartMs);
  const band = changeBand(before, after, afterMs / beforeMs, noise);
  return { ...band, before, after, beforeMs, afterMs };
}

const lengthAt = (bounds: Float64Array, i: number): number =>
  withoutClockChange((bounds[i + 1] ?? 0) - (bounds[i] ?? 0));

/** Posts and length of a curve of whole buckets; null if one is not whole. */
function wholeOf(
  { bounds, counts, states }: Curve,
  zone: ZoneTable | undefined,
): { posts: number; ms: number } | null {
  let posts = 0;
  let ms = 0;
  for (let i = 0; i < counts.length; i++) {
    if ((states[i] ?? 0) < STATE.provisional) return null;
    posts += counts[i] ?? NaN;
    ms += lengthAt(bounds, i);
  }
  // Hours from midnight to midnight are days, also where the clock changes between them.
  const wall = zone ? wallTime(zone, bounds.at(-1) ?? 0) - wallTime(zone, bounds[0] ?? 0) : 1;
  return { posts, ms: wall % DAY_MS === 0 ? wall : ms };
}

/** Part of the earlier time that may be uncovered, if that is more than one bucket. */
const UNCOVERED_PART = 0.05;

/**
 * The change of a curve from an earlier one, in Posts per time: 31 days of March with the 28 of February
 * are compared by their Posts a day. If both are whole, all of their buckets are compared. Otherwise
 * those are that are whole in both: a bucket that is running, cut or not covered drops its pair. If a
 * bucket is missing, there is no change; nor if the source does not cover a twentieth of the earlier time.
 *
 * @param curve - Counts in view, not a computed quotient.
 * @param earlier - Counts of the earlier span at the same resolution.
 * @param aligned - From `alignEarlier` for both.
 * @returns The change, or why there is none.
 * @throws {RangeError} if a count is not a whole number from zero on.
 */
export function changeAgainst(
  curve: Curve,
  earlier: Curve,
  aligned: Int32Array,
  { now, zone, pairs = false, dispersion }: ChangeOf,
): Result<Change> {
  const [view, past] = [wholeOf(curve, zone), wholeOf(earlier, zone)];
  const apartMs = (curve.bounds[0] ?? 0) - (earlier.bounds[0] ?? 0);
  const buckets = begun(curve, aligned.length, now);
  if (!pairs && view && past && buckets > 0) {
    const of = { before: past.posts, after: view.posts, beforeMs: past.ms, afterMs: view.ms };
    const value = measured({ ...of, apartMs }, dispersion);
    return { ok: true, value: { ...value, buckets, compared: buckets } };
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
    afterMs += lengthAt(curve.bounds, i);
    beforeMs += lengthAt(earlier.bounds, k);
  }
  if (uncovered > Math.max(1, UNCOVERED_PART * covered)) return { ok: false, why: 'uncovered' };
  if (buckets === 0) return { ok: false, why: 'nothing' };
  if (compared === 0) {
    return { ok: false, why: uncovered > 0 || covered === 0 ? 'uncovered' : 'partial' };
  }
  const value = measured({ before, after, beforeMs, afterMs, apartMs }, dispersion);
  return { ok: true, value: { ...value, buckets, compared } };
}

/** The number of the first `size` buckets that begin before now. */
function begun({ bounds }: Curve, size: number, now: number): number {
  let i = 0;
  while (i < size && (bounds[i] ?? Infinity) < now) i++;
  return i;
}
