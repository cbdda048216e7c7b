import { expect, test } from 'vitest';
import { smallCounts, upperBounds } from '#core/counts/rounded-counts.ts';

const many = (count: number, times: number): number[] => Array.from({ length: times }, () => count);

test.each<[string, number[], boolean]>([
  ['ten fives', many(5, 10), true],
  ['nine fives', many(5, 9), false],
  ['ten fives, zeros and more', [...many(5, 10), ...many(0, 50), 7, 12, 900], true],
  ['ten fives and a one', [...many(5, 10), 1], false],
  ['ten fives and a four', [...many(5, 10), 4], false],
  ['ten fives and four sixes', [...many(5, 10), ...many(6, 4)], true],
  ['ten fives and five sixes', [...many(5, 10), ...many(6, 5)], false],
  ['nothing', [], false],
])('%s are upper bounds: %s', (_, counts, expected) => {
  expect(upperBounds(smallCounts(Uint16Array.from(counts)))).toBe(expected);
});

test('small counts are classified', () => {
  expect(smallCounts([0, 1, 2, 3, 4, 5, 5, 6, 7, 500])).toEqual({ few: 4, fives: 2, sixes: 1 });
});
