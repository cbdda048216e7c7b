import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference, overlap, queryUnion, type Composed } from '#core/query/compose.ts';
import { format } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import { runs } from '#tests/support/run/runs.ts';
import { matcher, posts, queries } from './queries.ts';

const ROOM = { limit: 100_000 };

function textOf(composed: Composed): string {
  if (!composed.ok) throw new Error(composed.reason);
  return composed.text;
}

describe('combinations of two queries', () => {
  it.each([
    ['matcha', 'latte', 'matcha OR latte', 'matcha latte', 'matcha -latte'],
    ['a1 OR b1', 'c1 OR d1', 'a1 OR b1 OR c1 OR d1', '(a1 OR b1) (c1 OR d1)', '(a1 OR b1) -c1 -d1'],
    [
      'cat dog',
      'fox lang:en',
      'cat dog OR fox lang:en',
      'cat dog fox lang:en',
      'cat dog (-fox OR -lang:en)',
    ],
    ['cat -dog', 'fox -cow', 'cat -dog OR fox -cow', 'cat -dog fox -cow', 'cat -dog (-fox OR cow)'],
    ['cat', 'CAT', 'cat', 'cat', 'cat -cat'],
    [
      '"oat milk" OR #oatmilk',
      'matcha',
      '"oat milk" OR #oatmilk OR matcha',
      '("oat milk" OR #oatmilk) matcha',
      '("oat milk" OR #oatmilk) -matcha',
    ],
  ])('%s and %s', (a, b, either, both, less) => {
    expect(textOf(queryUnion(a, b, ROOM))).toBe(either);
    expect(textOf(overlap(a, b, ROOM))).toBe(both);
    expect(textOf(difference(a, b, ROOM))).toBe(less);
  });

  it('accept a query as data too', () => {
    const a = parse('cat');
    const b = parse('dog OR fox');
    if (!a.ok || !b.ok) throw new Error('expected queries');
    expect(textOf(difference(a.ast, b.ast, ROOM))).toBe('cat -dog -fox');
  });

  it('state the length of the result and the limit, in code points', () => {
    expect(queryUnion('"👍🏽"', '😀', { limit: 9 })).toMatchObject({ ok: true, length: 9, limit: 9 });
    expect(queryUnion('"👍🏽"', '😀', { limit: 8 })).toMatchObject({
      ok: false,
      why: 'too-long',
      length: 9,
      limit: 8,
      reason: 'The combination has 9 characters, 1 more than the 8 of a query.',
    });
  });

  it.each([
    ['(cat', 'dog', 'The first query has a mistake: fix it first.'],
    ['cat', '-dog', 'The second query has a mistake: fix it first.'],
  ])('name the query that cannot be parsed: %s, %s', (a, b, reason) => {
    const composed = overlap(a, b, ROOM);
    expect(composed).toMatchObject({ ok: false, why: 'faulty', reason });
    expect(composed.ok || composed.diagnostics.length).toBeGreaterThan(0);
  });

  it('say what the language refuses', () => {
    expect(queryUnion('list:1', 'list:2', ROOM)).toMatchObject({
      ok: false,
      why: 'refused',
      reason: 'A query may name one list only, and the combination would name two.',
    });
    expect(difference('cat', 'dog -is:nullcast', ROOM)).toMatchObject({
      ok: false,
      why: 'refused',
      reason: 'is:nullcast can only be left out, and the combination would have to ask for it.',
    });
    expect(queryUnion('cat', 'entity:"Big Ben"', { ...ROOM, product: 'all' })).toMatchObject({
      ok: false,
      why: 'faulty',
    });
    expect(queryUnion('cat', 'entity:"Big Ben"', { ...ROOM, product: 'recent' }).ok).toBe(true);
  });
});

describe('laws of combinations', () => {
  it('find a or b, a and b, a and not b; the counts of union and overlap add up to those of both', () => {
    fc.assert(
      fc.property(
        queries,
        queries,
        fc.array(posts, { minLength: 5, maxLength: 15 }),
        (a, b, all) => {
          const made = [queryUnion(a, b, ROOM), overlap(a, b, ROOM), difference(a, b, ROOM)].map(
            textOf,
          );
          const [either, both, less] = made.map((text) => all.map(matcher(text)));
          const [inA, inB] = [a, b].map((text) => all.map(matcher(text)));
          expect(either).toEqual(all.map((_, i) => inA?.[i] === true || inB?.[i] === true));
          expect(both).toEqual(all.map((_, i) => inA?.[i] === true && inB?.[i] === true));
          expect(less).toEqual(all.map((_, i) => inA?.[i] === true && inB?.[i] === false));
          const [e = 0, o = 0, l = 0, x = 0, y = 0] = [either, both, less, inA, inB].map(
            (list) => list?.filter(Boolean).length,
          );
          expect(e + o).toBe(x + y);
          expect(l + o).toBe(x);
        },
      ),
      { numRuns: runs(1500) },
    );
  });

  it('the text parses to itself, and the order of the parts does not change the meaning', () => {
    fc.assert(
      fc.property(queries, queries, (a, b) => {
        for (const combine of [queryUnion, overlap]) {
          const one = combine(a, b, ROOM);
          const other = combine(b, a, ROOM);
          if (!one.ok || !other.ok) throw new Error('expected queries');
          expect(format(one.ast)).toBe(format(other.ast));
          expect(textOf(queryUnion(one.text, one.text, ROOM))).toBe(one.text);
          expect(one.length).toBe([...one.text].length);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
