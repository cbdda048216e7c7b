import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { levelOf, MAD_TO_SD, medianOf } from './median.ts';
import { STATE, type Curve } from './series.ts';

/** Fewer whole buckets cannot distinguish a level from a peak. */
export const MIN_BUCKETS = 14;
/** A season is known if each of its slots occurred this often. */
const MIN_SEASONS = 4;
const WEEK_MS = 7 * DAY_MS;

/** The curve as it would have been without events: per bucket, NaN if it has no count. */
export interface Baseline {
  expected(index: number): number;
  /** Standard deviation around it. */
  spread(index: number): number;
}

/**
 * In buckets: the stretch whose median is the level, the step between such medians, and the stretch
 * that shares one profile of seasons.
 */
interface Reach {
  readonly level: number;
  readonly step: number;
  readonly profile: number;
}

function reachOf(width: number): Reach {
  const of = (ms: number): number => Math.max(1, Math.round(ms / width));
  if (width <= HOUR_MS * 1.5) {
    return { level: of(3 * WEEK_MS), step: of(3 * DAY_MS), profile: of(26 * WEEK_MS) };
  }
  if (width <= DAY_MS * 1.5) {
    return { level: of(8 * WEEK_MS), step: of(7 * DAY_MS), profile: of(52 * WEEK_MS) };
  }
  return { level: 27, step: 1, profile: Infinity };
}

/**
 * Slots of the season that buckets of a width can resolve over a time: hours of the week, of the day,
 * weekdays, or one.
 */
function slotsOf(width: number, ms: number): number {
  if (width <= HOUR_MS * 1.5) {
    if (ms >= MIN_SEASONS * WEEK_MS) return 168;
    return ms >= MIN_SEASONS * DAY_MS ? 24 : 1;
  }
  return width <= DAY_MS * 1.5 && ms >= MIN_SEASONS * WEEK_MS ? 7 : 1;
}

/** The whole buckets of a curve in sequence: the index of each, and its count per typical width. */
interface Dense {
  readonly index: Uint32Array;
  readonly values: Float64Array;
  readonly size: number;
}

function denseOf({ bounds, counts, states }: Curve, width: number): Dense {
  const index = new Uint32Array(counts.length);
  const values = new Float64Array(counts.length);
  let size = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? NaN;
    if (count !== count || (states[i] ?? 0) <= STATE.partial) continue;
    index[size] = i;
    values[size] = (count * width) / ((bounds[i + 1] ?? 0) - (bounds[i] ?? 0));
    size += 1;
  }
  return { index, values, size };
}

/** Width of the typical bucket, ms. */
export function widthOf({ bounds }: Curve): number {
  const size = bounds.length - 1;
  const step = Math.max(1, Math.floor(size / 99));
  const some = new Float64Array(Math.ceil(size / step));
  for (let i = 0, n = 0; i < size; i += step, n += 1) {
    some[n] = (bounds[i + 1] ?? 0) - (bounds[i] ?? 0);
  }
  return medianOf(some, some.length);
}

/** Season slot of every bucket by the zone's clock. */
function slotOf({ bounds }: Curve, zone: string, count: number, width: number): Uint8Array {
  const size = bounds.length - 1;
  const out = new Uint8Array(size);
  if (count === 1) return out;
  const table = zoneTable(zone, { start: bounds[0] ?? 0, end: bounds[size] ?? 0 });
  const unit = count === 7 ? DAY_MS : HOUR_MS;
  // The middle of a bucket: a day that begins at 1:00, because midnight was skipped, is still that day.
  const half = width / 2;
  let stretch = 0;
  for (let i = 0; i < size; i += 1) {
    const at = (bounds[i] ?? 0) + half;
    while ((table.starts[stretch + 1] ?? Infinity) <= at) stretch += 1;
    out[i] = Math.floor((at + (table.offsets[stretch] ?? 0)) / unit) % count;
  }
  return out;
}

/**
 * A statistic of `level` values around each anchor, interpolated linearly between anchors. At the ends
 * the window keeps its length and lies on one side.
 */
function running(
  { values, size }: Dense,
  { level, step }: Reach,
  statistic: (window: Float64Array, size: number) => number,
): Float64Array {
  const out = new Float64Array(size);
  const length = Math.min(level, size);
  const window = new Float64Array(length);
  const at = (centre: number): number => {
    const from = Math.max(0, Math.min(size - length, centre - (length >> 1)));
    window.set(values.subarray(from, from + length));
    return statistic(window, length);
  };
  let before = at(0);
  out[0] = before;
  for (let i = 0; i < size - 1; i += step) {
    const next = Math.min(size - 1, i + step);
    const after = at(next);
    for (let j = i + 1; j <= next; j += 1) {
      out[j] = before + ((after - before) * (j - i)) / (next - i);
    }
    before = after;
  }
  return out;
}

/** Season factors by profile stretch and slot. */
interface Seasons {
  readonly parts: number;
  readonly slots: number;
  /** Of stretch p and slot s at `p * slots + s`. */
  readonly factors: Float64Array;
}

