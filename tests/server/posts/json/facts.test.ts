import { describe, expect, test } from 'vitest';
import type { IndexablePost } from '#core/text/post.ts';
import { factsOf, flagsOf } from '#server/posts/json/facts.ts';

describe('facts hold what neither the columns nor the bits contain:', () => {
  const COLUMNS = { text: 'hey', username: 'Ann', authorId: '7', lang: 'en' };
  const REST = '{"possibly_sensitive":false}';
  const ROWS: readonly [string, Partial<IndexablePost>, string | null, object | null][] = [
    ['nothing of a Post of columns alone', {}, null, null],
    ['nothing of a row of CSV', {}, '{"columns":{"region":"x"}}', null],
    ['nothing, and that is said, where rest has fields of the Post', {}, REST, {}],
    ['no bits', { isRetweet: true, hasGeo: true, hasImages: false }, null, null],
    ['whether there is media, which the text may tell', { hasMedia: true }, null, {}],
    ['lists, empty ones too', { hashtags: [], urls: ['https://a.example'] }, REST, {}],
    ['the longer text that queries look at', { text: 'hey, and more' }, REST, {}],
    ['a name that the column does not have', { username: 'Bob' }, null, {}],
  ];
  test.each(ROWS)('%s', (_, more, rest, expected) => {
    const { isRetweet: _r, hasGeo: _g, hasImages: _i, ...retained } = more;
    const facts = factsOf({ ...COLUMNS, ...more }, { ...COLUMNS, rest });
    expect(facts === null ? null : JSON.parse(facts)).toEqual(
      expected && { ...expected, ...retained },
    );
  });

  test('a column value that the Post lacks', () => {
    expect(factsOf({ text: 'hey' }, { ...COLUMNS, rest: null })).toBe(
      '{"username":null,"authorId":null,"lang":null}',
    );
  });
});

test('the bits of terms follow the format, whatever else a Post has', () => {
  const terms = [
    'is:retweet',
    'is:quote',
    'is:reply',
    'is:verified',
    'is:nullcast',
    'has:media',
    'has:images',
    'has:video_link',
    'has:geo',
  ];
  terms.forEach((term, bit) => {
    expect(flagsOf({ words: ['is'], urlWords: [], flags: ['#a', term, 'lang:en'] })).toBe(2 ** bit);
  });
  expect(flagsOf({ words: [], urlWords: [], flags: terms })).toBe(2 ** terms.length - 1);
});
