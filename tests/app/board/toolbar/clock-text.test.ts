import { expect, test } from 'vitest';
import { clockWords } from '#app/board/toolbar/clock-text.ts';

test.each([
  [61_000, '1 minute ahead of'],
  [-45 * 60_000, '45 minutes behind'],
  [30 * 3_600_000, '30 hours ahead of'],
  [-730 * 86_400_000, '730 days behind'],
])('reports clocks that differ by %i ms', (ms, words) => {
  expect(clockWords(ms)?.fact).toBe(`The platform’s clock is ${words} the service’s.`);
  expect(clockWords(ms)?.effect).toContain('settle by the earlier');
});

test.each([null, 0, 60_000, -60_000])('ignores a clock difference of %j ms', (ms) => {
  expect(clockWords(ms)).toBeNull();
});
