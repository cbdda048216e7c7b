import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { roughDuration } from '#app/format/duration.ts';

it.each([
  [0, '1 minute'],
  [90_000, '2 minutes'],
  [2 * HOUR_MS - MINUTE_MS, '119 minutes'],
  [2 * HOUR_MS, '2 hours'],
  [2 * DAY_MS - HOUR_MS, '47 hours'],
  [2 * DAY_MS, '2 days'],
  [2.4 * DAY_MS, '2 days'],
])('gives %i ms in the largest unit that fits twice: %s', (ms, text) => {
  expect(roughDuration(ms)).toBe(text);
});

it('rounds up where the rest matters', () => {
  expect(roughDuration(2.4 * DAY_MS, Math.ceil)).toBe('3 days');
});
