import { describe, expect, it } from 'vitest';
import type { Breakdown } from '#app/api/breakdown-api.ts';
import { Formatter } from '#app/format/formatter.ts';
import { breakdownLists } from '#app/insight/breakdown/breakdown-text.ts';

const format = new Formatter('en-GB');
const item = (name: string, posts: number, clause = name) => ({
  name,
  clause,
  alone: true,
  posts,
  share: posts / 200,
});
const compared = (
  name: string,
  posts: number,
  expected: number | null,
  likelihood: number | null,
) => ({
  ...item(name, posts),
  expected,
  likelihood,
});

const EMPTY: Breakdown = {
  posts: 200,
  compared: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z', posts: 900 },
  kinds: [],
  authors: { distinct: 0, items: [] },
  words: [],
  phrases: [],
  hashtags: [],
  cashtags: [],
  emoji: [],
  domains: [],
  addresses: [],
  languages: [],
  countries: [],
  places: [],
};

const linesOf = (data: Partial<Breakdown>, heading: string): string[] =>
  breakdownLists({ ...EMPTY, ...data }, format)
    .filter((list) => list.heading === heading)
    .flatMap(({ lead, lines }) => [
      ...(lead ? [lead] : []),
      ...lines.map(({ name, text }) => `${name}: ${text}`),
    ]);

describe('the lists of a breakdown', () => {
  it('are only those with lines', () => {
    expect(breakdownLists(EMPTY, format)).toEqual([]);
    const some = breakdownLists({ ...EMPTY, domains: [item('example.com', 3)] }, format);
    expect(some.map(({ heading }) => heading)).toEqual(['Sites']);
  });

  it('say how much more frequent a distinctive word is, and nothing of one that is not', () => {
    const list = [
      compared('launch', 50, 10, 80),
      compared('recall', 20, 0.1, 60),
      compared('tea', 40, 39, null),
      compared('cup', 30, null, null),
    ];
    expect(linesOf({ words: list }, 'Distinctive words')).toEqual([
      'launch: 25% · 5× the time before',
      'recall: 10% · new',
      'tea: 20%',
      'cup: 15%',
    ]);
  });

  it.each([
    [3, 122, '3 accounts. One of them wrote 61% of these Posts.'],
    [1200, 12, '1,200 accounts.'],
    [1, 200, '1 account.'],
  ])('of %d accounts, the first with %d Posts, begin with “%s”', (distinct, posts, lead) => {
    const items = [{ ...item('a', posts, 'from:a'), followers: null }];
    expect(linesOf({ authors: { distinct, items } }, 'Who')[0]).toBe(lead);
  });

  it('name followers, languages, countries and kinds in words', () => {
    const items = [{ ...item('nasa', 10, 'from:nasa'), followers: 1200 }];
    expect(linesOf({ authors: { distinct: 40, items } }, 'Who')).toEqual([
      '40 accounts.',
      '@nasa: 5% · 1,200 followers',
    ]);
    expect(
      linesOf({ languages: [item('en', 100, 'lang:en'), item('qme', 2)] }, 'Languages'),
    ).toEqual(['English: 50%', 'qme: 1%']);
    expect(linesOf({ countries: [item('de', 20)] }, 'Countries')).toEqual(['Germany: 10%']);
    const kinds = [
      { ...item('x', 120), name: 'repost' as const, unknown: 0 },
      { ...item('y', 0), name: 'quote' as const, unknown: 0 },
    ];
    expect(linesOf({ kinds }, 'Kinds of Posts')).toEqual(['Reposts: 60%']);
  });

  it('say which kinds the files left open', () => {
    const kind = (name: 'repost' | 'reply' | 'quote', posts: number, unknown: number) => ({
      ...item(name, posts),
      name,
      unknown,
    });
    expect(
      linesOf(
        { kinds: [kind('repost', 50, 150), kind('reply', 0, 200), kind('quote', 0, 200)] },
        'Kinds of Posts',
      ),
    ).toEqual([
      'The files do not say whether 150 of these Posts are reposts. The files do not say which Posts are replies or quotes.',
      'Reposts: 25%',
    ]);
    expect(linesOf({ kinds: [kind('reply', 0, 200)] }, 'Kinds of Posts')).toEqual([
      'The files do not say which Posts are replies.',
    ]);
  });
});
