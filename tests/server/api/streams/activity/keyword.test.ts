import { expect, it } from 'vitest';
import { hasKeyword } from '#server/api/streams/activity/keyword.ts';

it.each([
  ['Green tea is here', 'green TEA', true],
  ['Green, tea!', 'green tea', true],
  ['Greenish tea', 'green', false],
  ['tea green', 'green tea', false],
  ['東京で地震がありました', '地震', true],
  ['東京で地震がありました', '大阪', false],
  ['cafe', 'café', false],
  ['tea', '…', false],
])('%s: the keyword %s is there: %s', (text, keyword, expected) => {
  expect(hasKeyword(['another', text], keyword)).toBe(expected);
});
