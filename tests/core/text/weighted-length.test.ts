import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_WEIGHT, weigh } from '#core/text/weighted-length.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

// Rules: platform-facts section 3 (counting-characters page; twitter-text config v3).

describe('the weight of a text', () => {
  it.each([
    ['nothing', '', 0],
    ['Latin letters, digits and punctuation', 'This is a test.', 15],
    ['accented letters, composed', 'caf\u00e9', 4],
    ['accented letters, taken apart', 'cafe\u0301', 4],
    ['Cyrillic and Arabic letters', 'мир سلام', 8],
    ['the last of the first range and the one after it', '\u10ff\u1100', 3],
    ['typographic spaces and the joiner', '\u2000\u200d', 2],
    ['characters just outside the second range', '\u200e\u200f', 4],
    ['quotation marks and dashes', '\u2010\u201f', 2],
    ['the ellipsis, which is in no range', '\u2026', 2],
    ['primes', '\u2032\u2037', 2],
    ['Han characters', '東京', 4],
    ['kana', 'の', 2],
    ['Hangul', '한국', 4],
    ['a letter outside the first plane', '\u{10000}', 2],
    ['an emoji', '👾', 2],
    ['an emoji with a skin tone', '🙋🏽', 2],
    ['joined emoji', '👨‍🎤', 2],
    ['a family', '👨‍👩‍👧‍👦', 2],
    ['a flag', '🇫🇷', 2],
    ['the flag of a part of a country', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['a keycap', '1️⃣', 2],
    ['a heart with its selector', '❤️', 2],
    ['two emoji', '👾👾', 4],
    ['digits and signs, which are no emoji', '1#*', 3],
    ['the copyright sign as text and as emoji', '©©️', 3],
  ])('%s', (_, text, weight) => {
    expect(weigh(text)).toEqual({ weight, over: null });
  });

  it.each([
    ['http://test.com', 23],
    ['https://test.com', 23],
    ['https://example.com/very/long/path?of=it&and=more#too-of-it', 23],
    ['test.com', 23],
    ['Test https://test.com test https://test.com test.com test', 86],
    ['foo.co.jp', 23],
    ['t.co', 23],
    ['https://☃.net/', 23],
    ['see https://a.com.', 28],
    ['(https://a.com/b)', 25],
    ['https://a.org/wiki/Tea_(drink), tea', 28],
    ['https://a.com/, b', 26],
    ['is.it', 5],
    ['is.it/so', 23],
    ['me@example.com', 14],
    ['#example.com', 12],
    ['example.comx', 12],
    ['e.g. this', 9],
    ['3.14', 4],
    ['www.example.com!', 24],
    ['東京https://a.jp/東', 27],
    ['東京a.comで', 29],
    ['ftp.example', 11],
    ['https://', 8],
    ['https://nowhere', 15],
    [`https://a.com/${'x'.repeat(4082)}`, 23],
    [`https://a.com/${'x'.repeat(4083)}`, 4097],
  ])('of %s is %i: addresses count as 23', (text, weight) => {
    expect(weigh(text).weight).toBe(weight);
  });
});

describe('where a text becomes too long', () => {
  const room = (n: number): string => 'a'.repeat(MAX_WEIGHT - n);

  it.each([
    ['exactly full', room(0), 280, null],
    ['one letter more', `${room(0)}a`, 281, 280],
    ['half of a wide character', `${room(1)}の`, 281, 279],
    ['an address that does not fit', `${room(22)} https://a.com/x b`, 284, 259],
    ['an address that fits', `${room(24)} https://a.com/${'x'.repeat(500)}`, 280, null],
    ['140 emoji, and one more', '🐱'.repeat(141), 282, 140],
    ['an emoji of many parts', `${room(1)}👨‍👩‍👧‍👦`, 281, 279],
    ['after emoji of many parts', `${'👨‍🎤'.repeat(140)}b`, 281, 420],
    ['a text taken apart', `${'e\u0301'.repeat(281)}`, 281, 280],
  ])('%s', (_, text, weight, over) => {
    expect(weigh(text)).toEqual({ weight, over });
  });
});

describe('laws', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 20 }),
        unicodeText({ maxLength: 20 }),
        fc.constantFrom('https://a.com/(b)', ' ', 'a.co', '👨‍👩‍👧', '\ufe0f', '\u200d', '🇫', '1\u20e3'),
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''));

  it('the text before the reported position fits, and with the next character it does not', () => {
    fc.assert(
      fc.property(text, (given) => {
        const points = Array.from(given.normalize('NFC'));
        const { weight, over } = weigh(given);
        expect(weight > MAX_WEIGHT).toBe(over !== null);
        expect(weight).toBeLessThanOrEqual(2 * points.length + 23 * points.length);
        if (over !== null) expect(over).toBeLessThan(points.length);
      }),
    );
  });

  it('all encodings of a text weigh the same', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(weigh(given.normalize('NFD'))).toEqual(weigh(given));
      }),
    );
  });

  it('a long text of one repeated part is weighed in linear time', () => {
    for (const part of [
      'a',
      'a.',
      'a-',
      '(',
      'http://a.b/(',
      '\u200d',
      '👨‍',
      'a.b/',
      '1\ufe0f',
      'x_',
    ]) {
      expect(weigh(part.repeat(500_000 / part.length)).weight).toBeGreaterThan(0);
    }
  });
});
