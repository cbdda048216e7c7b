import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { livePace } from '#core/counts/live-budget.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';

const limit = { requests: 300, windowSeconds: 900 };
const three = { requests: 3, money: 0.015, limit };

describe('the refresh interval of a live board', () => {
  it.each([
    [
      'is a minute where much may be spent',
      three,
      { requests: null, money: 25, remainingMs: HOUR_MS },
      MINUTE_MS,
    ],
    // $0.30 are twenty refreshes: over ten hours, one every half hour.
    [
      'makes what may be spent last',
      three,
      { requests: null, money: 0.3, remainingMs: 10 * HOUR_MS },
      30 * MINUTE_MS,
    ],
    [
      'goes by requests as well',
      three,
      { requests: 30, money: null, remainingMs: 10 * HOUR_MS },
      HOUR_MS,
    ],
    [
      'is a quarter of an hour without a cap',
      three,
      { requests: null, money: null, remainingMs: DAY_MS },
      15 * MINUTE_MS,
    ],
    [
      'leaves half of the rate limit to others',
      { requests: 100, money: 0, limit },
      { requests: null, money: null, remainingMs: DAY_MS },
      10 * MINUTE_MS,
    ],
    [
      'is none where not one refresh is left',
      three,
      { requests: 2, money: null, remainingMs: HOUR_MS },
      null,
    ],
    [
      'is none where it would be too slow to be live',
      three,
      { requests: null, money: 0.02, remainingMs: DAY_MS },
      null,
    ],
  ])('%s', (_, refresh, allowance, expected) => {
    expect(livePace(refresh, [allowance])).toBe(expected);
  });

  it('never spends more than the allowance until it is renewed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0.02, max: 50, noNaN: true }),
        fc.integer({ min: MINUTE_MS, max: 31 * DAY_MS }),
        (series, money, remainingMs) => {
          const refresh = { requests: series, money: series * 0.005, limit };
          const pace = livePace(refresh, [{ requests: null, money, remainingMs }]);
          if (pace !== null)
            expect(Math.floor(remainingMs / pace) * refresh.money).toBeLessThanOrEqual(
              money + 1e-9,
            );
        },
      ),
    );
  });
});
