import { expect, it } from 'vitest';
import { collectionFaults } from '#app/editor/collection-faults.ts';
import { applyFix } from '#core/query/fixes.ts';
import { parse } from '#core/query/parse.ts';

const NAMES = ['Fight night', 'Fight', 'June', 'posts of june.csv'];

function faults(text: string, names = NAMES) {
  const parsed = parse(text, { own: true });
  if (!parsed.ok) throw new Error(`expected ${text} to be valid`);
  return collectionFaults(parsed.ast, text, names);
}

it.each([
  ['cat in:nope', /There is no collection “nope”/, null],
  ['in:Jun', /no collection “Jun”/, 'in:June'],
  ['cat -in:Jume dog', /no collection “Jume”/, 'cat -in:June dog'],
  ['in:posts', /no collection “posts”/, 'in:"posts of june.csv"'],
  ['in:Fight night', /Only “Fight” belongs/, 'in:"Fight night"'],
  ['(cat OR in:fight night) dog', /needs quotes/, '(cat OR in:"Fight night") dog'],
])('in %s a collection is wrong', (text, message, fixed) => {
  const [fault, ...others] = faults(text);
  expect(others).toEqual([]);
  expect(fault?.message).toMatch(message);
  const fix = fault?.fix === undefined ? null : applyFix(text, fault);
  expect(fix).toBe(fixed);
  if (fix !== null) expect(faults(fix)).toEqual([]);
});

it.each(['cat', 'in:june cat', 'in:"Fight night"', 'in:Fight nights', 'in:Fight "night"'])(
  'in %s nothing is wrong',
  (text) => {
    expect(faults(text)).toEqual([]);
  },
);

it('says nothing while no collections are known', () => {
  expect(faults('in:nope', [])).toEqual([]);
});
