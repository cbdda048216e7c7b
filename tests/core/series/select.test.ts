import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { select } from '#core/series/select.ts';

const lists = fc.array(
  fc.oneof(
    fc.nat(5),
    fc.double({ noNaN: true }).map((x) => x + 0),
  ),
  { minLength: 1 },
);

describe('select', () => {
  it('finds the value of a rank and divides the others around it', () => {
    fc.assert(
      fc.property(lists, fc.nat(), (list, n) => {
        const rank = n % list.length;
        const values = Float64Array.from(list);
        const found = select(values, values.length, rank);
        expect(found).toBe(Float64Array.from(list).sort()[rank]);
        expect(values.subarray(0, rank).every((value) => value <= found)).toBe(true);
        expect(values.subarray(rank).every((value) => value >= found)).toBe(true);
      }),
    );
  });

  it('looks only at the first values if a size is given', () => {
    expect(select(Float64Array.of(3, 1, 2, -5), 3, 0)).toBe(1);
  });

  it('stays fast where every pivot is the smallest', () => {
    // Each round's pivot, the value in the middle, is the smallest of the rest.
    const size = 20_000;
    const values = new Float64Array(size);
    const places = Array.from({ length: size }, (_, i) => i);
    for (let low = 0; low < size; low++) {
      const middle = low + ((size - 1 - low) >> 1);
      [places[low], places[middle]] = [places[middle]!, places[low]!];
      values[places[low]!] = low;
    }
    expect(select(values, size, size - 1)).toBe(size - 1);
  });
});
