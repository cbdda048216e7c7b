import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answerBytes,
  requestCount,
  leastTime,
  moneyOf,
  priceOfCount,
  usd,
  type RequestPace,
  type PoolStates,
} from '#core/counts/price.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';

const PRICES = { recent: 0.005, all: 0.01 };
const NOW = Date.parse('2026-11-20T12:00:00Z');
const requests = (recent: number, all: number): { endpoint: 'recent' | 'all' }[] => [
  ...Array.from({ length: recent }, () => ({ endpoint: 'recent' as const })),
  ...Array.from({ length: all }, () => ({ endpoint: 'all' as const })),
];

describe('money', () => {
  test.each([
    [0, 0, 0],
    [0, 244, 2.44],
    [1, 244, 2.445],
    [3, 0, 0.015],
    [7, 1220, 12.235],
  ])('%i of recent and %i of all cost %f dollars', (recent, all, money) => {
    expect(moneyOf(requests(recent, all), PRICES)).toBe(money);
    expect(requestCount(requests(recent, all))).toEqual({ recent, all });
  });

  test('has no binary rounding errors, whatever the prices', () => {
    const cents = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(cents, cents, fc.nat(5000), fc.nat(5000), (a, b, recent, all) => {
        const prices = { recent: a / 1000, all: b / 1000 };
        const exact = Number(`${a * recent + b * all}e-3`);
        expect(priceOfCount({ recent, all }, prices)).toBe(exact);
      }),
    );
  });

  test('adds up without rounding errors', () => {
    expect([0.1, 0.2, 0.005].reduce((sum, part) => usd(sum + part), 0)).toBe(0.305);
  });
});

const PACE: RequestPace = {
  recent: { requests: 300, windowSeconds: 900 },
  all: { requests: 300, windowSeconds: 900 },
  archiveSpacingMs: SECOND_MS,
};
const FULL: PoolStates = { recent: null, all: null };

describe('the minimum time', () => {
  const state = (remaining: number, seconds: number) => ({
    remaining,
    reset: NOW / SECOND_MS + seconds,
  });

  test.each<[string, number, number, PoolStates, number]>([
    ['nothing', 0, 0, FULL, 0],
    ['one request', 0, 1, FULL, 0],
    ['the whole archive in one pool, a second apart', 0, 244, FULL, 243],
    ['a full pool', 0, 300, FULL, 299],
    ['one more than a pool', 0, 301, FULL, 900],
    ['five whole archives', 0, 1220, FULL, 4 * 900 + 19],
    ['a full pool of recent at once', 300, 0, FULL, 0],
    ['two pools of recent', 301, 0, FULL, 900],
    ['both in parallel', 301, 244, FULL, 900],
    ['the rest of a pool', 0, 10, { recent: null, all: state(10, 60) }, 9],
    ['more than the rest of a pool', 0, 11, { recent: null, all: state(10, 60) }, 60],
    ['an empty pool', 0, 3, { recent: null, all: state(0, 120) }, 122],
    ['a pool that was filled since', 0, 244, { recent: null, all: state(0, -1) }, 243],
  ])('of %s', (_, recent, all, pools, seconds) => {
    expect(leastTime({ recent, all }, PACE, NOW, pools)).toBe(seconds * SECOND_MS);
  });

  test('of five whole archives is at least an hour', () => {
    expect(leastTime({ recent: 0, all: 1220 }, PACE, NOW, FULL)).toBeGreaterThanOrEqual(
      60 * MINUTE_MS,
    );
  });

  /** Sends requests one by one as soon as pool and spacing allow. */
  function simulated(n: number, pool: number, windowMs: number, spacing: number): number {
    let at = 0;
    let reset = -1;
    let left = 0;
    for (let i = 0; i < n; i += 1) {
      if (i > 0) at += spacing;
      if (left === 0 && at < reset) at = reset;
      if (at >= reset) [reset, left] = [at + windowMs, pool];
      left -= 1;
    }
    return at;
  }

  test('equals that of sending one by one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 20_000 }),
        (n, pool, windowSeconds, spacing) => {
          const pace: RequestPace = {
            recent: { requests: 1, windowSeconds: 1 },
            all: { requests: pool, windowSeconds },
            archiveSpacingMs: spacing,
          };
          expect(leastTime({ recent: 0, all: n }, pace, NOW, FULL)).toBe(
            simulated(n, pool, windowSeconds * SECOND_MS, spacing),
          );
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

describe('bytes', () => {
  const archive = [{ from: 0, to: 7549 }];

  test.each([
    ['day', 0.1e6, 0.1e6],
    ['hour', 1.6e6, 1.6e6],
    ['minute', 70e6, 87e6],
  ] as const)('of the whole archive by %s', (granularity, least, most) => {
    expect(answerBytes(archive, granularity)).toBeGreaterThanOrEqual(least);
    expect(answerBytes(archive, granularity)).toBeLessThanOrEqual(most);
  });

  test('grow with the requested days, whatever the number of requests', () => {
    const parts = [
      { from: 0, to: 4000 },
      { from: 4000, to: 7549 },
    ];
    expect(answerBytes(parts, 'hour')).toBe(answerBytes(archive, 'hour'));
    expect(answerBytes([], 'minute')).toBe(0);
  });
});
