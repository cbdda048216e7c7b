import { describe, expect, it } from 'vitest';
import { readTruth } from '#tests/support/data/forecasts.ts';
import { long } from '#tests/support/run/long.ts';
import { calledClear, NOISES, weekPairs, type Setting } from '#tests/support/data/margins.ts';
import { realData } from '#tests/support/data/posts.ts';

const PAIRS = long() ? 4000 : 400;
/** The share that chance adds to 3 to 7 in a hundred: three standard errors. */
const CHANCE = 3 * Math.sqrt((0.05 * 0.95) / PAIRS);

describe('a change without a cause', () => {
  // The short form has each noise at one of the two lengths.
  const settings = NOISES.flatMap((noise, i): Setting[] =>
    [
      { ...noise, mean: 10, length: 7, stretches: 26 },
      { ...noise, mean: 40, length: 3, stretches: 26 },
    ].filter((_, k) => long() || k === i % 2),
  );
  it.each(settings)(
    'is called clear in 3 to 7 of 100: variance ÷ mean $ratio, correlation $correlation, $length days of $mean',
    (setting) => {
      const part = calledClear(setting, PAIRS, 7);
      expect(part).toBeGreaterThan(0.03 - CHANCE);
      expect(part).toBeLessThan(0.07 + CHANCE);
    },
  );
});

const folder = realData();
describe.runIf(folder)('changes of real weeks', () => {
  it('are called clear by a fifth as often as by the margin of coin tosses', () => {
    const series = readTruth(folder ?? '', 'day').filter((_, i) => long() || i % 3 === 0);
    const tossed = weekPairs(series, 10, true);
    const fitting = weekPairs(series, 10, false);
    expect(fitting.pairs).toBe(tossed.pairs);
    expect(fitting.clear / fitting.pairs).toBeLessThan(tossed.clear / tossed.pairs / 5);
  });
});
