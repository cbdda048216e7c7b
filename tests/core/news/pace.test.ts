import { expect, it } from 'vitest';
import { LEAST_HOURS, lowPace, usualPace } from '#core/news/pace.ts';

const DAYS = 28;
/** Ten Posts an hour, forty at noon, and a thousand in the last learned day's evening. */
const counts = Float64Array.from({ length: (DAYS + 1) * 24 }, (_, hour) => {
  if (hour === DAYS * 24 - 4) return 1000;
  return hour % 24 === 12 ? 40 : 10;
});
const hours = { start: Date.parse('2016-01-01T00:00:00Z'), counts, learned: DAYS * 24 };

it('expects of an hour what is usual for it, whatever happened once', () => {
  const { hourly, noise } = usualPace(hours);
  const today = hourly.subarray(DAYS * 24);
  expect(today[3]).toBeCloseTo(10, 0);
  expect(today[12]).toBeCloseTo(40, 0);
  expect(today[20]).toBeCloseTo(10, 0);
  expect(noise).toBeCloseTo(1, 0);
});

it('learns nothing from the hours that it is compared with', () => {
  const more = counts.slice().fill(500, DAYS * 24);
  expect(usualPace({ ...hours, counts: more })).toEqual(usualPace(hours));
  expect(lowPace({ ...hours, counts: more })).toEqual(lowPace(hours));
});

it('is far below the usual pace in its low form', () => {
  expect(lowPace(hours).hourly[DAYS * 24]).toBeCloseTo(6.4, 1);
});

it('needs some hours', () => {
  expect(() => usualPace({ ...hours, learned: LEAST_HOURS - 1 })).toThrow(RangeError);
});
