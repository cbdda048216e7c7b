import { expect, it } from 'vitest';
import { coverageText, similarWords } from '#app/insight/summary/no-matches-text.ts';
import { Formatter } from '#app/format/formatter.ts';

const format = new Formatter('en-GB');
const SOURCE = {
  last: '2026-11-20T13:00:00Z',
  coverage: [{ start: '2023-11-20T00:00:00Z', end: null }],
};
const VIEW = { start: Date.UTC(2024, 5, 1), end: Date.UTC(2024, 6, 1) };
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
  const similar = languages && { languages, matching: 0 };
  expect(coverageText(SOURCE, similar, VIEW, format)).toBe(
    `This source covers 20 Nov 2023 to now${end}`,
  );
});

it('says how many Posts match at other times', () => {
  expect(coverageText(SOURCE, { languages: [], matching: 8_197 }, VIEW, format)).toMatch(
    /^8,197 Posts at other times\. This source covers /,
  );
});

it('offers similar words only if no Post of the source matches', () => {
  const similar = [item('obamacare', 0.1)];
  expect(similarWords({ matching: 0, similar })).toBe(similar);
  expect(similarWords({ matching: 2_212, similar })).toEqual([]);
  expect(similarWords(null)).toEqual([]);
});

it('names the times between the gaps of what a source covers, the two around the view if there are more', () => {
  const days = (...spans: readonly [string, string | null][]) => ({
    ...SOURCE,
    coverage: spans.map(([start, end]) => ({ start, end })),
  });
  const two = days(
    ['2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z'],
    ['2024-05-01T10:00:00Z', null],
  );
  expect(coverageText(two, null, VIEW, format)).toBe(
    'This source covers 1 Jan 2024 to 31 Jan 2024 and 1 May 2024 to now',
  );
  const day = (on: string): [string, string] => [`${on}T00:00:00Z`, `${on}T00:01:00Z`];
  const four = days(day('2020-01-01'), day('2024-05-03'), day('2024-09-01'), day('2026-01-01'));
  expect(coverageText(four, null, VIEW, format)).toBe(
    'This source covers 3 May 2024, 1 Sept 2024 and other times',
  );
});

it('joins files that follow each other within a day', () => {
  const coverage = [
    { start: '2024-01-01T00:00:00Z', end: '2024-02-01T00:00:00Z' },
    { start: '2024-02-01T00:03:00Z', end: '2024-03-01T00:00:00Z' },
  ];
  expect(coverageText({ ...SOURCE, coverage }, null, VIEW, format)).toBe(
    'This source covers 1 Jan 2024 to 29 Feb 2024',
  );
});

it('says nothing of a source without Posts', () => {
  expect(coverageText({ last: null, coverage: [] }, null, VIEW, format)).toBe('');
});
