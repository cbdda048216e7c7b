import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { regroup } from '#core/series/regroup.ts';
import { STATE } from '#core/series/series.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { curveOf } from './a-curve.ts';

describe('buckets summed to longer ones', () => {
  it('are partial if the source covers only a part of them, and uncovered if none', () => {
    const given = curveOf([NaN, 2, NaN, NaN], 0, MINUTE_MS);
    for (const i of [0, 2, 3]) given.states[i] = STATE.uncovered;
    const { curve } = regroup(given, 2 * MINUTE_MS);
    expect([...curve.counts]).toEqual([2, NaN]);
    expect([...curve.states]).toEqual([STATE.partial, STATE.uncovered]);
  });

  it('keep every Post, cut at multiples of the width', () => {
    const counts = fc.array(fc.nat(9), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(counts, fc.nat(200), fc.constantFrom(5, 15, 60), (given, offset, minutes) => {
        const { curve, firsts } = regroup(
          curveOf(given, offset * MINUTE_MS, MINUTE_MS),
          minutes * MINUTE_MS,
        );
        const total = given.reduce((sum, n) => sum + n, 0);
        expect([...curve.counts].reduce((sum, n) => sum + n, 0)).toBe(total);
        expect(firsts).toHaveLength(curve.counts.length + 1);
        expect(firsts.at(-1)).toBe(given.length);
        const inner = curve.bounds.subarray(1, -1);
        expect(inner.every((at) => at % (minutes * MINUTE_MS) === 0)).toBe(true);
      }),
    );
  });

  it('of any lengths begin where time passes a multiple', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(lengths, fc.nat(200), (given, offset) => {
        let at = offset;
        const bounds = Float64Array.from([offset, ...given.map((length) => (at += length))]);
        const counts = Float64Array.from(given, () => 1);
        const states = new Uint8Array(given.length).fill(STATE.settled);
        const { firsts } = regroup({ bounds, counts, states, fetchedAt: counts }, 20);
        const group = (i: number): number => Math.floor((bounds[i] ?? 0) / 20);
        const wanted = given.flatMap((_, i) => (i === 0 || group(i) !== group(i - 1) ? [i] : []));
        expect([...firsts]).toEqual([...wanted, given.length]);
      }),
    );
  });

  it('are partial if the curve cuts them, and missing if a part is', () => {
    const fine = curveOf(
      Array.from({ length: 180 }, () => 1),
      30 * MINUTE_MS,
      MINUTE_MS,
    );
    fine.counts[100] = NaN;
    fine.states[100] = STATE.failed;
    const { curve } = regroup(fine, HOUR_MS);
    expect([...curve.counts]).toEqual([30, 60, NaN, 30]);
    const { partial, settled, failed } = STATE;
    expect([...curve.states]).toEqual([partial, settled, failed, partial]);
  });
});
