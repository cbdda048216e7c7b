import { describe, expect, it } from 'vitest';
import { storyQuery } from '#core/news/story-query.ts';

describe('the query of a story', () => {
  it.each<[string, readonly string[], readonly string[], string | null]>([
    ['has three of its terms', ['milk', 'oat', 'bakery', 'chain'], ['coffee'], 'milk oat bakery'],
    ['is none for the words of a topic', ['milk', 'oat'], ['oat milk lang:en'], null],
    ['is none for a phrase or its hashtag', ['milk', 'oat'], ['"Oat Milk" OR #oatmilk'], null],
    ['is none for the same hashtag', ['#oatmilk'], ['coffee', '#OatMilk'], null],
    ['narrows one of several words of a topic', ['milk', 'oat'], ['milk OR oat'], 'milk oat'],
    ['narrows a topic without a word', ['milk', 'oat'], ['milk -oat'], 'milk oat'],
    ['ignores a topic with a fault', ['milk'], ['milk ('], 'milk'],
    ['is none without terms', [], [], null],
  ])('%s', (_, keywords, topics, query) => {
    expect(storyQuery(keywords, topics)).toBe(query);
  });
});
