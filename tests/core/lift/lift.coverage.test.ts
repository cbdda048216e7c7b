import { describe, expect, it } from 'vitest';
import { LIFT_LEVELS } from '#core/lift/claim.ts';
import {
  calibrate,
  companySeries,
  COVERAGE,
  liftCalibrations,
  querySeries,
  type LiftCalibration,
} from '#tests/support/data/lifts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { long } from '#tests/support/run/long.ts';

const folder = realData();

/** The share that chance adds to a part of so many windows: three standard errors. */
const chance = (part: number, size: number): number => 3 * Math.sqrt((part * (1 - part)) / size);

/** Verifies that each claimed band holds as many windows without a campaign as it should, and more than simple bands. */
function expectCoverage(is: LiftCalibration, slack: (part: number) => number): void {
  for (const level of LIFT_LEVELS) {
    const [total, [min, max]] = [is.total[level], COVERAGE[level]];
    if (Number.isNaN(total)) continue;
    expect(total).toBeGreaterThanOrEqual(min - slack(min));
    expect(total).toBeLessThanOrEqual(max + slack(max));
    expect(is.scatter[level]).toBeLessThan(total);
    expect(is.poisson[level]).toBeLessThan(is.scatter[level]);
  }
  if (Number.isNaN(is.everyday[90])) return;
  expect(is.everyday[90]).toBeGreaterThanOrEqual(0.82 - slack(0.82));
  expect(is.everyday[90]).toBeLessThanOrEqual(0.99 + slack(0.99));
}

describe.runIf(folder)('windows without a campaign are in the band as often as it says', () => {
  // The short form leaves out the window that takes half the time.
  const settings = [
    { unit: 'day', length: 7, years: { min: 1, max: 1 }, read: querySeries },
    { unit: 'day', length: 14, years: { min: 1, max: 1 }, read: querySeries },
    { unit: 'hour', length: 24, years: null, read: companySeries },
  ] as const;
  it.each(settings.filter(({ length }) => long() || length !== 7))(
    '$length $unit windows',
    ({ read, ...setting }) => {
      const is = calibrate(read(folder ?? ''), setting, { draws: 2, windows: 1, added: [] });
      expect(is.figures).toBeGreaterThan(50);
      // A fraction of the windows of the long form.
      expectCoverage(is, (part) => chance(part, is.figures));
    },
  );

  it(
    'over 30 words and ten companies, and lifts are found as they were added; the exceptions are those of docs/lift.md',
    { tags: 'long' },
    () => {
      const draws = { draws: 5, windows: 1, added: [0.2, 0.5, 1] };
      for (const { name, setting, is } of liftCalibrations(folder ?? '', draws)) {
        expect(is.series, name).toBeGreaterThanOrEqual(setting.unit === 'day' ? 30 : 10);
        // Only the last fifteen months have two full years before them, in which the corpus nearly falls silent.
        const isFading = setting.years?.min === 2;
        const slack = (part: number): number => chance(part, is.figures);
        if (!isFading) expectCoverage(is, slack);
        for (const level of LIFT_LEVELS) {
          if (!Number.isNaN(is.total[level]))
            expect(is.scatter[level], name).toBeLessThan(is.total[level]);
        }
        for (const { held, bias } of is.added) {
          expect(Math.abs(held - is.own), name).toBeLessThanOrEqual(0.04);
          // Besides that of the same windows without a lift.
          expect(Math.abs((1 + bias) / (1 + is.bias) - 1), name).toBeLessThanOrEqual(0.05);
        }
        const found = isFading ? 0.5 : setting.length === 28 ? 0.65 : 0.7;
        expect(is.detected, name).toBeGreaterThanOrEqual(found - slack(found));
        expect(is.detected, name).toBeLessThanOrEqual(0.9);
      }
    },
  );
});
