import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { burstsOf } from '#core/news/burst.ts';

const DAY = 24 * 60;

/** Counts per minute with a Post every `every` minutes, and some more from a minute on. */
function counts(every: number, more: readonly (readonly [from: number, to: number, n: number])[]) {
  const out = new Uint16Array(DAY);
  for (let i = 0; i < DAY; i += every) out[i] = 1;
  for (const [from, to, n] of more) for (let i = from; i < to; i++) out[i]! += n;
  return out;
}

const usual = new Float64Array(24).fill(1 / 30);

describe('bursts', () => {
  it('begin and end with the minutes of the higher pace', () => {
    const [burst, ...others] = burstsOf(counts(30, [[601, 661, 1]]), usual, 1);
    expect(others).toEqual([]);
    expect(burst).toMatchObject({ first: 600, last: 660, posts: 63 });
    expect(burst!.usual).toBeCloseTo(61 / 30);
  });

  it('are not found in a usual day, nor in a small rise', () => {
    expect(burstsOf(counts(30, []), usual, 1)).toEqual([]);
    expect(burstsOf(counts(15, []), usual, 1)).toEqual([]);
    expect(burstsOf(new Uint16Array(DAY), usual, 1)).toEqual([]);
  });

  it('end when the pace is usual again, so that a second one is another', () => {
    const found = burstsOf(
      counts(60, [
        [300, 340, 1],
        [900, 940, 1],
      ]),
      usual,
      1,
    );
    expect(found.map(({ first, last }) => [first, last])).toEqual([
      [300, 339],
      [900, 939],
    ]);
  });

  it('need more Posts where counts vary more', () => {
    const some = counts(30, [[600, 630, 1]]);
    expect(burstsOf(some, usual, 1)).toHaveLength(1);
    expect(burstsOf(some, usual, 6)).toEqual([]);
  });

  it('have a first minute that no later minute changes', () => {
    const minutes = fc.array(fc.nat({ max: 3 }), { minLength: 120, maxLength: 300 });
    fc.assert(
      fc.property(minutes, (list) => {
        const whole = burstsOf(Uint16Array.from(list), usual, 1);
        for (const burst of whole) {
          const so = burstsOf(Uint16Array.from(list.slice(0, burst.last + 1)), usual, 1);
          expect(so.at(-1)).toEqual(burst);
        }
      }),
    );
  });

  it('become certain in a minute that no later minute changes', () => {
    const [burst] = burstsOf(counts(60, [[600, 630, 1]]), usual, 1);
    expect(burst?.certain).toBe(610);
    expect(burstsOf(counts(60, [[600, 608, 1]]), usual, 1)[0]?.certain).toBeNull();
    const minutes = fc.array(fc.nat({ max: 3 }), { minLength: 120, maxLength: 300 });
    fc.assert(
      fc.property(minutes, fc.nat({ max: 299 }), (list, until) => {
        const so = burstsOf(Uint16Array.from(list.slice(0, until + 1)), usual, 1);
        for (const { first, certain } of burstsOf(Uint16Array.from(list), usual, 1)) {
          if (certain === null || certain > until) continue;
          expect(so.find((each) => each.first === first)?.certain).toBe(certain);
        }
      }),
    );
  });

  it('are disjoint, and begin and end with a Post', () => {
    const minutes = fc.array(fc.nat({ max: 2 }), { minLength: 60, maxLength: 400 });
    fc.assert(
      fc.property(minutes, (list) => {
        let end = -1;
        for (const { first, last } of burstsOf(Uint16Array.from(list), usual, 1)) {
          expect(first).toBeGreaterThan(end);
          expect(list[first]).toBeGreaterThan(0);
          expect(list[last]).toBeGreaterThan(0);
          end = last;
        }
      }),
    );
  });
});
