/** An axis from zero: its end and the distance between its lines. */
export interface CountScale {
  readonly max: number;
  readonly step: number;
}

/**
 * The axis for counts up to `peak`: lines at 1, 2, 2.5 or 5 times a power of ten, whole counts only,
 * about `lines` of them, the last one at or above the peak.
 *
 * @param peak - Largest count drawn; zero or less gives an axis to 1.
 */
export function countScale(peak: number, lines = 5): CountScale {
  if (!(peak > 0)) return { max: 1, step: 1 };
  const raw = peak / lines;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5, 10].find((f) => f * power >= raw) ?? 10;
  const step = Math.max(1, Math.ceil(factor * power));
  return { max: Math.ceil(peak / step) * step, step };
}

/**
 * Moves labels apart so that none covers another: each keeps its place among the others, moves as little
 * as pushing needs, and stays between `top` and `bottom` as long as all fit there.
 *
 * @param wanted - Middle of each label in px, in any order.
 * @param height - Height of a label in px.
 * @returns The middles to draw at, in the order of `wanted`.
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
