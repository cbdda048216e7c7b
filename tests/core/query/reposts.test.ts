import { expect, test } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';

test.each([
  ['tea', true],
  ['"green tea"', true],
  ['🍵', true],
  ['#tea', true],
  ['@alice', true],
  ['$TEA', true],
  ['tea from:alice', true],
  ['from:alice (tea OR coffee)', true],
  ['tea -is:retweet', true],
  ['from:alice', false],
  ['from:alice -tea', false],
  ['url:example', false],
  ['tea is:retweet', false],
  ['tea (is:retweet OR is:quote)', false],
  ['tea retweets_of:alice', false],
  ['retweets_of:alice', false],
])('%s: reposts are left out: %s', (query, left) => {
  const parsed = parse(query, { product: 'all' });
  if (!parsed.ok) throw new Error(parsed.diagnostics[0]?.message);
  expect(leavesRepostsOut(parsed.ast)).toBe(left);
});
