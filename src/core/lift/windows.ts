import { STATE, type Curve } from '#core/series/series.ts';
import type { Buckets } from '#core/series/window.ts';
import type { Rhythm } from './levels.ts';
import { type LiftInput, LIFT_UNITS } from './lift-input.ts';
import type { LiftRefusal } from './lift-figure.ts';

/** The windows of an input. */
export interface LiftWindows {
  readonly input: LiftInput;
  /** Buckets of a window, and of the time before it. */
  readonly length: number;
  readonly before: number;
  /** Number of the first bucket with known counts. */
  readonly start: number;
  readonly rhythm: Rhythm;
  /** True if all of a window and of the time before it can be read, and no other campaign is in the window. */
  readonly isUsable: (window: Buckets, before: Buckets) => boolean;
}

const isSettled = ({ counts, states }: Curve, i: number): boolean =>
  (states[i] ?? 0) === STATE.settled && !Number.isNaN(counts[i]);

const curvesOf = ({ curve, control }: LiftInput): Curve[] =>
  control ? [curve, control.curve] : [curve];

/** The windows of an input that can be read. */
export function windowsIn(input: LiftInput): LiftWindows {
  const { unit, curve, slots, campaign, others, seams } = input;
  const { cycle, before } = LIFT_UNITS[unit];
  const curves = curvesOf(input);
  const size = curve.counts.length;
  const omitted = new Uint8Array(size);
  for (const { first, end } of others) omitted.fill(1, first, end);
  let start = 0;
  const isKnown = (i: number): boolean =>
    curves.every(
      ({ counts, states }) => (states[i] ?? 0) > STATE.partial && !Number.isNaN(counts[i]),
    );
  while (start < size && !isKnown(start)) start += 1;
  const open = new Int32Array(size + 1);
  const out = new Int32Array(size + 1);
  for (let i = 0; i < size; i += 1) {
    const unknown = omitted[i] === 0 && !curves.every((of) => isSettled(of, i));
    open[i + 1] = (open[i] ?? 0) + (unknown ? 1 : 0);
    out[i + 1] = (out[i] ?? 0) + (omitted[i] ?? 0);
  }
  const none = (sums: Int32Array, { first, end }: Buckets): boolean => sums[first] === sums[end];
  const length = campaign.end - campaign.first;
  return {
    input,
    length,
    before: before(length),
    start,
    rhythm: { slots, cycle, omitted },
    isUsable: (window, before) =>
      before.first >= 0 &&
      window.end <= size &&
      none(open, window) &&
      none(open, before) &&
      none(out, window) &&
      !hasSeam(curve, seams, { first: before.first, end: window.end }),
  };
}

/** True if counts of two index generations meet within buckets. */
export function hasSeam(
  { bounds }: Curve,
  seams: readonly number[],
  { first, end }: Buckets,
): boolean {
  return seams.some((at) => (bounds[first] ?? NaN) < at && at < (bounds[end] ?? NaN));
}

/** The buckets before a window that begins with `first`. */
export const beforeWindow = (first: number, before: number): Buckets => ({
  first: first - before,
  end: first,
});

/** The reason for which the buckets of the campaign or before it cannot be read. */
export function holeOf({ input, before }: LiftWindows): LiftRefusal | null {
  const { unit, campaign, others } = input;
  const places = [
    { place: 'campaign', ...campaign },
    { place: 'before', ...beforeWindow(campaign.first, before) },
  ] as const;
  for (const why of ['missing', 'provisional'] as const) {
    for (const { place, first, end } of places) {
      for (const [n, curve] of curvesOf(input).entries()) {
        let buckets = 0;
        for (let i = first; i < end; i += 1) {
          const isOmitted = others.some((other) => other.first <= i && i < other.end);
          if ((place === 'before' && isOmitted) || isSettled(curve, i)) continue;
          const isOpen = (curve.states[i] ?? 0) >= STATE.partial && !Number.isNaN(curve.counts[i]);
          if (isOpen === (why === 'provisional')) buckets += 1;
        }
        const of = n === 0 ? 'series' : 'control';
        if (buckets > 0) return { kind: 'refusal', unit, why, buckets, place, of };
      }
    }
  }
  return null;
}
