import { expect, it } from 'vitest';
import { CircuitBreaker } from '#core/counts/circuit-breaker.ts';

const PAGE = { endpoint: 'all', granularity: 'day', start: 0, end: 864e5 } as const;
const OTHER = { ...PAGE, end: 1728e5 };

const times = <T>(n: number, act: () => T): T[] => Array.from({ length: n }, act);

it('lost requests for the same bounds add up over a session, and others do not count', () => {
  const breaker = new CircuitBreaker();
  expect(times(2, () => breaker.countLost(PAGE))).toEqual([false, false]);
  breaker.succeeded();
  expect(breaker.countLost(OTHER)).toBe(false);
  expect(times(2, () => breaker.countLost(PAGE))).toEqual([true, true]);
});

it('pages for the same bounds that fail their check add up over a session', () => {
  const breaker = new CircuitBreaker();
  expect(breaker.wasRefused(PAGE)).toBe(false);
  expect(breaker.countRefused(PAGE)).toBe(false);
  expect([breaker.wasRefused(PAGE), breaker.wasRefused(OTHER)]).toEqual([true, false]);
  expect(breaker.countRefused(OTHER)).toBe(false);
  expect(breaker.countRefused(PAGE)).toBe(true);
});

it('a window is sent three times, by its days or by its part', () => {
  const breaker = new CircuitBreaker();
  const window = { from: 0, to: 1, endpoint: 'all' } as const;
  const part = { start: 0, end: 3600e3 };
  expect(times(4, () => breaker.countWindow(window))).toEqual([true, true, true, false]);
  expect(breaker.countWindow({ ...window, part })).toBe(true);
});

it('a series stops at the third failed window in a row', () => {
  const breaker = new CircuitBreaker();
  expect(times(2, () => breaker.failed())).toEqual([false, false]);
  breaker.succeeded();
  expect(times(3, () => breaker.failed())).toEqual([false, false, true]);
});
