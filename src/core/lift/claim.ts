/* The band, the rank and the back-test: all three follow from the order of the same values. */

/** Levels at which a band may be claimed, in percent. */
export const LIFT_LEVELS = [95, 90, 80] as const;
export type LiftLevel = (typeof LIFT_LEVELS)[number];

/** Separate windows from which on a level is claimed; fewer than for the last have no band. */
export const LEAST_WINDOWS: Readonly<Record<LiftLevel, number>> = { 95: 39, 90: 19, 80: 9 };

/** The number by which (N + 1)(1 − α/2) leaves out one: α/2 is 1/40, 1/20 or 1/10, so that no fraction is rounded. */
const ONE_IN: Readonly<Record<LiftLevel, number>> = { 95: 40, 90: 20, 80: 10 };

/** Windows that a figure is compared with. */
export interface ComparedValues {
  /** θ − centre of each, ascending. */
  readonly sorted: Float64Array;
  /** The number of them that do not overlap: ⌊M / n⌋, at least 1. */
  readonly separate: number;
}

/** The smallest rank of N separate windows that is called a change: ⌈(N + 1)(1 − α/2)⌉, which may exceed N. */
export function rankNeeded(separate: number, level: LiftLevel): number {
  return separate + 1 - Math.floor((separate + 1) / ONE_IN[level]);
}

/** The values between which chance alone leaves θ − centre; null if too few windows are known for the level. */
export function limitsOf(
  { sorted, separate }: ComparedValues,
  level: LiftLevel,
): { readonly low: number; readonly high: number } | null {
  const needed = rankNeeded(separate, level);
  if (needed > separate) return null;
  const size = sorted.length;
  const k = Math.ceil((size * needed) / separate);
  return { low: sorted[size - k] ?? NaN, high: sorted[k - 1] ?? NaN };
}

/** The number of separate windows that one is larger, or smaller, than, of so many. */
export interface LiftRank {
  readonly larger: number;
  readonly smaller: number;
  readonly of: number;
}

export function rankOf(separate: number, size: number, below: number, above: number): LiftRank {
  return {
    larger: Math.floor((separate * below) / size),
    smaller: Math.floor((separate * above) / size),
    of: separate,
  };
}

/** Log ratios of a series and of its control in windows, ascending by start. */
export interface LogRatios {
  /** Number of the first bucket of each. */
  readonly first: Int32Array;
  readonly series: Float64Array;
  /** Null without a control. */
  readonly control: Float64Array | null;
}

/** Sums of two series around their means, from which a weight and what it explains are computed. */
interface Moments {
  readonly size: number;
  readonly y: number;
  readonly c: number;
  readonly cc: number;
  readonly cy: number;
}

const weightOf = ({ size, y, c, cc, cy }: Moments): number => {
  const variance = cc - (c * c) / size;
  return variance > 0 ? Math.max(0, Math.min(1, (cy - (c * y) / size) / variance)) : 0;
};

const meanOf = (values: Float64Array): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The variance of values, not corrected for their number. */
export function varianceOf(values: Float64Array): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** Sums before each window, around the means, so that those of any run of windows follow by subtraction. */
function momentsBefore(series: Float64Array, control: Float64Array): (i: number) => Moments {
  const [meanY, meanC] = [meanOf(series), meanOf(control)];
  const [y, c, cc, cy] = [0, 1, 2, 3].map(() => new Float64Array(series.length + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < series.length; i += 1) {
    const [dy, dc] = [(series[i] ?? NaN) - meanY, (control[i] ?? NaN) - meanC];
    y[i + 1] = (y[i] ?? NaN) + dy;
    c[i + 1] = (c[i] ?? NaN) + dc;
    cc[i + 1] = (cc[i] ?? NaN) + dc * dc;
    cy[i + 1] = (cy[i] ?? NaN) + dc * dy;
  }
  return (i) => ({
    size: i,
    y: y[i] ?? NaN,
    c: c[i] ?? NaN,
    cc: cc[i] ?? NaN,
    cy: cy[i] ?? NaN,
  });
}

/** The weight β of the control: clamp(cov / var, 0, 1); 0 without one, and for one that never moves. */
export function controlWeight({ series, control }: LogRatios): number {
  return control ? weightOf(momentsBefore(series, control)(series.length)) : 0;
}

/** The number of earlier windows in which the method reports a change, though nothing is known to have caused one. */
export interface BackTest {
  readonly windows: number;
  readonly changed: number;
}

/**
 * Judges the latest N separate windows, each by those of all M that do not overlap it, with a weight of their own. The
 * centre falls out of the comparison. Without its own neighbours a window has about two separate ones fewer: where
 * these are too few for the level, it must exceed all of them.
 *
 * @param length - Buckets of a window.
 */
export function backTestOf(ratios: LogRatios, length: number, level: LiftLevel): BackTest {
  const { first, series, control } = ratios;
  const size = first.length;
  const windows = Math.floor(size / length);
  const before = control && momentsBefore(series, control);
  const out = { windows: 0, changed: 0 };
  let next = Infinity;
  for (let at = size - 1; at >= 0 && out.windows < windows; at -= 1) {
    const start = first[at] ?? NaN;
    if (start + length > next) continue;
    next = start;
    out.windows += 1;
    let [from, to] = [at, at + 1];
    while (from > 0 && (first[from - 1] ?? NaN) > start - length) from -= 1;
    while (to < size && (first[to] ?? NaN) < start + length) to += 1;
    const weight = before ? weightWithout(before, size, from, to) : 0;
    const valueOf = (i: number): number => (series[i] ?? NaN) - weight * (control?.[i] ?? 0);
    const own = valueOf(at);
    let [below, above] = [0, 0];
    const compare = (start: number, end: number): void => {
      for (let i = start; i < end; i += 1) {
        const value = valueOf(i);
        if (value < own) below += 1;
        else if (value > own) above += 1;
      }
    };
    compare(0, from);
    compare(to, size);
    const others = size - (to - from);
    const separate = Math.floor(others / length);
    const rank = rankOf(separate, others, below, above);
    const needed = Math.min(separate, rankNeeded(separate, level));
    if (Math.max(rank.larger, rank.smaller) >= needed) out.changed += 1;
  }
  return out;
}

function weightWithout(
  before: (i: number) => Moments,
  size: number,
  from: number,
  to: number,
): number {
  const [all, start, end] = [before(size), before(from), before(to)];
  return weightOf({
    size: size - (to - from),
    y: all.y - (end.y - start.y),
    c: all.c - (end.c - start.c),
    cc: all.cc - (end.cc - start.cc),
    cy: all.cy - (end.cy - start.cy),
  });
}
