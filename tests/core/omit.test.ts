import { expect, it } from 'vitest';
import { omit } from '#core/omit.ts';

it('copies an object without some of its fields', () => {
  const object = { a: 1, b: 2, c: undefined };
  expect(omit(object, 'a')).toStrictEqual({ b: 2, c: undefined });
  expect(omit(object, 'b', 'c')).toStrictEqual({ a: 1 });
  expect(object).toStrictEqual({ a: 1, b: 2, c: undefined });
});
