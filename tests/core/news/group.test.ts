import { describe, expect, it } from 'vitest';
import { groupsOf, type BurstingTerm } from '#core/news/group.ts';

/** A term with the Posts `[from, to)`, as strong as it has Posts. */
function term(name: string, from: number, to: number, minutes = [0, 60]): BurstingTerm {
  const posts = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  const [first = 0, last = 0] = minutes;
  const burst = {
    first,
    last,
    certain: to - from < 20 ? null : first + 20,
    posts: to - from,
    usual: 1,
    score: to - from,
  };
  return { term: name, burst, posts };
}

const names = (terms: readonly BurstingTerm[]) =>
  groupsOf(terms).map((group) => group.terms.map((each) => each.term).join(' '));

describe('groups', () => {
  it('are terms that share Posts, the strongest first', () => {
    const terms = [term('smoke', 0, 20), term('harbour', 0, 60), term('#fire', 30, 70)];
    expect(names(terms)).toEqual(['harbour #fire smoke']);
  });

  it('are separate where few Posts are shared, or the time differs', () => {
    expect(names([term('a', 0, 60), term('b', 50, 90)])).toEqual(['a', 'b']);
    expect(names([term('a', 0, 60, [0, 60]), term('b', 0, 40, [61, 90])])).toEqual(['a', 'b']);
  });

  it('begin with a certain burst; what is only likely may join', () => {
    expect(names([term('a', 0, 15), term('b', 0, 60), term('c', 5, 24)])).toEqual(['b c a']);
    expect(names([term('a', 0, 19)])).toEqual([]);
  });

  it('do not depend on the order of the terms', () => {
    const terms = [term('a', 0, 60), term('b', 0, 60), term('c', 40, 90), term('d', 10, 30)];
    expect(names(terms.toReversed())).toEqual(names(terms));
  });

  it('become one where their Posts do', () => {
    // The Posts of c and d are half those of a, though no single term of them has half of a's.
    const terms = [term('a', 0, 60), term('c', 55, 85), term('d', 30, 85), term('e', 30, 85)];
    expect(names(terms)).toHaveLength(1);
  });

  it('have the Posts of the strongest term, and those with two others', () => {
    const terms = [term('a', 0, 60), term('b', 30, 70), term('c', 35, 65)];
    expect(groupsOf(terms)[0]?.posts).toEqual(Uint32Array.from({ length: 65 }, (_, i) => i));
  });
});
