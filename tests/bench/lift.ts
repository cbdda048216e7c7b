import { liftOf } from '#core/lift/lift.ts';
import { DAY_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { COVERAGE, liftCalibrations } from '#tests/support/data/lifts.ts';
import { realData } from '#tests/support/data/posts.ts';
import { plainCurve } from '#tests/support/data/volumes.ts';
import { goal, shown, table, time } from './measure.ts';
import type { LiftInput } from '#core/lift/lift-input.ts';

const part = (value: number): string => (Number.isNaN(value) ? '' : (100 * value).toFixed(1));
const signed = (value: number): string => `${value < 0 ? '' : '+'}${(100 * value).toFixed(1)}`;

/**
 * Compares bands with windows without a campaign and with added Posts, over real counts, and times three years of days.
 *
 * @param windows - Windows of each series with each control, in each of five draws.
 */
export async function benchLift(windows: number, rounds: number): Promise<void> {
  const folder = realData();
  if (folder) benchCoverage(folder, windows);
  else
    process.stdout.write('GROUNDSWELL_TEST_DATA is not set: lifts are not compared with counts.\n');
  const size = 3 * 365;
  const random = new Random(1);
  const bounds = Float64Array.from({ length: size + 1 }, (_, i) => i * DAY_MS);
  const days = (mean: number) =>
    plainCurve(
      bounds,
      Float64Array.from({ length: size }, () => random.poisson(mean)),
    );
  const input: LiftInput = {
    unit: 'day',
    curve: days(60),
    control: { curve: days(200), contamination: null },
    slots: Uint8Array.from({ length: size }, (_, i) => i % 7),
    campaign: { first: size - 7, end: size },
    others: [{ first: 500, end: 514 }],
    seams: [],
  };
  const rows = [['a lift of', 'ms']];
  for (const length of [7, 14, 28]) {
    const campaign = { first: size - length, end: size };
    // The first rounds of a page are not compiled; a board computes several.
    const took = await time(rounds, () => liftOf({ ...input, campaign }));
    rows.push([`${length} days after three years`, shown(took)]);
    if (length === 7) goal('three years of days, one control', took.median, '≤', 5, ' ms');
  }
  table('Computing a lift', rows);
}

function benchCoverage(folder: string, windows: number): void {
  const levels = [95, 90, 80] as const;
  const bands = [['windows', 'figures', 'none', 'at', 'lift', 'everyday', 'Poisson', 'days']];
  const lifts = [['windows', 'added', 'in the band', 'bias', 'of none added']];
  const sizes = [['windows', 'visible', 'everyday', 'planned lift found']];
  for (const { name, is } of liftCalibrations(folder, {
    draws: 5,
    windows,
    added: [0.2, 0.5, 1],
  })) {
    for (const level of levels) {
      if (Number.isNaN(is.total[level])) continue;
      bands.push([
        name,
        String(is.figures),
        String(is.refusals),
        `${level}%`,
        ...[is.total, is.everyday, is.poisson, is.scatter].map((of) => part(of[level])),
      ]);
      const [least, most] = COVERAGE[level];
      goal(`in the band of ${level}%, ${name}, at least`, is.total[level], '≥', least, '');
      goal(`in the band of ${level}%, ${name}, at most`, is.total[level], '≤', most, '');
    }
    for (const { lift, held, bias } of is.added) {
      lifts.push([
        name,
        part(lift),
        part(held),
        signed(bias),
        `${part(is.own)} ${signed(is.bias)}`,
      ]);
    }
    sizes.push([name, signed(is.visible), signed(is.everydayVisible), part(is.detected)]);
    goal(`lift to plan for found, ${name}, at least`, is.detected, '≥', 0.7, '');
    goal(`lift to plan for found, ${name}, at most`, is.detected, '≤', 0.9, '');
  }
  table('Windows without a campaign in the band, in percent', bands);
  table('Windows with added Posts, in percent', lifts);
  table('Lifts that are seen, in percent', sizes);
}
