import { expect, it } from 'vitest';
import { LIFT_LEVELS, rankNeeded, rankOf } from '#core/lift/claim.ts';
import { liftBand } from '#core/lift/lift.ts';
import { Random } from '#server/sample/random.ts';
import { long } from '#tests/support/run/long.ts';

const CASES = long() ? 10_000 : 2_000;

it('0 outside the band and the rank say the same in random cases, with ties', () => {
  const random = new Random(32);
  const seen = { rise: 0, fall: 0, none: 0, unclaimed: 0 };
  const faults: object[] = [];
  for (let n = 0; n < CASES; n += 1) {
    const separate = 1 + random.below(60);
    const length = 1 + random.below(30);
    const size = separate * length + random.below(length);
    // Coarse values are often equal, also to that of the campaign.
    const steps = random.pick([4, 50, 1e9]);
    const draw = (): number => (random.below(steps) - random.below(steps)) / steps;
    const sorted = Float64Array.from({ length: size }, draw).sort();
    const value = random.pick([draw(), 3 * draw(), sorted[random.below(size)] ?? 0]);
    const below = sorted.filter((each) => each < value).length;
    const above = sorted.filter((each) => each > value).length;
    const rank = rankOf(separate, size, below, above);
    for (const level of LIFT_LEVELS) {
      const band = liftBand({ posts: 1 + random.below(1000), value }, { sorted, separate }, level);
      const needed = rankNeeded(separate, level);
      if ((band === null) !== needed > separate) faults.push({ separate, level });
      if (!band) {
        seen.unclaimed += 1;
        continue;
      }
      const { low, high, additional } = band;
      const rises = [low > 0, additional.low > 0, rank.larger >= needed];
      const falls = [high < 0, additional.high < 0, rank.smaller >= needed];
      if (new Set(rises).size > 1 || new Set(falls).size > 1) faults.push({ value, band, rank });
      seen[band.low > 0 ? 'rise' : band.high < 0 ? 'fall' : 'none'] += 1;
    }
  }
  expect(faults).toEqual([]);
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(CASES / 10);
});
