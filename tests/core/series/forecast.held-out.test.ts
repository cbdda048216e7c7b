import { describe, expect, it } from 'vitest';
import { heldOut, HELD_OUT } from '#tests/support/data/forecasts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { long } from '#tests/support/run/long.ts';

const folder = realData();

/** The short form has the cheapest case of queries and of companies; the others take nine tenths of the time. */
const SHORT = ['weeks of queries, the next quarter', 'hours of companies, the next day'];
const CASES = HELD_OUT.filter(({ name }) => long() || SHORT.includes(name));

describe.runIf(folder)('forecasts of held-out weeks of real counts', () => {
  it.each(CASES)(
    '$name: 70 to 90 % are in the 80 % interval, with less error than last week’s',
    ({ read, plan, least = 0.7 }) => {
      // The benchmark compares three times as many.
      const few = { ...plan, every: plan.every * 3 };
      const { covered, mase, naive, forecasts, classes } = heldOut(read(folder ?? ''), few);
      expect(forecasts).toBeGreaterThanOrEqual(20);
      expect(covered).toBeGreaterThan(least);
      expect(covered).toBeLessThan(0.9);
      expect(mase).toBeLessThan(naive.mase);
      // Below ten Posts a bucket, zero alone is often more than the band should hold.
      for (const { from, ...group } of classes) {
        if (from < 10 || group.forecasts < 60) continue;
        expect(group.covered, `volumes from ${from}`).toBeGreaterThan(0.7);
        expect(group.covered, `volumes from ${from}`).toBeLessThan(0.9);
      }
    },
  );
});
