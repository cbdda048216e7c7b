import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf, shortened } from '#core/text/long-text.ts';
import { entitiesOf } from '#core/text/entities.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { runs } from '#tests/support/run/runs.ts';

describe('a long text', () => {
  it.each([
    ['letters', 'a'.repeat(300), `${'a'.repeat(278)}…`],
    ['wide characters', 'の'.repeat(200), `${'の'.repeat(139)}…`],
    ['a space at the cut', `${'a'.repeat(277)} ${'b'.repeat(50)}`, `${'a'.repeat(277)}…`],
    ['a tag at the cut', `${'a'.repeat(270)} #spinach and more`, `${'a'.repeat(270)}…`],
    ['a mention at the cut', `${'a'.repeat(270)} @spinach and more`, `${'a'.repeat(270)}…`],
    [
      'an address at the cut',
      `${'a'.repeat(260)} https://example.com/${'p'.repeat(30)}`,
      `${'a'.repeat(260)}…`,
    ],
    ['an emoji at the cut', `${'a'.repeat(277)}👨‍👩‍👧‍👦 and more`, `${'a'.repeat(277)}…`],
    ['one tag alone', `#${'a'.repeat(300)}`, `#${'a'.repeat(277)}…`],
  ])('with %s is shortened', (_, text, expected) => {
    expect(shortened(text)).toBe(expected);
  });

  it('keeps the mentions that do not count', () => {
    expect(shortened(`@bob ${'a'.repeat(300)}`, 5)).toBe(`@bob ${'a'.repeat(278)}…`);
    expect(shortened(`@bob ${'a'.repeat(280)}`, 5)).toBe(`@bob ${'a'.repeat(280)}`);
  });

  it('fits and shows no entity that the whole does not have', () => {
    const word = fc.constantFrom(
      'tea',
      '#five',
      '@bob',
      '$AB',
      'https://x.io/a',
      '👍🏽',
      'é',
      '東京',
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 400 }), (words) => {
        const text = words.join(' ');
        const short = shortened(text);
        if (weigh(text).over === null) expect(short).toBe(text);
        expect(weigh(short).weight).toBeLessThanOrEqual(MAX_WEIGHT);
        const tagsOf = (of: string) => (entitiesOf(of).hashtags ?? []).map(({ tag }) => tag);
        expect(tagsOf(text).slice(0, tagsOf(short).length)).toEqual(tagsOf(short));
      }),
      { numRuns: runs(50) },
    );
  });

  it('has the length of its normal form in code points', () => {
    expect(lengthOf('e\u0301👍')).toBe(2);
  });
});
