import { describe, expect, it } from 'vitest';
import { namedByDomain, namedByEntity } from '#core/news/contexts.ts';
import type { CountedGroup } from '#core/news/group.ts';
import { storyOf, type StoryPost } from '#core/news/story.ts';

const START = Date.parse('2016-07-21T00:00:00Z');

function member(name: string, posts: number) {
  const burst = { first: 605, last: 700, certain: 620, posts, usual: 2, score: posts };
  return { term: name, burst, posts };
}

const GROUP: CountedGroup = {
  terms: [member('harbour', 40), member('fire', 30), member('#nordvik', 20)],
  posts: 40,
  first: 607,
  last: 690,
};

const post = (id: number, text: string, more: Partial<StoryPost> = {}): StoryPost => ({
  id: String(id),
  post: { text },
  author: String(id),
  original: String(id),
  isRepost: false,
  named: [],
  ...more,
});

const POSTS = [
  post(1, '@ann I can see it from here. There is a fire at the harbour! https://t.co/x #nordvik'),
  post(2, 'RT @bob: Fire at the harbour of #nordvik, says the mayor', {
    original: '9',
    isRepost: true,
  }),
  post(3, 'RT @bob: Fire at the harbour of #nordvik, says the mayor', {
    original: '9',
    isRepost: true,
  }),
  post(4, 'There is a fire at the harbour! Terrible.'),
  post(5, 'Harbour closed &amp; roads blocked after the fire'),
];

const made = (posts = POSTS) => storyOf(GROUP, posts, START);

describe('a story', () => {
  it('has a name and a summary that are sentences of its Posts', () => {
    const story = made()!;
    expect(story.name).toBe('Fire at the harbour of #nordvik, says the mayor');
    expect(story.summary).toBe('Harbour closed & roads blocked after the fire');
    expect(made([...POSTS].reverse())).toEqual(story);
  });

  it('has Posts that neither repost one another nor say nearly the same', () => {
    expect(made()!.cluster.map(({ id }) => id)).toEqual(['1', '4', '5', '2']);
  });

  it('says why it is one, and when it began', () => {
    expect(made()).toMatchObject({
      first: START + 607 * 60_000,
      last: START + 690 * 60_000,
      posts: 40,
      hook: 'From 2016-07-21 10:07 UTC, 40 Posts with “harbour” within 96 minutes: 2 would be usual.',
      keywords: ['harbour', 'fire', '#nordvik'],
    });
  });

  it('has an id of its term and first minute, and those of its other terms', () => {
    const { id, ids } = made()!;
    expect(id).toMatch(/^24484\d{13}$/);
    expect(ids[0]).toBe(id);
    expect(new Set(ids).size).toBe(3);
  });

  it('keeps its id when another term becomes stronger, and when an earlier story becomes part of it', () => {
    const { id } = made()!;
    const strong = { ...member('warehouse', 90), burst: { ...member('', 90).burst, certain: 640 } };
    const grown: CountedGroup = { ...GROUP, terms: [strong, ...GROUP.terms] };
    expect(storyOf(grown, POSTS, START)).toMatchObject({ id });
    const early = { ...member('smoke', 15), burst: { ...member('', 15).burst, certain: 610 } };
    const merged = storyOf({ ...grown, terms: [...grown.terms, early] }, POSTS, START)!;
    expect(merged.id).toBe(storyOf({ ...GROUP, terms: [early] }, POSTS, START)!.id);
    expect(merged.ids).toContain(id);
  });

  it('needs three authors', () => {
    expect(made(POSTS.map((each) => ({ ...each, author: '1' })))).toBeNull();
    expect(made(POSTS.slice(0, 2))).toBeNull();
    expect(made([])).toBeNull();
  });

  it('names what enough Posts name, and has the most frequent category', () => {
    const named = [
      namedByDomain('12', 'Rovers'),
      namedByEntity('Person', 'Ann Lee'),
      { kind: 'tickers', name: 'NAIR' } as const,
      namedByDomain('12', 'Rovers'),
    ];
    const posts = POSTS.map((each, i) => ({ ...each, named: i < 3 ? named : [] }));
    posts[4] = { ...posts[4]!, named: [namedByEntity('Place', 'Nordvik')] };
    const { contexts, category } = made(posts)!;
    expect(contexts).toEqual({
      events: [],
      organizations: [],
      people: ['Ann Lee'],
      places: [],
      products: [],
      tickers: ['NAIR'],
      teams: ['Rovers'],
      topics: [],
    });
    // As many Posts say so of a business: names of equal weight are in the order of the alphabet.
    expect(category).toBe('Business & Finance');
    expect(made()!.category).toBe('Other');
  });
});
