import { expect, it } from 'vitest';
import { coverageText } from '#app/insight/no-matches-text.ts';
import { Formatter } from '#app/format/formatter.ts';

const words = new Formatter('en-GB');
const SOURCE = {
  first: '2023-11-20T00:00:00Z',
  last: '2026-11-20T13:00:00Z',
  coverage: { start: '2006-03-21T00:00:00Z', end: null },
};
const item = (name: string, share: number) => ({
  name,
  share,
  clause: `lang:${name}`,
  alone: false,
  posts: 4,
});

it.each([
  [null, ''],
  [[item('en', 0.8), item('es', 0.2)], ', mostly English'],
  [
    [item('en', 0.4), item('es', 0.3), item('de', 0.2), item('fr', 0.1)],
    ', in English, Spanish and German',
  ],
  [[item('und', 0.6), item('ja', 0.3)], ', in Japanese'],
  [[], '. Its Posts state no language'],
])('says what a source covers, with the languages %j', (languages, end) => {
  expect(coverageText(SOURCE, languages, words)).toBe(
    `This source covers 20 Nov 2023 to now${end}`,
  );
});

it('says nothing of a source without Posts', () => {
  expect(coverageText({ first: null, last: null, coverage: null }, null, words)).toBe('');
});
