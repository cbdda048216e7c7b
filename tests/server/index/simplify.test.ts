import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import { simplify } from '#server/index/simplify.ts';
import { runs } from '#tests/support/run/runs.ts';
import { condition, holds, terms } from './corpus.ts';

const T = (term: string): Condition => ({ kind: 'term', term });

test('a simplified condition matches the same Posts', () => {
  fc.assert(
    fc.property(condition, terms, (c, of) => {
      expect(holds(simplify(c), of)).toBe(holds(c, of));
    }),
    { numRuns: runs(2000) },
  );
});

test.each<[string, Condition, Condition]>([
  [
    'repeated terms',
    { kind: 'any', of: [T('a'), T('b'), T('a')] },
    { kind: 'any', of: [T('a'), T('b')] },
  ],
  ['a group of one', { kind: 'all', of: [T('a'), T('a')] }, T('a')],
  [
    'nested groups of one kind',
    {
      kind: 'any',
      of: [T('a'), { kind: 'any', of: [T('b'), { kind: 'any', of: [T('a'), T('c')] }] }],
    },
    { kind: 'any', of: [T('a'), T('b'), T('c')] },
  ],
  ['a negation of a negation', { kind: 'not', of: { kind: 'not', of: T('a') } }, T('a')],
  ['nothing of a group of nothing', { kind: 'any', of: [] }, { kind: 'any', of: [] }],
])('%s', (_, c, simple) => {
  expect(simplify(c)).toEqual(simple);
});
