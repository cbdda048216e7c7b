import type { Scale } from './form.ts';

/** A value axis. Heights are what is drawn: values, or their logarithms. */
export interface ValueScale {
  readonly kind: Scale;
  /** Height of its lower end; `high` is the upper. */
  readonly low: number;
  readonly high: number;
  /** The value that a log scale treats as one; below it, heights go down to zero almost linearly. */
  readonly one: number;
  /** Values of its grid lines, ascending, including zero. */
  readonly ticks: readonly number[];
}

/**
 * Height of a value. The log scale uses log(1 + value), mirrored below zero, so that zero and one have distinct heights
 * and powers of ten from ten on are nearly equal steps.
 *
 * @param one - The value treated as one: quotients are mostly far below one.
 */
export function toHeight(kind: Scale, value: number, one = 1): number {
  if (kind === 'linear') return value;
  return (Math.sign(value) * Math.log1p(Math.abs(value) / one)) / Math.LN10;
}

/** The value at a height. */
export function fromHeight(kind: Scale, height: number, one = 1): number {
  if (kind === 'linear') return height;
  return Math.sign(height) * Math.expm1(Math.abs(height) * Math.LN10) * one;
}

/** Replaces the values of points, interleaved `x, y`, with heights. */
export function heightsOf(kind: Scale, points: Float64Array, one = 1): Float64Array {
  if (kind === 'linear') return points;
  return points.map((value, i) => (i % 2 === 0 ? value : toHeight(kind, value, one)));
}

interface ScaleWish {
  /** Lowest drawn value; `peak` is the highest. The axis always includes zero. */
  readonly low: number;
  readonly peak: number;
  readonly kind: Scale;
  /** Approximate number of grid lines. */
  readonly lines: number;
  /** Height of the axis, px; without it, every grid line of a log scale has room for its label. */
  readonly height?: number;
  /** True if values are whole numbers, so that grid lines must be too. */
  readonly whole: boolean;
  /** Minimum above zero, where a log scale begins; 1 by default. */
  readonly least?: number;
}

/** The least distance between two grid lines with labels, px: a row of 26 px has room for 0 and 1 up to a peak of 5. */
export const LABEL_ROOM_PX = 10;

/** Computes the axis for a range of values. */
export function valueScale(wish: ScaleWish): ValueScale {
  const { low, peak, kind, lines, height = Infinity, whole, least = 1 } = wish;
  const under = Math.max(0, -low);
  const over = Math.max(0, peak);
  if (kind === 'linear') return linearScale(under, over, lines, whole);
  const one = 10 ** Math.floor(Math.log10(least));
  const { ticks, ...scale } = logScale(under / one, over / one, lines);
  const shown = apart(ticks, (LABEL_ROOM_PX / height) * (scale.high - scale.low));
  return { ...scale, one, ticks: shown.map((tick) => Number((tick * one).toPrecision(12))) };
}

/** The grid lines of a log scale that are at least a height apart, chosen from zero outward. */
function apart(ticks: readonly number[], least: number): number[] {
  const outward = (side: readonly number[]): number[] => {
    let last = 0;
    return side.filter((tick) => {
      const at = Math.abs(toHeight('log', tick));
      const fits = at - last >= least;
      if (fits) last = at;
      return fits;
    });
  };
  const under = ticks.filter((tick) => tick < 0).toReversed();
  return [...outward(under).toReversed(), 0, ...outward(ticks.filter((tick) => tick > 0))];
}

/** Grid lines at 1, 2, 2.5 or 5 times a power of ten; the outermost are at or beyond the values. */
function linearScale(under: number, over: number, lines: number, whole: boolean): ValueScale {
  const reach = under + over;
  if (!(reach > 0)) return { kind: 'linear', low: 0, high: 1, one: 1, ticks: [0, 1] };
  const raw = reach / lines;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5, 10].find((f) => f * power >= raw) ?? 10;
  const step = whole ? Math.max(1, Math.ceil(factor * power)) : factor * power;
  const steps = (value: number): number => Math.ceil(Number((value / step).toPrecision(12)));
  const ticks: number[] = [];
  // Avoids 0.30000000000000004.
  for (let n = -steps(under); n <= steps(over); n += 1)
    ticks.push(Number((n * step).toPrecision(12)));
  return { kind: 'linear', low: ticks[0] ?? 0, high: ticks.at(-1) ?? 1, one: 1, ticks };
}

/** Grid lines at zero and powers of ten, also at 2 and 5 times these if there are few. The ends are at the values. */
function logScale(under: number, over: number, lines: number): ValueScale {
  const reach = Math.max(1, under, over);
  const decades = Math.ceil(Number(Math.log10(reach).toPrecision(12)));
  const every = Math.max(1, Math.ceil(decades / (2 * lines)));
  const parts = 2 * decades <= lines ? [1, 2, 5] : [1];
  const powers: number[] = [];
  for (let k = 0; k <= decades; k += every) powers.push(...parts.map((part) => part * 10 ** k));
  const ends = (value: number): number =>
    value > 0
      ? ([0, 1, 2, 3]
          .flatMap((k) => [1, 2, 5].map((part) => part * 10 ** (k + startOf(value))))
          .find((end) => end >= value) ?? value)
      : 0;
  const [least, most] = [ends(under), over > 0 || under === 0 ? Math.max(1, ends(over)) : 0];
  const ticks = [
    ...powers
      .toReversed()
      .map((value) => -value)
      .filter((value) => value >= -least),
    0,
    ...powers.filter((value) => value <= most),
  ];
  return { kind: 'log', low: -toHeight('log', least), high: toHeight('log', most), one: 1, ticks };
}

/** The power of ten at or below a value, at least 1. */
function startOf(value: number): number {
  return Math.max(0, Math.floor(Math.log10(value)));
}

/** Extends two axes as far as needed to align their zeros. */
export function withOneZero(left: ValueScale, right: ValueScale): [ValueScale, ValueScale] {
  const below = ({ low, high }: ValueScale): number => -low / (high - low);
  const most = Math.max(below(left), below(right));
  if (most === 0) return [left, right];
  const share = most === 1 && Math.max(left.high, right.high) > 0 ? 0.5 : most;
  const letOut = (scale: ValueScale): ValueScale => {
    const over = share === 1 ? 0 : scale.high / (1 - share);
    const height = Math.max(-scale.low / share, over);
    return { ...scale, low: -share * height, high: (1 - share) * height };
  };
  return [letOut(left), letOut(right)];
}
