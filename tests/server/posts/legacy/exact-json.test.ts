import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactJson } from '#server/posts/legacy/exact-json.ts';

it('writes ids with all their digits, and leaves out what is undefined', () => {
  const id = 1_991_234_567_890_123_457n;
  const value = [{ id, none: undefined, 'a"b': ['é\n"', null, true, 0.5, {}] }];
  expect(exactJson(value)).toBe(
    '[{"id":1991234567890123457,"a\\"b":["é\\n\\"",null,true,0.5,{}]}]',
  );
});

it('writes all other JSON as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(exactJson(value)).toBe(JSON.stringify(value));
    }),
  );
});
