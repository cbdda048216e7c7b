import { describe, expect, it } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { queryWords } from '#core/query/words.ts';
import { DECISIVE, leastPosts, likelihoodOf } from '#core/text/keyness.ts';

describe('log-likelihood', () => {
  it('compares two shares', () => {
    // 2 · (30 ln(30 / 16) + 2 ln(2 / 16)), worked out by hand.
    const likelihood = likelihoodOf({ posts: 30, all: 100 }, { posts: 2, all: 100 });
    expect(likelihood).toBeCloseTo(29.3988, 3);
    expect(likelihoodOf({ posts: 3, all: 100 }, { posts: 6, all: 200 })).toBeCloseTo(0);
    expect(likelihoodOf({ posts: 3, all: 100 }, { posts: 0, all: 0 })).toBe(0);
  });

  it('is decisive from the fewest Posts on that can be', () => {
    for (const [all, before] of [
      [100, 100],
      [20, 5000],
      [5000, 20],
    ] as const) {
      const least = leastPosts(all, before, DECISIVE);
      const of = (posts: number): number => likelihoodOf({ posts, all }, { posts: 0, all: before });
      expect([least, of(least) >= DECISIVE]).toEqual([least, true]);
      if (least > 3) expect(of(least - 1)).toBeLessThan(DECISIVE);
    }
  });
});

describe('the words of a query', () => {
  it.each([
    ['oat milk', ['oat', 'milk']],
    ['("oat milk" OR #OatMilk) lang:en -recipe', ['oat', 'milk', 'oatmilk']],
    ['@cafe from:someone has:media', ['cafe']],
    ['Müller', ['muller']],
  ])('%s', (text, words) => {
    const parsed = parse(text);
    expect(parsed.ok && [...queryWords(parsed.ast)]).toEqual(words);
  });
});
