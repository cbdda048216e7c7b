import fc from 'fast-check';
import { expect, it } from 'vitest';
import { statusOf } from '#core/notes/status.ts';
import { DAY_MS } from '#core/time/span.ts';

const ratings = (helpful: number, somewhat: number, not: number) => ({
  helpful,
  somewhat_helpful: somewhat,
  not_helpful: not,
});

it.each([
  ['unknown', ratings(0, 0, 0), 0],
  ['needs_more_ratings', ratings(4, 0, 0), 0],
  ['minimum_ratings_not_met', ratings(4, 0, 0), 14 * DAY_MS],
  ['currently_rated_helpful', ratings(7, 0, 3), 0],
  ['currently_rated_not_helpful', ratings(3, 0, 7), 0],
  ['currently_rated_not_helpful', ratings(0, 0, 19), 0],
  ['firm_reject', ratings(2, 0, 18), 0],
  ['needs_your_help', ratings(0, 19, 0), 0],
  ['insufficient_consensus', ratings(0, 20, 0), 0],
] as const)('%s', (status, given, age) => {
  expect(statusOf(given, age)).toBe(status);
});

it('does not turn from helpful by another helpful rating, nor from not helpful by another that is not', () => {
  const n = fc.nat({ max: 60 });
  fc.assert(
    fc.property(n, n, n, (helpful, somewhat, not) => {
      const status = statusOf(ratings(helpful, somewhat, not), 0);
      if (status === 'currently_rated_helpful') {
        expect(statusOf(ratings(helpful + 1, somewhat, not), 0)).toBe(status);
      }
      if (status === 'currently_rated_not_helpful' || status === 'firm_reject') {
        expect(['currently_rated_not_helpful', 'firm_reject']).toContain(
          statusOf(ratings(helpful, somewhat, not + 1), 0),
        );
      }
    }),
  );
});
