import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayRange, entitiesOf } from '#core/text/entities.ts';
import { fold } from '#core/text/fold.ts';
import { termsOf } from '#core/text/terms.ts';

/** The code points of a part of a text. */
const part = (text: string, { start, end }: { start: number; end: number }): string =>
  Array.from(text).slice(start, end).join('');

describe('entitiesOf', () => {
  it('finds every kind, by code points', () => {
    const text = '😀 #Straße by @Ann_1: $BRK.B at https://example.com/a(b).';
    const found = entitiesOf(text);
    expect(found).toEqual({
      hashtags: [{ start: 2, end: 9, tag: 'Straße' }],
      mentions: [{ start: 13, end: 19, username: 'Ann_1' }],
      cashtags: [{ start: 21, end: 27, tag: 'BRK.B' }],
      urls: [
        {
          start: 31,
          end: 55,
          url: 'https://example.com/a(b)',
          expanded_url: 'https://example.com/a(b)',
          display_url: 'example.com/a(b)',
        },
      ],
    });
  });

  it.each([
    ['a#b #c', [{ start: 4, end: 6, tag: 'c' }]],
    ['＃東京', [{ start: 0, end: 3, tag: '東京' }]],
    [
      '#a1️⃣ #b',
      [
        { start: 0, end: 2, tag: 'a' },
        { start: 6, end: 8, tag: 'b' },
      ],
    ],
    ['# alone', undefined],
  ])('reads the hashtags of %j', (text, hashtags) => {
    expect(entitiesOf(text).hashtags).toEqual(hashtags);
  });

  it('does not say where a shortened address leads, and cuts long ones', () => {
    expect(entitiesOf('HTTPS://t.co/aB3 t.co/x').urls).toEqual([
      { start: 0, end: 16, url: 'HTTPS://t.co/aB3', display_url: 't.co/aB3' },
      { start: 17, end: 23, url: 'https://t.co/x', display_url: 't.co/x' },
    ]);
    const [long] = entitiesOf('http://www.example.com/a/very/long/path').urls ?? [];
    expect(long?.display_url).toBe('example.com/a/very/long/pa…');
  });

  it('finds what the index finds, where the text says it', () => {
    const words = fc.constantFrom(
      '#tag',
      '@ann',
      '$tsla',
      'x',
      '#',
      '@',
      '$',
      '😀',
      'é',
      '#É',
      ' ',
      ' ',
      '_',
      '1️⃣',
      '.',
      'http://a.de/b',
      't.co/y',
      'ß',
      '#ẞ',
      '\u0301',
      '＠bob',
      'が',
      '9',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const { flags, urlWords } = termsOf({ text });
        const found = entitiesOf(text);
        const folded = (sign: string, list: readonly string[] = []): Set<string> =>
          new Set(list.map((value) => sign + fold(value)));
        const of = (sign: string): Set<string> =>
          new Set(flags.filter((flag) => flag.startsWith(sign) && flag.length > 1));
        expect(
          folded(
            '#',
            found.hashtags?.map(({ tag }) => tag),
          ),
        ).toEqual(of('#'));
        expect(
          folded(
            '@',
            found.mentions?.map(({ username }) => username),
          ),
        ).toEqual(of('@'));
        expect(
          folded(
            '$',
            found.cashtags?.map(({ tag }) => tag),
          ),
        ).toEqual(of('$'));
        for (const tag of found.hashtags ?? []) expect(part(text, tag).slice(1)).toBe(tag.tag);
        for (const at of found.mentions ?? []) expect(part(text, at).slice(1)).toBe(at.username);
        const addresses = urlWords.length && urlWords.filter((word) => word === '').length + 1;
        expect(found.urls?.length ?? 0).toBe(addresses);
      }),
    );
  });
});

describe('displayRange', () => {
  it.each([
    ['😀 tea', false, [0, 5]],
    ['@ann @bob hi', true, [10, 12]],
    ['@ann hi', false, [0, 7]],
    ['hi pic.twitter.com/aB3', false, [0, 2]],
    ['@ann', true, [0, 4]],
  ] as const)('of %j (reply: %s) is %j', (text, isReply, range) => {
    expect(displayRange(text, isReply)).toEqual(range);
  });
});
