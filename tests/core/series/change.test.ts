import { describe, expect, it } from 'vitest';
import { changeAgainst, lengthRatio } from '#core/series/change.ts';
import { COUNTING } from '#core/series/confidence.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf } from './curves.ts';

const NONE = Number.NaN;
const { failed, never, partial, settled, uncovered } = STATE;
const inOrder = (size: number): Int32Array => Int32Array.from({ length: size }, (_, i) => i);

describe('the change against an earlier span', () => {
  it('compares buckets that are whole in both, without the running one and those without a counterpart', () => {
    const curve = curveOf([10, 20, 30, 5, NONE], {
      states: [settled, settled, settled, partial, never],
    });
    const earlier = curveOf([10, 10, 99, 99]);
    const change = changeAgainst(curve, earlier, Int32Array.of(0, 1, -1, 2, 3), { now: 35 });
    expect(change).toMatchObject({
      ok: true,
      value: { before: 20, after: 30, change: 0.5, buckets: 4, compared: 2 },
    });
  });

  it('compares Posts per time if both times are whole, whatever their buckets', () => {
    const march = Array.from({ length: 31 }, (_, i) => 60 + i);
    const february = Array.from({ length: 29 }, (_, i) => 50 + i);
    const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
    const days = Int32Array.from(march, (_, i) => (i < 29 ? i : -1));
    const byDays = changeAgainst(curveOf(march), curveOf(february), days, { now: 1e9 });
    const byMonths = changeAgainst(
      curveOf([sum(march)], { width: 31 }),
      curveOf([sum(february)], { width: 29 }),
      inOrder(1),
      { now: 1e9 },
    );
    const change = sum(march) / 31 / (sum(february) / 29) - 1;
    expect(byDays).toMatchObject({ ok: true, value: { buckets: 31, compared: 31 } });
    expect(byDays.ok && byDays.value.change).toBeCloseTo(change, 12);
    expect(byMonths.ok && byMonths.value.change).toBeCloseTo(change, 12);
  });

  it('leaves out buckets that the source does not cover, up to a twentieth of the earlier time', () => {
    const curve = curveOf(Array<number>(40).fill(6));
    const earlierOf = (gone: number) =>
      curveOf(
        Array.from({ length: 40 }, (_, i) => (i < gone ? NONE : 3)),
        { states: Array.from({ length: 40 }, (_, i) => (i < gone ? uncovered : settled)) },
      );
    expect(changeAgainst(curve, earlierOf(2), inOrder(40), { now: 999 })).toMatchObject({
      ok: true,
      value: { before: 38 * 3, after: 38 * 6, change: 1, compared: 38 },
    });
    expect(changeAgainst(curve, earlierOf(3), inOrder(40), { now: 999 })).toEqual({
      ok: false,
      why: 'uncovered',
    });
    const cut = curveOf([NONE, 6, 6], { states: [uncovered, settled, settled] });
    expect(changeAgainst(cut, curveOf([3, 3, 3]), inOrder(3), { now: 999 })).toMatchObject({
      value: { before: 6, after: 12 },
    });
  });

  it('of a flat topic is none between months of unequal length', () => {
    const DAY = 86_400_000;
    const flat = (days: number): Curve => curveOf(Array<number>(days).fill(40), { width: DAY });
    for (const [days, before] of [
      [31, 28],
      [28, 31],
      [30, 31],
    ] as const) {
      const of = { now: 1e12, dispersion: () => COUNTING };
      const change = changeAgainst(flat(days), flat(before), inOrder(28), of);
      expect(change).toMatchObject({
        ok: true,
        value: { clear: false, beforeMs: before * DAY, afterMs: days * DAY },
      });
      expect(change.ok && change.value.change).toBeCloseTo(0, 12);
    }
  });

  it('counts a day as a day where the clock changes', () => {
    const HOUR = 3_600_000;
    const change = changeAgainst(
      curveOf([240], { width: 23 * HOUR }),
      curveOf([240], { width: 24 * HOUR }),
      inOrder(1),
      { now: 1e12 },
    );
    expect(change).toMatchObject({ ok: true, value: { change: 0, afterMs: 24 * HOUR } });
  });

  it('counts hours as they are, however many make nearly a day', () => {
    const HOUR = 3_600_000;
    const hours = (size: number): Curve => curveOf(Array<number>(size).fill(10), { width: HOUR });
    const change = changeAgainst(hours(23), hours(24), inOrder(23), { now: 1e12 });
    expect(change).toMatchObject({
      ok: true,
      value: { change: 0, afterMs: 23 * HOUR, beforeMs: 24 * HOUR },
    });
    expect(lengthRatio(23 * HOUR, 24 * HOUR, HOUR)).toBe(23 / 24);
    expect(lengthRatio(23 * HOUR, 24 * HOUR)).toBe(1);
    expect(lengthRatio(71 * HOUR, 72 * HOUR, 23 * HOUR)).toBe(1);
  });

  it('counts hours from midnight to midnight as days where the clock changes', () => {
    const HOUR = 3_600_000;
    const start = Date.parse('2026-03-28T00:00:00+01:00');
    const zone = zoneTable('Europe/Berlin', { start, end: start + 4 * 24 * HOUR });
    const hours = (size: number, from: number): Curve =>
      curveOf(Array<number>(size).fill(10), { width: HOUR, start: from });
    const lengths = (size: number, from: number): number | null => {
      const change = changeAgainst(hours(size, from), hours(24, start), inOrder(23), {
        now: 1e15,
        zone,
      });
      return change.ok ? change.value.afterMs / HOUR : null;
    };
    expect(lengths(23, start + 24 * HOUR)).toBe(24);
    expect(lengths(24, start + 24 * HOUR)).toBe(24);
    expect(lengths(23, start)).toBe(23);
    expect(lengths(47, start)).toBe(48);
  });

  it('is clear only if it exceeds how much such spans vary, by their length and distance', () => {
    const asked: number[][] = [];
    const clearBy = (ratio: number, stretches: number): boolean => {
      const change = changeAgainst(curveOf([1400], { start: 30 }), curveOf([1000]), inOrder(1), {
        now: 99,
        dispersion: (length, apart) => {
          asked.push([length, apart]);
          return { ratio, degrees: 20, stretches };
        },
      });
      return change.ok && change.value.clear;
    };
    expect(clearBy(2, 20)).toBe(true);
    expect(clearBy(40, 20)).toBe(false);
    expect(clearBy(2, 8)).toBe(false);
    expect(asked).toEqual([
      [10, 30],
      [10, 30],
      [10, 30],
    ]);
  });

  it('is clear only if it exceeds the noise of counting', () => {
    const clear = (before: number, after: number): boolean => {
      const change = changeAgainst(curveOf([after]), curveOf([before]), inOrder(1), { now: 99 });
      return change.ok && change.value.clear;
    };
    expect(clear(10, 14)).toBe(false);
    expect(clear(1000, 1400)).toBe(true);
  });

  it.each([
    ['nothing', [1], [settled], [1], [settled], 0],
    ['missing', [1, NONE], [settled, failed], [1, NONE], [settled, uncovered], 99],
    ['missing', [1, 1], [settled, settled], [NONE, 1], [never, settled], 99],
    [
      'uncovered',
      [1, 1, 1],
      [settled, settled, settled],
      [NONE, NONE, 1],
      [uncovered, uncovered, settled],
      99,
    ],
    ['uncovered', [NONE], [uncovered], [1], [settled], 99],
    ['partial', [1], [partial], [1], [settled], 99],
  ] as const)(
    'is none, with the reason: %s',
    (why, counts, states, earlier, earlierStates, now) => {
      const change = changeAgainst(
        curveOf(counts, { states: [...states] }),
        curveOf(earlier, { states: [...earlierStates] }),
        inOrder(counts.length),
        { now },
      );
      expect(change).toEqual({ ok: false, why });
    },
  );
});
