import { describe, expect, it } from 'vitest';
import { counted, groupsOf, type BurstingTerm } from '#core/news/group.ts';

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
    const terms = [term('smoke', 0, 20), term('harbour', 0, 60), term('#fire', 10, 70)];
    expect(names(terms)).toEqual(['#fire harbour smoke']);
  });

  it('are separate where few Posts are shared, or the time differs', () => {
    expect(names([term('a', 0, 60), term('b', 50, 90)])).toEqual(['a', 'b']);
    expect(names([term('a', 0, 60, [0, 60]), term('b', 0, 40, [61, 90])])).toEqual(['a', 'b']);
  });

  it('begin with a certain burst; what is only likely may join', () => {
    expect(names([term('a', 0, 13), term('b', 0, 60), term('c', 5, 24)])).toEqual(['b c a']);
    expect(names([term('a', 0, 13)])).toEqual([]);
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

  it('have the Posts with two of the terms, or with a leading hashtag', () => {
    const others = [term('b', 30, 70), term('c', 35, 65)];
    const upTo = (from: number, to: number) =>
      Uint32Array.from({ length: to - from }, (_, i) => from + i);
    expect(groupsOf([term('a', 0, 60), ...others])[0]?.posts).toEqual(upTo(30, 65));
    expect(groupsOf([term('#a', 0, 60), ...others])[0]?.posts).toEqual(upTo(0, 65));
  });
});

describe('a term of many stories', () => {
  const general = (name: string, from: number, to: number): BurstingTerm => {
    const each = term(name, from, to);
    return { ...each, burst: { ...each.burst, usual: 20 } };
  };

  it('leads no group if it is usual', () => {
    expect(names([general('trump', 0, 90), term('comey', 0, 40), term('riyadh', 40, 80)])).toEqual([
      'comey trump',
      'riyadh trump',
    ]);
  });

  it('leads no group if terms that share no Posts have most of its own', () => {
    const parts = [term('texas', 0, 30), term('drone', 30, 60), term('soldiers', 60, 85)];
    expect(names([term('breaking', 0, 100), ...parts])).toEqual([
      'drone breaking',
      'texas breaking',
      'soldiers breaking',
    ]);
  });
});

describe('forms of a word', () => {
  it('are in one group, also soon after one another', () => {
    const terms = [
      term('терактов', 0, 60),
      term('терактах', 60, 90),
      term('#теракты', 90, 110, [80, 90]),
    ];
    expect(names(terms)).toEqual(['терактов терактах #теракты']);
    expect(names([term('smoke', 0, 60), term('smoke', 60, 90, [400, 500])])).toHaveLength(2);
  });

  it('are one term of the two that a Post of a group has', () => {
    const terms = [term('attack', 0, 60), term('attacks', 10, 40), term('paris', 20, 50)];
    expect(groupsOf(terms)[0]?.posts).toEqual(Uint32Array.from({ length: 30 }, (_, i) => 20 + i));
  });
});

it('begins with the first Post that has two of its terms', () => {
  const [group] = groupsOf([term('ambassador', 0, 60), term('russian', 5, 50)]);
  const minutes = Uint16Array.from({ length: 60 }, (_, post) => post);
  expect(counted(group!, minutes)).toMatchObject({ first: 5, last: 49, posts: 45 });
});
