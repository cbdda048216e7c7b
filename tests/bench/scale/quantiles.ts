import type { Random } from '#server/sample/random.ts';

/** A value that the share below it does not exceed; between two of them, values are spread evenly. */
export type Quantile = readonly [share: number, value: number];

/** @throws {RangeError} unless shares ascend from 0 to 1 and values do not descend. */
function verifyQuantiles(quantiles: readonly Quantile[]): void {
  const isWhole = quantiles[0]?.[0] === 0 && quantiles.at(-1)?.[0] === 1;
  const ascends = quantiles.every(([share, value], i) => {
    const before = quantiles[i - 1];
    return before === undefined || (share > before[0] && value >= before[1]);
  });
  if (!isWhole || !ascends)
    throw new RangeError(`expected quantiles from 0 to 1, got ${JSON.stringify(quantiles)}`);
}

/** A source of values with these quantiles. */
export function draws(quantiles: readonly Quantile[]): (random: Random) => number {
  verifyQuantiles(quantiles);
  return (random) => {
    const at = random.next();
    const i = quantiles.findIndex(([share]) => share > at);
    const [low, least] = quantiles[i - 1]!;
    const [high, most] = quantiles[i]!;
    return least + ((at - low) / (high - low)) * (most - least);
  };
}

/** Mean of the values of {@link draws}. */
export function meanOf(quantiles: readonly Quantile[]): number {
  verifyQuantiles(quantiles);
  return quantiles.reduce((sum, [share, value], i) => {
    const [low, least] = quantiles[i - 1] ?? [share, value];
    return sum + ((share - low) * (least + value)) / 2;
  }, 0);
}

/** Quantiles of measured values at these shares: the smallest at 0, the largest at 1. */
export function quantilesOf(values: readonly number[], shares: readonly number[]): Quantile[] {
  const sorted = [...values].sort((a, b) => a - b);
  return shares.map((share) => [
    share,
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN,
  ]);
}
