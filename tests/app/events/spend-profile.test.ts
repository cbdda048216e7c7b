import { expect, it } from 'vitest';
import { spendProfile } from '#app/events/spend-profile.ts';
import { DAY_MS } from '#core/time/span.ts';

const START = Date.parse('2025-10-24T22:00:00Z');
const HOURS = DAY_MS / 24;
/** Days that begin at hours after the first, with their spend. */
const days = (...all: readonly (readonly [hour: number, spend: number | null])[]) =>
  all.map(([hour, spend]) => ({
    start: START + hour * HOURS,
    spend,
    impressions: 1,
    clicks: null,
  }));

it.each([
  ['no day', days(), null],
  ['no known spend', days([0, null]), null],
  ['no spend', days([0, 0], [24, 0]), null],
  [
    'days of 24 and 25 hours next to each other',
    days([0, 2], [24, 4], [49, 1]),
    { days: 3.042, peak: 4, path: 'M0 1V0.500H1V1ZM1 1V0.000H2.042V1ZM2.042 1V0.750H3.042V1Z' },
  ],
  [
    'a gap where nothing is known, from the first known day',
    days([0, null], [24, 4], [48, null], [72, 4]),
    { start: START + DAY_MS, days: 3, peak: 4, path: 'M0 1V0.000H1V1ZM2 1V0.000H3V1Z' },
  ],
])('draws %s', (_, list, profile) => {
  expect(spendProfile(list)).toEqual(profile && { start: START, ...profile });
  expect(spendProfile(list)).toBe(spendProfile(list));
});
