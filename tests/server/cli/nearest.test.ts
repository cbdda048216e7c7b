import { describe, expect, it } from 'vitest';
import { intendedName } from '#server/cli/nearest.ts';

describe('the nearest name', () => {
  it.each([
    ['serv', 'serve'],
    ['srve', 'serve'],
    ['sreve', 'serve'],
    ['imprt', 'import'],
    ['tok', 'token'],
    ['samples', 'sample'],
    ['delete', null],
    ['x', null],
    ['', null],
  ])('to %j is %s', (text, expected) => {
    expect(intendedName(text, ['serve', 'import', 'token', 'sample'])).toBe(expected);
  });
});
