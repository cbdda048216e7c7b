import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesCoverage, stripAxis, stripPath } from '#app/settings/coverage.ts';
import { DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import type { Known } from '#core/counts/known-counts.ts';

const DAY = Date.UTC(2026, 10, 1);
const at = (days: number, hours = 0): number => DAY + days * DAY_MS + hours * HOUR_MS;
const known = (from: number, to: number, fetched: number): Known => ({
  from,
  to,
  at: fetched,
  generation: 0,
});
const hours = (list: readonly Known[]) => [{ granularity: 'hour', known: list }] as const;

describe('coverageOf', () => {
  it('counts a UTC day as settled if it was over for long enough when it was fetched', () => {
    const { settled, provisional, days, provisionalDays, span } = seriesCoverage(
      hours([known(at(0), at(5, 14), at(5, 14))]),
      DAY_MS,
    );
    expect(settled).toEqual([{ start: at(0), end: at(4) }]);
    expect(provisional).toEqual([{ start: at(4), end: at(5, 14) }]);
    expect([days, provisionalDays]).toEqual([6, 2]);
    expect(span).toEqual({ start: at(0), end: at(5, 14) });
  });

  it('counts more days as provisional if settling takes longer', () => {
    const of = (settle: number) => seriesCoverage(hours([known(at(0), at(5), at(5))]), settle);
    expect(of(DAY_MS).provisionalDays).toBe(1);
    expect(of(3 * DAY_MS).provisionalDays).toBe(3);
  });

  it('counts a day as settled if any granularity settles it', () => {
    const { provisional, days } = seriesCoverage(
      [
        { granularity: 'minute', known: [known(at(2), at(3), at(3, 1))] },
        { granularity: 'day', known: [known(at(0), at(4), at(9))] },
      ],
      DAY_MS,
    );
    expect(provisional).toEqual([]);
    expect(days).toBe(4);
  });

  it('is empty if nothing was fetched', () => {
    expect(seriesCoverage([], DAY_MS)).toEqual({
      settled: [],
      provisional: [],
      days: 0,
      provisionalDays: 0,
      span: null,
    });
  });

  it('covers every known hour once, as settled if and only if an answer settled its day', () => {
    const one = fc
      .tuple(fc.nat(300), fc.integer({ min: 1, max: 120 }), fc.nat(400))
      .map(([from, length, fetched]) =>
        known(DAY + from * HOUR_MS, DAY + (from + length) * HOUR_MS, DAY + fetched * HOUR_MS),
      );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 6 }), (list) => {
        const { settled, provisional } = seriesCoverage(hours(list), DAY_MS);
        const covering = (spans: readonly Span[], instant: number): number =>
          spans.filter((span) => span.start <= instant && instant < span.end).length;
        for (let hour = 0; hour < 430; hour += 1) {
          const instant = DAY + hour * HOUR_MS;
          const answers = list.filter((k) => k.from <= instant && instant < k.to);
          const end = Math.floor(instant / DAY_MS) * DAY_MS + DAY_MS;
          const settles = answers.some((k) => k.at >= end + DAY_MS);
          expect(covering(settled, instant)).toBe(settles ? 1 : 0);
          expect(covering(provisional, instant)).toBe(answers.length > 0 && !settles ? 1 : 0);
        }
      }),
    );
  });
});

describe('a coverage strip', () => {
  it('is drawn along the axis at the given height', () => {
    const axis = { start: 0, end: 100 };
    const spans = [
      { start: 0, end: 25 },
      { start: 50, end: 100 },
    ];
    expect(stripPath(spans, axis, 1000, 0.5)).toBe('M0 0.5H250V1H0ZM500 0.5H1000V1H500Z');
  });

  it('shares one axis with the others, from the year of the first known instant to now', () => {
    const now = at(30);
    const of = (from: number) => seriesCoverage(hours([known(from, now, now)]), DAY_MS);
    const axis = stripAxis([of(at(3)), of(Date.UTC(2014, 6, 2))], now);
    expect(axis).toEqual({ start: Date.UTC(2014, 0, 1), end: now });
    expect(stripAxis([], now).start).toBe(Date.UTC(2026, 0, 1));
  });
});
