import { expect, it } from 'vitest';
import type { Breakdown } from '#app/api/breakdown-api.ts';
import { firstChips } from '#app/insight/breakdown/first-chips.ts';

const item = (name: string, clause = name) => ({
  name,
  clause,
  alone: !clause.startsWith('lang:'),
  posts: 9,
  share: 0.1,
});
const compared = (name: string) => ({ ...item(name), expected: null, likelihood: null });
const WHOLE: Breakdown = {
  posts: 90,
  compared: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z', posts: 0 },
  kinds: [],
  authors: {
    distinct: 2,
    items: [item('ann', 'from:ann'), item('890000000000000000', 'from:890000000000000000')].map(
      (each) => ({ ...each, followers: null }),
    ),
  },
  words: [],
  phrases: [],
  hashtags: Array.from({ length: 9 }, (_, i) => compared(`#tag${i}`)),
  cashtags: [],
  emoji: [],
  domains: [],
  addresses: [],
  languages: ['en', 'de', 'und'].map((code) => item(code, `lang:${code}`)),
  countries: [],
  places: [],
};

it('shows the first of each list, and languages by name where there are several', () => {
  const named = (lately: Breakdown | null, whole = WHOLE) =>
    firstChips(whole, lately).map(({ heading, chips }) => [heading, chips.map(({ name }) => name)]);
  const tags = ['#tag0', '#tag1', '#tag2', '#tag3', '#tag4', '#tag5'];
  expect(named(null)).toEqual([
    ['Top hashtags', tags],
    ['Top accounts', ['@ann', 'account 890000000000000000']],
    ['Languages', ['English', 'German']],
  ]);
  const lately = { ...WHOLE, words: [compared('launch')] };
  expect(named(lately)[1]).toEqual(['Words of the newest Posts', ['launch']]);
  expect(named(null, { ...WHOLE, languages: [item('en', 'lang:en')] }).at(-1)?.[0]).toBe(
    'Top accounts',
  );
});
