import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Edges, firstAfter } from '#core/time/edges.ts';
import { MINUTE_MS } from '#core/time/span.ts';

describe('the first bucket that ends after an instant', () => {
  it.each([
    [-5, 0],
    [0, 0],
    [59_999, 0],
    [60_000, 1],
    [179_999, 2],
  ])('at %i is %i', (at, index) => {
    expect(firstAfter(Float64Array.of(0, 60_000, 120_000, 180_000), at)).toBe(index);
  });
});

describe('edges', () => {
  it('of minutes are found equally, written out or not', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: -200_000, max: 6_000_000 }),
        (minute, size, by) => {
          const start = minute * MINUTE_MS;
          const span = { start, end: start + size * MINUTE_MS };
          const [read, unread] = [Edges.ofMinutes(span), Edges.ofMinutes(span)];
          expect(Array.from(read.all)).toEqual(
            Array.from({ length: size + 1 }, (_, i) => start + i * MINUTE_MS),
          );
          expect(unread.firstAfter(start + by)).toBe(read.firstAfter(start + by));
          expect([unread.written, unread.size, unread.end]).toEqual([false, size, span.end]);
        },
      ),
    );
  });

  it('of minutes are adopted only if they are not written out yet', () => {
    const span = { start: 0, end: 2 * MINUTE_MS };
    const given = Float64Array.of(0, MINUTE_MS, 2 * MINUTE_MS);
    const [early, late] = [Edges.ofMinutes(span), Edges.ofMinutes(span)];
    early.take(given);
    expect(early.all).toBe(given);
    const own = late.all;
    late.take(given);
    expect(late.all).toBe(own);
  });

  it('that were given are used without a copy', () => {
    const all = Float64Array.of(5, 7, 20);
    const edges = Edges.of(all);
    expect(edges.all).toBe(all);
    expect(edges).toMatchObject({ start: 5, end: 20, size: 2, minutes: false, written: true });
    expect(edges.firstAfter(7)).toBe(1);
    expect(Edges.of(new Float64Array())).toMatchObject({ size: 0 });
  });

  it.each([
    [0, 0],
    [0, 90_000],
    [30_000, 90_000],
    [120_000, 60_000],
  ])('are none of minutes over %i–%i', (start, end) => {
    expect(() => Edges.ofMinutes({ start, end })).toThrow(RangeError);
  });
});
