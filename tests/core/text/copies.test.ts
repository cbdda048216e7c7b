import { expect, it } from 'vitest';
import { copyForm } from '#core/text/copies.ts';

it.each([
  ['Oat milk is back https://t.co/a1', 'oat  milk is BACK\nhttps://t.co/b2', true],
  ['oat milk pic.twitter.com/abc', 'oat milk', true],
  ['oat milk https://example.com/1', 'oat milk https://example.com/2', false],
  ['oat milk!', 'oat milk?', false],
  ['https://t.co/a1', 'https://t.co/b2', false],
])('%j is a copy of %j: %s', (a, b, isCopy) => {
  expect(copyForm(a) === copyForm(b)).toBe(isCopy);
});
