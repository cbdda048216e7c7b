import fc from 'fast-check';
import { expect, it } from 'vitest';
import { styleNumbers } from '#app/board/state/series-list.svelte.ts';

const wanted = fc.array(fc.record({ number: fc.nat(12), chosen: fc.boolean() }), { maxLength: 20 });

it('gives no number twice, and leaves those be that are all different', () => {
  fc.assert(
    fc.property(wanted, (list) => {
      const numbers = styleNumbers(list);
      expect(new Set(numbers).size).toBe(list.length);
      const asked = list.map(({ number }) => number);
      if (new Set(asked).size === list.length) expect(numbers).toEqual(asked);
    }),
  );
});

it.each([
  [
    [
      { number: 0, chosen: false },
      { number: 1, chosen: false },
    ],
    [0, 1],
  ],
  [
    [
      { number: 0, chosen: false },
      { number: 0, chosen: true },
    ],
    [1, 0],
  ],
  [
    [
      { number: 2, chosen: true },
      { number: 2, chosen: true },
      { number: 2, chosen: false },
    ],
    [2, 0, 1],
  ],
])('%j gives %j', (list, numbers) => {
  expect(styleNumbers(list)).toEqual(numbers);
});
