import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { fold, type TextMode } from '#core/text/fold.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { streamTermsOf, termsOf } from '#core/text/terms.ts';
import { tokens } from '#core/text/tokens.ts';

function matches(
  query: string,
  post: IndexablePost,
  mode: TextMode,
  quoted?: IndexablePost,
): boolean {
  const parsed = parse(query, { product: 'recent' });
  if (!parsed.ok) throw new Error(`${query}: ${parsed.diagnostics[0]?.message}`);
  const terms = mode === 'stream' ? streamTermsOf(post, quoted) : termsOf(post);
  return match(condition(parsed.ast, undefined, mode), terms);
}

/**
 * docs.x.com, filtered-stream/integrate/build-a-rule and search/integrate/build-a-query, "Punctuation,
 * diacritics, and case sensitivity"; the first five rows are their examples.
 */
describe('accents count in a stream, but not in search', () => {
  test.each<[query: string, text: string, search: boolean, stream: boolean]>([
    ['diacrítica', 'una diacrítica más', true, true],
    ['diacrítica', 'una diacritica mas', true, false],
    ['Diacrítica', 'una Diacritica mas', true, false],
    ['diacritica', 'una diacrítica más', true, false],
    ['cat', 'a CAT and a Cat', true, true],
    ['DIACRÍTICA', 'diacrítica', true, true],
    ['diacri\u0301tica', 'diacrítica', true, true],
    ['"una diacritica"', 'una diacrítica', true, false],
    ['#café', '#CAFÉ', true, true],
    ['#café', '#cafe', true, false],
    ['url:"example.com/café"', 'https://example.com/cafe', true, false],
    ['ΕΛΛΆΔΑ', 'Ελλάδα', true, true],
    ['ελλαδα', 'Ελλάδα', true, false],
    ['σίσυφος', 'ΣΊΣΥΦΟΣ', true, true],
    ['STRASSE', 'Straße', true, true],
    ['йод', 'иод', false, false],
    ['cat -café', 'cat cafe', false, true],
  ])('%s of "%s"', (query, text, search, stream) => {
    expect(matches(query, { text }, 'search')).toBe(search);
    expect(matches(query, { text }, 'stream')).toBe(stream);
  });

  test('also in the values of fields', () => {
    const post = { text: 'x', places: ['São Paulo'], entities: ['Beyoncé'] };
    for (const [query, stream] of [
      ['place:"são paulo"', true],
      ['place:"sao paulo"', false],
      ['entity:"Beyoncé"', true],
      ['entity:"Beyonce"', false],
    ] as const) {
      expect(matches(query, post, 'search')).toBe(true);
      expect(matches(query, post, 'stream')).toBe(stream);
    }
  });
});

/** docs.x.com, filtered-stream/integrate/build-a-rule, "Quote Tweet matching". */
describe('the text of a quoted Post counts for the quoting one in a stream, but not in search', () => {
  const post: IndexablePost = {
    text: 'look at this',
    username: 'ann',
    lang: 'en',
    isQuote: true,
    quoteOfId: '7',
  };
  const quoted: IndexablePost = {
    text: 'grumpy cat 😀 #meme @bob $CATS https://example.com/zoo',
    username: 'carl',
    lang: 'de',
    isReply: true,
    hasImages: true,
    likes: 9,
    country: 'DE',
  };
  test.each<[query: string, search: boolean, stream: boolean]>([
    ['look', true, true],
    ['grumpy', false, true],
    ['look grumpy', false, true],
    ['look -grumpy', true, false],
    ['"grumpy cat"', false, true],
    ['"this grumpy"', false, false],
    ['😀', false, true],
    ['#meme', false, true],
    ['@bob', false, true],
    ['$cats', false, true],
    ['url:"example.com/zoo"', false, true],
    ['url:example', false, true],
    ['from:ann', true, true],
    ['from:carl', false, false],
    ['look lang:en', true, true],
    ['look lang:de', false, false],
    ['look is:quote', true, true],
    ['look is:reply', false, false],
    ['look has:images', false, false],
    ['look has:hashtags', false, false],
    ['look min_likes:9', false, false],
    ['place_country:DE', false, false],
    ['quotes_of_tweet_id:7', true, true],
  ])('%s', (query, search, stream) => {
    expect(matches(query, post, 'search')).toBe(search);
    expect(matches(query, post, 'stream', quoted)).toBe(stream);
  });

  test('no phrase of an address spans both Posts', () => {
    const [one, other] = [{ text: 'https://a.com/b' }, { text: 'https://c.com/d' }];
    expect(matches('url:"b https"', one, 'stream', other)).toBe(false);
    expect(matches('url:"a.com/b" url:"c.com/d"', one, 'stream', other)).toBe(true);
  });

  test('an unknown quoted Post is ignored', () => {
    expect(matches('grumpy', post, 'stream')).toBe(false);
  });
});

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.constantFrom(
        'é',
        'e\u0301',
        ' ',
        '#',
        'Σ',
        'ς',
        'ß',
        'ñandú',
        'Й',
        'が',
        '한',
        '1️⃣',
        '😀',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

describe('laws of both modes', () => {
  test('texts that are equal to a stream are equal to search', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(fold(fold(given, 'stream'), 'stream')).toBe(fold(given, 'stream'));
        expect(fold(fold(given, 'stream'))).toBe(fold(given));
        expect(tokens(given, 'stream').map((token) => fold(token))).toEqual(tokens(given));
      }),
    );
  });

  test('without accents and quotes there is no difference', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary-ascii' }),
        fc.string({ maxLength: 5 }),
        (given, lang) => {
          const post = { text: given, username: 'Ann', lang: lang.replaceAll(/[^a-z]/gu, '') };
          expect(streamTermsOf(post)).toEqual(termsOf(post));
        },
      ),
    );
  });
});
