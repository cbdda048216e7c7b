import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { split, type SplitBy } from '#core/query/split.ts';
import { runs } from '#tests/support/run/runs.ts';
import { matcher, posts, queries } from './queries.ts';

const ROOM = { limit: 100_000 };
const LANGUAGES: SplitBy = { kind: 'language', codes: ['en', 'DE', 'en'], others: true };

function partsOf(query: string, by: SplitBy, options = {}): string[][] {
  const cut = split(query, by, { ...ROOM, ...options });
  if (!cut.ok) throw new Error(cut.reason);
  return cut.parts.map(({ label, query }) => [label, query]);
}

describe('splitting a query', () => {
  it('with and without reposts, links, media', () => {
    expect(partsOf('matcha', { kind: 'reposts' })).toEqual([
      ['Reposts', 'matcha is:retweet'],
      ['Without reposts', 'matcha -is:retweet'],
    ]);
    expect(partsOf('"oat milk" OR #oatmilk', { kind: 'links' })).toEqual([
      ['With links', '("oat milk" OR #oatmilk) has:links'],
      ['Without links', '("oat milk" OR #oatmilk) -has:links'],
    ]);
    expect(partsOf('cat dog', { kind: 'media' })).toEqual([
      ['With media', 'cat dog has:media'],
      ['Without media', 'cat dog -has:media'],
    ]);
  });

  it('by language, each once, with the others on request', () => {
    const names: Record<string, string> = { en: 'English', de: 'German' };
    const languageName = (code: string): string | undefined => names[code];
    expect(partsOf('a1 OR b1', LANGUAGES, { languageName })).toEqual([
      ['English', '(a1 OR b1) lang:en'],
      ['German', '(a1 OR b1) lang:de'],
      ['Other languages', '(a1 OR b1) -lang:en -lang:de'],
    ]);
    expect(partsOf('cat', { kind: 'language', codes: ['fr'] })).toEqual([['fr', 'cat lang:fr']]);
  });

  it.each<[query: string, by: SplitBy, limit: number, reason: string]>([
    ['cat lang:en', LANGUAGES, 99, 'The query says lang:en already.'],
    ['cat -is:retweet', { kind: 'reposts' }, 99, 'The query says -is:retweet already.'],
    ['(cat has:links)', { kind: 'links' }, 99, 'The query says has:links already.'],
    ['cat', { kind: 'language', codes: [] }, 99, 'No language is named to split by.'],
    ['(cat', { kind: 'links' }, 99, 'The query has a mistake: fix it first.'],
    [
      'cat',
      { kind: 'links' },
      13,
      '“Without links” would have 14 characters, 1 more than the 13 of a query.',
    ],
  ])('says why %s cannot be cut', (query, by, limit, reason) => {
    expect(split(query, by, { limit })).toMatchObject({ ok: false, reason });
  });

  it('is possible if only one alternative already says so', () => {
    expect(partsOf('cat OR (dog has:links)', { kind: 'links' })[1]?.[1]).toBe(
      '(cat OR dog has:links) -has:links',
    );
    expect(partsOf('cat -lang:fr', LANGUAGES)).toHaveLength(3);
  });
});

it('law: every Post of a query is in exactly one of its parts, and no other Post is in any', () => {
  const kinds: SplitBy[] = [{ kind: 'reposts' }, { kind: 'links' }, { kind: 'media' }, LANGUAGES];
  let cut = 0;
  fc.assert(
    fc.property(
      queries,
      fc.constantFrom(...kinds),
      fc.array(posts, { minLength: 5, maxLength: 10 }),
      (query, by, all) => {
        const made = split(query, by, ROOM);
        if (!made.ok) return;
        cut++;
        const whole = matcher(query);
        const parts = made.parts.map((part) => matcher(part.query));
        for (const post of all) {
          expect(parts.filter((part) => part(post)).length).toBe(whole(post) ? 1 : 0);
        }
      },
    ),
    { numRuns: runs(1500) },
  );
  expect(cut).toBeGreaterThan(runs(1500) / 2.2);
});
