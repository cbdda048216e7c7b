import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combine, combinedTotal, compute, isUndefined } from '#core/series/combine.ts';
import { seriesIn, substitute } from '#core/series/formula.ts';
import { rollup } from '#core/series/rollup.ts';
import { STATE, type Curve, type Series } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';
import { curveOf, minutes, twoCurves } from './curves.ts';
import { formulasOver, PAIR_NAMES, PAIRS, pairOf, series } from './formulas.ts';

const pair = fc.constantFrom(...PAIR_NAMES);
const NONE = Number.NaN;
const { failed, partial, provisional, settled } = STATE;

describe('two curves', () => {
  it.each([
    ['sum', [5, 0, 3]],
    ['difference', [3, 0, -3]],
    ['quotient', [4, NONE, 0]],
    ['part', [0.8, NONE, 0]],
  ] as const)('combine to their %s bucket by bucket', (name, expected) => {
    const result = combine(pairOf(name, curveOf([4, 0, 0]), curveOf([1, 0, 3])));
    expect([...result.counts]).toEqual(expected);
  });

  it('have a result only if both are known, with the weaker state and the older fetch', () => {
    const a = curveOf([1, 2, NONE, 4], { states: [settled, provisional, failed, partial] });
    const b = curveOf([1, NONE, 3, 0], { states: [provisional, failed, settled, settled] });
    b.fetchedAt[0] = 5;
    const result = combine(pairOf('quotient', a, b));
    expect([...result.counts]).toEqual([1, NONE, NONE, NONE]);
    expect([...result.states]).toEqual([provisional, failed, failed, partial]);
    expect([...result.fetchedAt]).toEqual([5, NONE, NONE, 1003]);
    expect([0, 1, 2, 3].map((i) => isUndefined(result, i))).toEqual([false, false, false, true]);
  });

  it('are missing or undefined exactly where a count is missing or the divisor is zero', () => {
    fc.assert(
      fc.property(pair, twoCurves, (name, [a, b]) => {
        const result = combine(pairOf(name, a, b));
        for (let i = 0; i < a.counts.length; i++) {
          const [x = NONE, y = NONE] = [a.counts[i], b.counts[i]];
          const missing = Number.isNaN(x) || Number.isNaN(y);
          const divisor = { quotient: y, part: x + y, sum: 1, difference: 1 }[name];
          const none = !missing && divisor === 0;
          expect(isUndefined(result, i)).toBe(none);
          expect(Number.isNaN(result.counts[i] ?? NONE)).toBe(missing || none);
          expect(Number.isNaN(result.fetchedAt[i] ?? NONE)).toBe(missing);
        }
      }),
    );
  });

  it('must have the same buckets', () => {
    expect(() => combine(pairOf('sum', curveOf([1]), curveOf([1, 2])))).toThrow(RangeError);
    expect(() => combine(pairOf('sum', curveOf([1]), curveOf([1], { width: 11 })))).toThrow(
      RangeError,
    );
  });
});

describe('the total of two curves', () => {
  it('is the quotient of the sums over buckets known in both, not the mean of quotients', () => {
    const a = curveOf([1, 9, 100, 5], { states: [settled, settled, settled, partial] });
    const b = curveOf([1, 3, NONE, 1]);
    expect(combinedTotal(pairOf('quotient', a, b), 0, 40)).toBe(15 / 5);
    // Also within another formula.
    const more = PAIRS.sum(pairOf('quotient', a, b), series(curveOf([2, 2, 2, 2])));
    expect(combinedTotal(more, 0, 40)).toBe(15 / 5 + 6);
  });

  it.each([
    ['to the edges', 10, 30, 5],
    ['by every bucket it touches', 15, 21, 5],
    ['none where it is empty', 20, 20, NONE],
    ['none outside', 40, 90, NONE],
    ['all around', -5, 90, 15],
  ])('covers the window, %s', (_, from, to, value) => {
    const ones = curveOf([0, 0, 1, 1]);
    const sum = pairOf('sum', curveOf([1, 2, 2, 8]), ones);
    expect(combinedTotal(sum, from, to)).toBe(value);
  });

  it('has no value where nothing is known or the divisor is zero', () => {
    expect(combinedTotal(pairOf('sum', curveOf([NONE]), curveOf([1])), 0, 10)).toBeNaN();
    expect(combinedTotal(pairOf('part', curveOf([0]), curveOf([0])), 0, 10)).toBeNaN();
  });
});