/** The middle ratio of each slot's buckets to the level; 1 if a slot occurred too rarely. */
function seasonsOf(
  { index, values, size }: Dense,
  level: Float64Array,
  slot: Uint8Array,
  slots: number,
  profile: number,
): Seasons {
  const parts = slots === 1 ? 1 : Math.max(1, Math.round(size / profile));
  const factors = new Float64Array(parts * slots).fill(1);
  if (slots === 1) return { parts, slots, factors };
  const ends = new Uint32Array(slots + 1);
  for (let p = 0; p < parts; p += 1) {
    const from = Math.ceil((p * size) / parts);
    const to = Math.ceil(((p + 1) * size) / parts);
    // The ratios sorted by slot, with a counting sort.
    ends.fill(0);
    let sum = 0;
    for (let j = from; j < to; j += 1) {
      ends[(slot[index[j] ?? 0] ?? 0) + 1]! += 1;
      sum += level[j] ?? 0;
    }
    for (let s = 0; s < slots; s += 1) ends[s + 1]! += ends[s] ?? 0;
    const ratios = new Float64Array(to - from);
    for (let j = from; j < to; j += 1) {
      const low = level[j] ?? 0;
      ratios[ends[slot[index[j] ?? 0] ?? 0]!++] = low > 0 ? (values[j] ?? 0) / low : 1;
    }
    const onePost = sum > 0 ? (to - from) / sum : 1;
    for (let s = 0; s < slots; s += 1) {
      const some = ratios.subarray(s === 0 ? 0 : (ends[s - 1] ?? 0), ends[s] ?? 0);
      if (some.length >= MIN_SEASONS - 1) {
        factors[p * slots + s] = levelOf(some, some.length, onePost);
      }
    }
  }
  return { parts, slots, factors };
}

/**
 * The robust seasonal baseline of a curve.
 *
 * The expected count is a running level times a season factor. The level is the median of the
 * surrounding three weeks (for days eight weeks, for longer buckets 27 of them). The season is the
 * median ratio to the level for the same hour of the week by the zone's clock (with less than four
 * weeks the hour of the day, with less than four days none; for days the weekday). These are the
 * piecewise median and the medians of seasons of S-H-ESD (Vallis, Hochenbaum, Kejariwal, "A Novel
 * Technique for Long-Term Anomaly Detection in the Cloud", HotCloud 2014), with factors instead of
 * terms because counts vary in proportion. The spread is the Poisson noise, the square root of the
 * expected count plus one, times its observed excess: 1.4826 times the running median absolute
 * deviation (Hampel 1974; Rousseeuw & Croux, "Alternatives to the Median Absolute Deviation", 1993) of
 * the Pearson residuals, at least 1, so that small counts do not become peaks.
 *
 * Partial and missing buckets are ignored. Linear in the number of buckets, except for the windows of
 * the medians.
 *
 * @param zone - IANA name; determines hours of the week and weekdays.
 * @returns null if fewer than {@link MIN_BUCKETS} buckets are whole.
 */
export function baselineOf(curve: Curve, zone: string): Baseline | null {
  const { bounds, counts } = curve;
  const width = widthOf(curve);
  const dense = denseOf(curve, width);
  const { index, values, size } = dense;
  if (size < MIN_BUCKETS) return null;
  const reach = reachOf(width);
  const first = bounds[index[0] ?? 0] ?? 0;
  const last = bounds[(index[size - 1] ?? 0) + 1] ?? 0;
  const slots = slotsOf(width, Math.min(size * width, last - first));
  const slot = slotOf(curve, zone, slots, width);
  const level = running(dense, reach, levelOf);
  const { parts, factors } = seasonsOf(dense, level, slot, slots, reach.profile);
  const middle = (j: number, bucket: number): number =>
    (level[j] ?? 0) * (factors[Math.floor((j * parts) / size) * slots + (slot[bucket] ?? 0)] ?? 1);

  const residuals = new Float64Array(size);
  for (let j = 0; j < size; j += 1) {
    const expected = middle(j, index[j] ?? 0);
    residuals[j] = Math.abs((values[j] ?? 0) - expected) / Math.sqrt(expected + 1);
  }
  const deviation = running({ index, values: residuals, size }, reach, medianOf);

  const expected = new Float64Array(counts.length).fill(NaN);
  const spread = new Float64Array(counts.length).fill(NaN);
  let j = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? NaN;
    if (count !== count) continue;
    while (j + 1 < size && (index[j + 1] ?? 0) <= i) j += 1;
    const share = ((bounds[i + 1] ?? 0) - (bounds[i] ?? 0)) / width;
    const whole = middle(j, i);
    expected[i] = whole * share;
    spread[i] = Math.max(1, MAD_TO_SD * (deviation[j] ?? 0)) * Math.sqrt(whole + 1) * share;
  }
  return { expected: (i) => expected[i] ?? NaN, spread: (i) => spread[i] ?? NaN };
}
