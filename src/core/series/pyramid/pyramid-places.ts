import { firstIndex } from '#core/first-index.ts';
import { type Pyramid, holesBefore, extentOf, LEAF, RADIX } from './pyramid.ts';

/** Index of the last known value of `[from, to)`, -1 if none; logarithmic in its length. */
export function lastKnown(pyramid: Pyramid, from: number, to: number): number {
  if (from < to && !Number.isNaN(pyramid.values[to - 1])) return to - 1;
  const gone = holesBefore(pyramid, to);
  const after = firstIndex(from, to, (i) => to - i <= gone - holesBefore(pyramid, i));
  return after > from ? after - 1 : -1;
}

/** Index of the first known value of `[from, to)`, `to` if none; logarithmic in its length. */
export function firstKnown(pyramid: Pyramid, from: number, to: number): number {
  const gone = holesBefore(pyramid, from);
  return firstIndex(from, to, (i) => holesBefore(pyramid, i + 1) - gone < i + 1 - from);
}

/** Index of the first value of `[from, to)` above a floor, -1 if none; skips whole blocks. */
export function firstAbove(pyramid: Pyramid, from: number, to: number, floor: number): number {
  return firstHigh(pyramid, from, to, (value) => value > floor);
}

/** Index of the first of the highest values of `[from, to)`, -1 if none is known; skips whole blocks. */
export function firstHighest(pyramid: Pyramid, from: number, to: number): number {
  const [, max = 0] = extentOf(pyramid, from, to);
  return max === -Infinity ? -1 : firstHigh(pyramid, from, to, (value) => value >= max);
}

/** Index of the first value that is high enough, -1 if none. @param enough - False for NaN and -Infinity. */
function firstHigh(
  pyramid: Pyramid,
  from: number,
  to: number,
  enough: (value: number) => boolean,
): number {
  let i = from;
  while (i < to) {
    let width = i % LEAF === 0 ? LEAF : 0;
    let passed = 0;
    for (const { max } of pyramid.levels) {
      if (width === 0 || i % width !== 0 || enough(max[i / width] ?? Infinity)) break;
      passed = width;
      width *= RADIX;
    }
    if (passed > 0) i += passed;
    else if (enough(pyramid.values[i] ?? NaN)) return i;
    else i++;
  }
  return -1;
}
