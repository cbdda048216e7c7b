import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '#core/text/fold.ts';
import { overLimit, placedTerms, type PlacedTerm } from '#core/text/placed-terms.ts';
import { termsOf } from '#core/text/terms.ts';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { runs } from '#tests/support/run/runs.ts';

/** Texts with everything whose folded form has another length or joins its neighbours. */
const texts = fc
  .array(
    fc.oneof(
      unicodeText({ maxLength: 4 }),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.constantFrom(
        'ß',
        'ẞ',
        'É',
        'e\u0301',
        'İ',
        'Σ',
        'ᄒ',
        'ᅡ',
        'ᆫ',
        '하',
        '한',
        'が',
        'か\u3099',
      ),
      fc.constantFrom('1️⃣', '1', '👍🏽', '🇩🇪', 'Ⓜ', '東京', 'हि', 'สวัสดี', '𝔸', '\u0301'),
      fc.constantFrom(
        ' ',
        '#tag',
        '＃Straße',
        '@ann',
        '\u105e',
        '$BRK.B',
        'https://É.com/ß?a=1',
        't.co/x ',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('placedTerms', () => {
  it('gives the terms of search, at the places where the text has them', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { words, signed, addresses } = placedTerms(text);
        const all = termsOf({ text });
        const termOf = ({ term }: PlacedTerm): string => term;
        expect(words.map(termOf)).toEqual(all.words);
        const separated = addresses.flatMap((each, i) => [
          ...(i > 0 ? [''] : []),
          ...each.map(termOf),
        ]);
        expect(separated).toEqual(all.urlWords);
        expect(all.flags).toEqual(expect.arrayContaining(signed.map(termOf)));
        for (const { term, start, end } of [...words, ...addresses.flat()]) {
          expect(fold(text.slice(start, end))).toBe(term);
        }
        // Its sign may be of full width, and marks after an emoji are no part of its term.
        for (const { term, start, end } of signed) {
          const part = fold(text.slice(start, end)).replaceAll('\ufe0f', '');
          const sign = { '＃': '#', '＠': '@' }[part.slice(0, 1)] ?? part.slice(0, 1);
          expect(sign + part.slice(1)).toContain(term);
          expect(part.replace(/\p{M}+$/u, '').length).toBeLessThanOrEqual(term.length);
        }
      }),
      { numRuns: runs(20_000) },
    );
  });
});

describe('overLimit', () => {
  it.each([
    ['a'.repeat(MAX_WEIGHT), null],
    ['a'.repeat(MAX_WEIGHT + 1), MAX_WEIGHT],
    ['e\u0301'.repeat(MAX_WEIGHT + 1), 2 * MAX_WEIGHT],
    ['東'.repeat(MAX_WEIGHT / 2 + 1), MAX_WEIGHT / 2],
  ])('of %j is %j', (text, over) => {
    expect(overLimit(text)).toBe(over);
  });

  it('is where what comes before still fits', () => {
    fc.assert(
      fc.property(texts, fc.nat(3), (text, n) => {
        const long = `${'a '.repeat(138)}${text}${'b'.repeat(n)}`;
        const over = overLimit(long);
        expect(over === null).toBe(weigh(long).over === null);
        if (over !== null) expect(over).toBeLessThan(long.length);
      }),
    );
  });
});
