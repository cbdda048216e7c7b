import { describe, expect, test } from 'vitest';
import type { Granularity } from '#core/time/bucket.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { long } from '#tests/support/run/long.ts';
import { Household, STRATEGIES, lastDays, type Strategy } from './household.ts';

type LookAt = (view: Span, granularity?: Granularity) => void;
type Session = (home: Household, look: LookAt, random: Random) => void;

const around = (instant: number, days: number): Span => {
  const day = Math.floor(instant / DAY_MS) * DAY_MS;
  return { start: day - days * DAY_MS, end: day + (days + 1) * DAY_MS };
};

/** Sessions of the table in the ledger's rules. */
const SESSIONS: Record<string, Session> = {
  'first look, 30 days': (home, look) => look(lastDays(home.now, 30)),
  '365 days': (home, look) => look(lastDays(home.now, 365)),
  '30, 90, 365 days, a zoom in minutes, 60 daily refreshes': (home, look, random) => {
    for (const days of [30, 90, 365]) look(lastDays(home.now, days));
    look(around(home.now - (20 + random.below(300)) * DAY_MS, random.below(4)), 'minute');
    for (let i = 0; i < 60; i += 1) {
      home.now += DAY_MS;
      look(lastDays(home.now, 30));
    }
  },
  'weekly report and the year before, 52 weeks': (home, look) => {
    for (let i = 0; i < 52; i += 1) {
      const { end } = lastDays(home.now, 1);
      const week = { start: end - 8 * DAY_MS, end: end - DAY_MS };
      look(week);
      look({ start: week.start - 364 * DAY_MS, end: week.end - 364 * DAY_MS });
      home.now += 7 * DAY_MS;
    }
  },
  '12 peaks in minutes, then 10 days to each side': (home, look, random) => {
    const peaks = Array.from({ length: 12 }, () => home.now - (20 + random.below(345)) * DAY_MS);
    for (const peak of peaks) look(around(peak, 0), 'minute');
    for (const peak of peaks) look(around(peak, 10), 'minute');
  },
  '10 ranges, then the whole archive': (home, look, random) => {
    const days = Math.floor((home.now - ARCHIVE_START) / DAY_MS);
    for (let i = 0; i < 10; i += 1) {
      const length = 7 + random.below(180);
      const start = ARCHIVE_START + random.below(days - length) * DAY_MS;
      look({ start, end: start + length * DAY_MS });
    }
    look({ start: ARCHIVE_START, end: lastDays(home.now, 1).end });
  },
};

const ROUNDS = long() ? 25 : 10;

/** Mean number of requests over sessions at a time of day in 2024 and 2025. */
function mean(session: Session, strategy: Strategy): number {
  let requests = 0;
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = new Random(seed);
    const day = Date.UTC(2024, 0, 1) + random.below(700) * DAY_MS;
    const home = new Household(day + HOUR_MS + random.below(22 * HOUR_MS));
    session(home, (view, granularity) => home.look(view, granularity, strategy), random);
    requests += home.bought.length;
  }
  return requests / ROUNDS;
}

interface Means {
  readonly windows: number;
  readonly wholeCells: number;
  readonly clippedCells: number;
}

const MEANS = new Map<string, Means>(
  Object.entries(SESSIONS).map(([name, session]) => [
    name,
    {
      windows: mean(session, STRATEGIES.windows),
      wholeCells: mean(session, STRATEGIES.wholeCells),
      clippedCells: mean(session, STRATEGIES.clippedCells),
    },
  ]),
);

/** The one session in which random ranges leave gaps that whole cells do not. */
const STREWN = '10 ranges, then the whole archive';

describe('over seeded sessions', () => {
  test('windows cost no more than whole or clipped cells on average', () => {
    const sum = (of: (means: Means) => number): number =>
      [...MEANS.values()].reduce((all, means) => all + of(means), 0);
    expect(sum(({ windows }) => windows)).toBeLessThan(sum(({ wholeCells }) => wholeCells));
    expect(sum(({ windows }) => windows)).toBeLessThan(sum(({ clippedCells }) => clippedCells));
  });

  test.each([...MEANS])('%s: never more than clipped cells', (_, { windows, clippedCells }) => {
    expect(windows).toBeLessThan(clippedCells);
  });

  test.each([...MEANS].filter(([name]) => name !== STREWN))(
    '%s: never more than whole cells',
    (_, { windows, wholeCells }) => {
      expect(windows).toBeLessThan(wholeCells);
    },
  );

  test(`${STREWN}: at most one request in forty more than whole cells`, () => {
    const { windows, wholeCells } = MEANS.get(STREWN) as Means;
    expect(windows).toBeLessThanOrEqual(wholeCells * 1.025);
  });

  test.each([
    ['first look, 30 days', 1],
    ['365 days', 12],
    ['30, 90, 365 days, a zoom in minutes, 60 daily refreshes', 73],
    ['weekly report and the year before, 52 weeks', 64],
  ])('%s: %i requests, the least possible', (name, requests) => {
    expect(MEANS.get(name)?.windows).toBe(requests);
  });
});
