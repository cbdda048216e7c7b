import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNTING } from '#core/series/confidence.ts';
import {
  dispersionBy,
  dispersionOf,
  historyBefore,
  recordedOf,
  type Recorded,
} from '#core/series/dispersion.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { Random } from '#server/sample/random.ts';
import { flatDays, weekdaysOf } from '#tests/support/data/margins.ts';
import { curveOf } from './curves.ts';

const MONDAY = Date.UTC(2026, 0, 5);
const table = zoneTable('Europe/Berlin', { start: MONDAY, end: MONDAY + 900 * DAY_MS });
const flat = { mean: 50, ratio: 1, correlation: 0 };

describe('the dispersion of stretches', () => {
  it.each([
    [1, 0, 1],
    [5, 0, 5],
    // Seven days of variance V, correlated by 0.5 ** distance, without what neighbouring weeks share.
    [1, 0.5, (17.03 - 1.97) / 7],
    [5, 0.5, (5 * (17.03 - 1.97)) / 7],
  ])('of days of %d, correlated by %d, is %d', (ratio, correlation, expected) => {
    const days = flatDays(new Random(5), 7 * 3000, { ...flat, ratio, correlation });
    const found = dispersionOf(weekdaysOf(days), 7);
    expect((found?.ratio ?? 0) / expected).toBeCloseTo(1, 0.9);
  });

  it('ignores a weekly rhythm, at any length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 7, maxLength: 7 }),
        fc.integer({ min: 1, max: 20 }),
        (week, length) => {
          const days = Array.from({ length: 280 }, (_, i) => week[i % 7] ?? 0);
          expect(dispersionOf(weekdaysOf(days), length)?.ratio).toBeCloseTo(0, 9);
        },
      ),
    );
  });

  it('is the same with a rhythm as without, for single days as for weeks', () => {
    const of = (mean: number) =>
      flatDays(new Random(mean), 7 * 400, { mean, ratio: 3, correlation: 0 });
    const [workdays, weekends] = [of(400), of(40)];
    const days = workdays.map((count, i) => (i % 7 > 4 ? (weekends[i] ?? 0) : count));
    for (const length of [1, 3, 7]) {
      const ratio = dispersionOf(weekdaysOf(days), length)?.ratio ?? 0;
      expect(Math.abs(ratio / 3 - 1)).toBeLessThan(0.25);
    }
  });

  it('leaves out unknown buckets, and is none without a Post or a pair', () => {
    const days = flatDays(new Random(1), 140, flat);
    const holed = days.map((count, i) => (i === 70 ? NaN : count));
    expect(dispersionOf(weekdaysOf(holed), 7)).toMatchObject({ stretches: 19 });
    expect(dispersionOf(weekdaysOf(days), 7)).toMatchObject({ stretches: 20 });
    expect(dispersionOf(weekdaysOf(new Float64Array(140)), 7)).toBeNull();
    expect(dispersionOf(weekdaysOf(days), 71)).toBeNull();
    expect(() => dispersionOf(weekdaysOf(days), 0)).toThrow(RangeError);
  });

  it('has about twice as many degrees of freedom as stretches that do not overlap', () => {
    const days = flatDays(new Random(1), 182, flat);
    // W. J. Riley, Handbook of Frequency Stability Analysis (NIST SP 1065), 5.4.1: 35.9 for white noise.
    expect(dispersionOf(weekdaysOf(days), 7)?.degrees).toBeCloseTo(35.9, -0.5);
  });
});

describe('history', () => {
  it('ends where the view begins, leaves out the compared time, and knows its weekdays', () => {
    const curve = curveOf(
      Array.from({ length: 30 }, () => 1),
      { start: MONDAY - HOUR_MS, width: DAY_MS },
    );
    const left = [
      { start: MONDAY + 20 * DAY_MS, end: Infinity },
      { start: MONDAY + 3 * DAY_MS, end: MONDAY + 4 * DAY_MS },
    ];
    const { counts, phases, cycle } = recordedOf([curve], 'day', left, table);
    const known = Array.from(counts).flatMap((count, i) => (Number.isNaN(count) ? [] : i));
    expect(known).toEqual([0, 1, 2, ...Array.from({ length: 15 }, (_, i) => i + 5)]);
    expect(Array.from(phases).slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 0]);
    expect(cycle).toBe(7);
  });

  it('is hours for spans below three days, at least eight weeks, and not before the archive', () => {
    expect(historyBefore(MONDAY, 5 * HOUR_MS)).toEqual({
      unit: 'hour',
      span: { start: MONDAY - 56 * DAY_MS, end: MONDAY },
    });
    expect(historyBefore(MONDAY, 30 * DAY_MS)).toEqual({
      unit: 'day',
      span: { start: MONDAY - 780 * DAY_MS, end: MONDAY },
    });
    expect(historyBefore(MONDAY, 3650 * DAY_MS).span.start).toBe(Date.UTC(2006, 2, 21));
  });

  it('with fewer than nine stretches gives way to the buckets of the spans, and says so', () => {
    const days = (size: number): Recorded =>
      weekdaysOf(flatDays(new Random(2), size, { ...flat, ratio: 4 }));
    const by = (size: number) =>
      dispersionBy({ earlier: { recorded: days(size), unit: 'day' }, compared: days(14) });
    expect(by(63)(7 * DAY_MS, 7 * DAY_MS)).toMatchObject({ stretches: 9 });
    expect(by(62)(7 * DAY_MS, 7 * DAY_MS)).toMatchObject({ stretches: 0 });
    const none: Recorded = { counts: [4], phases: [0], cycle: 1 };
    expect(dispersionBy({ earlier: null, compared: none })(DAY_MS, DAY_MS)).toEqual({
      ...COUNTING,
      stretches: 0,
    });
  });
});
