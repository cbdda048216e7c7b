import type { LineParts } from './decimate.ts';

/** The point for a line's name: where the line leaves the view, else its last point. Null if nothing is drawn. */
export function endIn(
  { line, end }: Pick<LineParts, 'line' | 'end'>,
  until: number,
): { x: number; y: number } | null {
  if (!end || end.x <= until) return end;
  for (let i = line.length - 4; i >= 0; i -= 2) {
    const [x = 0, y = 0, nextX = 0, nextY = 0] = line.subarray(i, i + 4);
    if (x > until || Number.isNaN(y)) continue;
    if (Number.isNaN(nextY)) return { x, y };
    return { x: until, y: y + ((nextY - y) * (until - x)) / (nextX - x) };
  }
  return end;
}

/**
 * Moves labels apart so that they do not overlap. They keep their order, move as little as possible, and stay between
 * `top` and `bottom` if all fit.
 *
 * @param wanted - Desired middle of each label, px, in any order.
 * @param height - Height of a label, px.
 * @returns The actual middles, in the order of `wanted`.
 */
export function spreadLabels(
  wanted: readonly number[],
  height: number,
  top: number,
  bottom: number,
): number[] {
  const order = wanted
    .map((_, i) => i)
    .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b);
  const placed = wanted.map((y) => y);
  let least = top + height / 2;
  for (const i of order) {
    placed[i] = Math.max(least, wanted[i] ?? 0);
    least = (placed[i] ?? 0) + height;
  }
  let most = bottom - height / 2;
  for (const i of order.toReversed()) {
    placed[i] = Math.min(most, placed[i] ?? 0);
    most = (placed[i] ?? 0) - height;
  }
  return placed;
}
