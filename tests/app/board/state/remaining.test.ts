import { expect, test } from 'vitest';
import { remainingOf } from '#app/board/state/series.svelte.ts';
import type { Plan } from '#app/counts/cache/records.ts';

const plan = (all: number, money: number, recent = 0): Plan => ({
  granularity: 'hour',
  span: { start: 0, end: 1 },
  recent,
  all,
  money,
  leastMs: 0,
  bytes: 0,
  days: 1,
  owned: 0,
  held: 0,
  minuteBytes: null,
});
const made = (requests: number, money: number) => ({ requests, money, bytes: 0 });

test.each([
  ['no page fetched', plan(36, 0.36), made(0, 0), [0, 0], { pages: 36, money: 0.36 }],
  ['some pages', plan(36, 0.36), made(21, 0.21), [21, 36], { pages: 15, money: 0.15 }],
  ['a cheap page first', plan(35, 0.355, 1), made(1, 0.005), [1, 36], { pages: 35, money: 0.35 }],
  ['all pages', plan(36, 0.36), made(36, 0.36), [36, 36], { pages: 0, money: 0 }],
  [
    'some pages fetched free of charge',
    plan(9, 0.09),
    made(4, 0.04),
    [6, 9],
    { pages: 3, money: 0.05 },
  ],
  ['more pages than planned', plan(2, 0.02), made(3, 0.03), [3, 4], { pages: 1, money: 0 }],
  ['pages that cost nothing', plan(5, 0), made(2, 0), [2, 5], { pages: 3, money: 0 }],
] as const)('computes what remains of a plan after %s', (_, of, have, [done, total], remaining) => {
  expect(remainingOf({ plan: of, made: have, progress: { done, total } })).toEqual(remaining);
});

test('nothing remains without a plan', () => {
  expect(remainingOf({ plan: null, made: made(3, 1), progress: { done: 1, total: 2 } })).toBeNull();
});
