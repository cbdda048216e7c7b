import fc from 'fast-check';
import { expect, it } from 'vitest';
import { styleNumbers } from '#app/board/state/series-list.svelte.ts';

const wanted = fc.array(fc.record({ number: fc.nat(12), chosen: fc.boolean() }), { maxLength: 20 });

it('assigns distinct numbers, and keeps requested ones if they are distinct', () => {
  fc.assert(
    fc.property(wanted, (list) => {
      const numbers = styleNumbers(list);
      expect(new Set(numbers).size).toBe(list.length);
      const requested = list.map(({ number }) => number);
      if (new Set(requested).size === list.length) expect(numbers).toEqual(requested);
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
])('%j gets %j', (list, numbers) => {
  expect(styleNumbers(list)).toEqual(numbers);
});
