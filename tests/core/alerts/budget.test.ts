import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countedSteps, takeSteps } from '#core/alerts/back-test.ts';
import {
  WITHIN_TWICE,
  BUDGETS,
  chooseFactor,
  FACTORS,
  judgedCounts,
  watchUnitOf,
} from '#core/alerts/budget.ts';
import { riseOnsets } from '#core/alerts/rises.ts';
import { startAlert, type AlertRule, type PastCounts } from '#core/alerts/state.ts';
import { boundaries } from '#core/time/boundary.ts';
import { DAY_MS } from '#core/time/span.ts';
import { localInstant, zoneTable } from '#core/time/zone.ts';
import { Random } from '#server/sample/random.ts';
import { runs } from '#tests/support/run/runs.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo'] as const;

/** Random counts of whole local days, with bursts and gaps. */
function someCounts(random: Random, zone: string, unit: 'hour' | 'day', days: number): PastCounts {
  const wall = Date.UTC(2017, 0, 1) + random.below(300) * DAY_MS;
  const table = zoneTable(zone, { start: wall, end: wall + 400 * DAY_MS });
  const span = {
    start: localInstant(table, wall),
    end: localInstant(table, wall + days * DAY_MS),
  };
  const bounds = boundaries(span, unit, table, 1);
  const level = random.pick([0.5, 2, 8, 30]);
  let burst = 0;
  const counts = Float64Array.from({ length: bounds.length - 1 }, () => {
    burst = burst > 0 ? burst - 1 : random.chance(0.01) ? random.below(12) : 0;
    return random.chance(0.005) ? NaN : random.poisson(level * (burst > 0 ? 5 : 1));
  });
  return { bounds, counts };
}

it('the rises counted for a budget are those of the alert over the same counts', () => {
  let rises = 0;
  for (let n = 0; n < runs(200); n += 1) {
    const random = new Random(n);
    const zone = random.pick(ZONES);
    const unit = random.pick(['hour', 'day'] as const);
    const counts = someCounts(random, zone, unit, 50);
    const factor = random.pick([1.5, 2, 3, 5]);
    const from = counts.bounds.length - 1 - (unit === 'hour' ? 400 : 18);
    const start = counts.bounds[from] ?? NaN;
    const rule: AlertRule = { zone, unit, direction: 'rise', factor };
    const begun = startAlert(rule, start, start, {
      bounds: Array.from(counts.bounds).slice(0, from + 1),
      counts: Array.from(counts.counts).slice(0, from),
    });
    const { length } = counts.counts;
    const { messages } = takeSteps(rule, begun, countedSteps(counts, from, length));
    const onsets = messages.filter(({ kind }) => kind === 'rise').map(({ onset }) => onset);
    const counted = riseOnsets(judgedCounts(counts, zone, unit), factor, from, length);
    expect(counted.map((i) => counts.bounds[i])).toEqual(onsets);
    rises += onsets.length;
  }
  expect(rises).toBeGreaterThan(runs(200));
});

describe('a budget', () => {
  const counts = someCounts(new Random(3), 'Europe/Berlin', 'hour', 160);
  const judged = judgedCounts(counts, 'Europe/Berlin', 'hour');
  const size = counts.counts.length;

  it.each(['day', 'week', 'month'] as const)(
    'of once a %s gives the smallest factor from which on every one keeps to it',
    (budget) => {
      const { factor, rises, weeks, ...chosen } = chooseFactor(judged, budget);
      expect({ weeks, ...chosen }).toEqual({ weeks: 13, budget: 'kept' });
      const keeps = FACTORS.filter((each) => {
        const onsets = riseOnsets(judged, each, size - 13 * 7 * 24, size);
        return onsets.length <= BUDGETS[budget];
      });
      expect(keeps).toContain(factor);
      expect(rises).toBeLessThanOrEqual(BUDGETS[budget]);
      const larger = FACTORS.filter((each) => each >= factor);
      expect(keeps).toEqual(expect.arrayContaining(larger));
      const next = FACTORS[FACTORS.indexOf(factor) - 1];
      if (next !== undefined) expect(keeps).not.toContain(next);
    },
  );

  it('needs 12 of 13 weeks after the four that the usual needs; until then the factor is 3', () => {
    const some = (days: number) => {
      const { bounds, counts: posts } = someCounts(new Random(1), 'UTC', 'hour', days);
      return chooseFactor(judgedCounts({ bounds, counts: posts }, 'UTC', 'hour'), 'week');
    };
    expect(some(28)).toEqual({ factor: 3, weeks: 0, rises: 0, budget: 'short' });
    expect(some(28 + 35)).toMatchObject({ factor: 3, weeks: 5, budget: 'short' });
    expect(some(28 + 13 * 7)).toMatchObject({ weeks: 13, budget: 'kept' });
  });

  it('that the largest factor exceeds says so', () => {
    // Every other week a day has a thousand times as many Posts.
    const bounds = Float64Array.from({ length: 160 * 24 + 1 }, (_, i) => i * 3_600_000);
    const posts = Float64Array.from({ length: 160 * 24 }, (_, i) => (i % 336 === 5 ? 5000 : 5));
    const chosen = chooseFactor(judgedCounts({ bounds, counts: posts }, 'UTC', 'hour'), 'month');
    expect(chosen).toMatchObject({ factor: 60, budget: 'exceeded' });
    expect(chosen.rises).toBeGreaterThan(3);
  });
});

describe('a topic is watched by days', () => {
  it.each([
    [1, 'hour'],
    [0, 'day'],
  ] as const)('if it has fewer than one Post an hour: %d gives %s', (count, unit) => {
    const counts = new Float64Array(1000).fill(count).fill(5, 0, 200);
    expect(watchUnitOf(counts)).toBe(unit);
  });

  it('whatever is unknown', () => {
    expect(watchUnitOf(new Float64Array(1000).fill(NaN))).toBe('day');
    expect(watchUnitOf(new Float64Array(1000).fill(NaN).fill(2, 990))).toBe('hour');
  });
});

it('buckets that are not whole days of the zone are refused', () => {
  const bounds = Float64Array.from({ length: 25 }, (_, i) => i * 3_600_000);
  expect(() =>
    judgedCounts({ bounds, counts: new Float64Array(24) }, 'Asia/Tokyo', 'hour'),
  ).toThrow(/expected buckets of whole days of Asia\/Tokyo/);
});

it('says of each budget what is published as measured', () => {
  const docs = readFileSync('docs/alerts.md', 'utf8');
  const rows = docs.matchAll(
    /^\| once a (\w+) .*\n\| \| each by hours or days \| \d+ \| \**(\d+)%/gm,
  );
  expect(
    Object.fromEntries(Array.from(rows, ([, budget, within]) => [budget, Number(within)])),
  ).toEqual(WITHIN_TWICE);
});

it('a factor that is given is used, and compared with the budget', () => {
  const judged = judgedCounts(someCounts(new Random(1), 'UTC', 'day', 150), 'UTC', 'day');
  const chosen = chooseFactor(judged, 'month');
  expect(chooseFactor(judged, 'month', chosen.factor)).toEqual(chosen);
  const low = chooseFactor(judged, 'month', FACTORS[0]);
  expect([low.factor, low.budget]).toEqual([1.5, low.rises > BUDGETS.month ? 'exceeded' : 'kept']);
});