describe('a computed curve of days', () => {
  const START = Date.UTC(2026, 2, 6);
  const SIZE = 4 * 1440 + 700;
  const odd = fc.array(fc.tuple(fc.nat(SIZE - 1), fc.constantFrom(failed, provisional, partial)), {
    maxLength: 3,
  });
  const run = fc
    .tuple(fc.array(fc.nat(4), { minLength: 50, maxLength: 50 }), fc.nat(1440), odd)
    .map(([seed, quiet, odd]) =>
      minutes(
        START,
        Array.from({ length: SIZE }, (_, i) => (i % 1440 < quiet ? 0 : (seed[i % 50] ?? 0))),
        odd,
      ),
    );
  const raw = (series: Series, curve: Curve, day: number): { sum: number; state: number } => {
    const from = ((curve.bounds[day] ?? 0) - START) / MINUTE_MS;
    const to = ((curve.bounds[day + 1] ?? 0) - START) / MINUTE_MS;
    return {
      sum: Array.from(series.counts.subarray(from, to)).reduce((sum, count) => sum + count, 0),
      state: Math.min(...series.states.subarray(from, to)),
    };
  };

  it('equals the arithmetic over the raw minutes, over a clock change', () => {
    fc.assert(
      fc.property(
        formulasOver([0, 1, 2]),
        fc.constantFrom('America/New_York', 'Asia/Kolkata', 'UTC'),
        fc.tuple(run, run, run),
        (formula, zone, all) => {
          const span = { start: START, end: START + SIZE * MINUTE_MS };
          const edges = boundaries(span, 'day', zoneTable(zone, span), 1);
          const later = START + 30 * DAY_MS;
          const cut = { first: true, last: true };
          const curves = all.map((series) => rollup(series, edges, later, cut));
          const over = substitute(formula, (i) => (curves[i] ? series(curves[i]) : null));
          if (!over) throw new Error('expected a curve for each series');
          const used = seriesIn(formula);
          const days = combine(over);
          const sums = all.map(() => 0);
          let known = false;
          for (let day = 0; day < days.counts.length; day++) {
            const found = all.map((series) => raw(series, days, day));
            let state = Math.min(...used.map((i) => found[i]?.state ?? NONE));
            if (day === 0 || day === days.counts.length - 1) state = Math.min(state, partial);
            expect(days.states[day]).toBe(state);
            if (state >= partial) {
              known = true;
              for (const i of used) sums[i] = (sums[i] ?? 0) + (found[i]?.sum ?? NONE);
              expect(days.counts[day]).toBe(compute(formula, (i) => found[i]?.sum ?? NONE));
            } else expect(days.counts[day]).toBeNaN();
          }
          const total = known ? compute(formula, (i) => sums[i] ?? NONE) : NONE;
          expect(combinedTotal(over, span.start, span.end)).toBe(total);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('is, for a sum, the roll-up of the sums of minutes', () => {
    fc.assert(
      fc.property(run, run, (a, b) => {
        const both: Series = {
          ...a,
          counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)),
          states: a.states.map((state, i) => Math.min(state, b.states[i] ?? 0)),
        };
        const edges = Float64Array.from({ length: 5 }, (_, i) => START + i * DAY_MS);
        const of = (series: Series): Curve => rollup(series, edges, START + 30 * DAY_MS);
        expect(combine(pairOf('sum', of(a), of(b)))).toEqual(of(both));
      }),
      { numRuns: runs(40) },
    );
  });
});
