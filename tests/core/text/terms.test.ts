import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '#core/text/fold.ts';
import { termsOf } from '#core/text/terms.ts';
import { scanText, tokens } from '#core/text/tokens.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { runs } from '#tests/support/run/runs.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/terms.json', import.meta.url), 'utf8'),
) as { text: string; words: string[]; signed: string[] }[];

/** Texts of many scripts, with marks, signs and emoji next to each other. */
const text = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: unicodeText({ maxLength: 6 }) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
      fc.constantFrom(...vectors.map((v) => v.text)),
      fc.constantFrom(
        '#',
        '@',
        '$',
        '\u0301',
        '\ufe0f',
        '\u20e3',
        '\u200d',
        '1\ufe0f\u20e3',
        '👍🏽',
        'ß',
        'Σ',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('folding', () => {
  it.each([
    ['Diacrítica', 'diacritica'],
    ['cafe\u0301', 'cafe'],
    ['Straße ẞ', 'strasse ss'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['Йод и\u0306', 'йод й'],
    ['が か\u3099', 'が が'],
    ['हिन्दी', 'हिन्दी'],
    ['İstanbul', 'istanbul'],
    ['AT&amp;T', 'at&amp;t'],
  ])('%s is %s', (given, expected) => {
    expect(fold(given)).toBe(expected.normalize('NFC'));
  });

  it('follows the rule for any neighbours, and is idempotent', () => {
    const rule = (given: string): string =>
      given
        .normalize('NFD')
        .toLowerCase()
        .replace(/(?<=(?=\p{L})[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, '')
        .replaceAll('ß', 'ss')
        .replaceAll('ς', 'σ')
        .normalize('NFC');
    fc.assert(
      fc.property(text, (given) => {
        const folded = fold(given);
        expect(folded).toBe(rule(given));
        expect(fold(folded)).toBe(folded);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('follows the rule for every single character', () => {
    const wrong: string[] = [];
    for (let point = 0; point < 0x30000; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const char = String.fromCodePoint(point);
      const expected = char
        .normalize('NFD')
        .toLowerCase()
        .replace(/(?<=(?=\p{L})[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu, '')
        .replaceAll('ß', 'ss')
        .replaceAll('ς', 'σ')
        .normalize('NFC');
      if (fold(char) !== expected) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('leaves control characters next to folded letters unchanged', () => {
    expect(fold('\u0000\u0001\u0002Σß\u0003')).toBe('\u0000\u0001\u0002σss\u0003');
  });

  it('holds for texts longer than its buffers', () => {
    const long = 'Ünïcode Straße '.repeat(5000);
    expect(fold(long)).toBe('unicode strasse '.repeat(5000));
  });
});

describe('words and signed runs', () => {
  it.each(vectors.map((v) => [v.text, v] as const))('of %j are those of the vector', (_, v) => {
    const { words, hashtags, mentions } = scanText(fold(v.text));
    expect(words).toEqual(v.words);
    expect([...new Set([...hashtags, ...mentions])].sort()).toEqual(v.signed);
  });

  it('agree with the plain expressions of the rule', () => {
    const EMOJI =
      /[0-9#*]\ufe0f?\u20e3|\p{RI}{2}|(?![0-9#*])[\p{Emoji}\u24dc](?:[\p{EMod}\ufe0f]|[\u{e0020}-\u{e007e}]+\u{e007f})*(?:\u200d(?![0-9#*])[\p{Emoji}\u24dc](?:[\p{EMod}\ufe0f]|[\u{e0020}-\u{e007e}]+\u{e007f})*)*/gu;
    const SPACELESS =
      /([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]\p{M}*)/u;
    fc.assert(
      fc.property(text, (given) => {
        const folded = fold(given);
        const rest = folded.replace(EMOJI, ' ');
        const expected = [...rest.matchAll(/[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*/gu)].flatMap((run) =>
          run[0].split(SPACELESS).filter((part) => part !== ''),
        );
        expect(tokens(given)).toEqual(expected);
        expect(scanText(folded).emoji).toEqual(
          (folded.match(EMOJI) ?? []).map((found) => found.replaceAll('\ufe0f', '')),
        );
      }),
      { numRuns: runs(3000) },
    );
  });

  it.each([
    ['一つ', ['一', 'つ']],
    ['東京2020', ['東', '京', '2020']],
    ['ไทยabc', ['ไ', 'ท', 'ย', 'abc']],
  ])('%s: a script without spaces gives one token per character', (given, expected) => {
    expect(tokens(given)).toEqual(expected);
  });

  it.each([
    ['round 1️⃣ two', ['round', 'two'], ['1⃣']],
    ['1️⃣0️⃣ of 10', ['of', '10'], ['1⃣', '0⃣']],
    ['#️⃣tag *️⃣', ['tag'], ['#⃣', '*⃣']],
    ['so❤️good', ['so', 'good'], ['❤']],
    ['👍🏽👍', [], ['👍🏽', '👍']],
    ['👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪🇺🇸', [], ['👨‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🇩🇪', '🇺🇸']],
    ['Ⓜ️ ℹ️', [], ['ⓜ', 'ℹ']],
    ['10 # * ten', ['10', 'ten'], []],
  ])('%s: emoji are separate and have no position', (given, words, emoji) => {
    const scanned = scanText(fold(given));
    expect(scanned.words).toEqual(words);
    expect(scanned.emoji).toEqual(emoji);
    expect(scanned.hashtags).toEqual([]);
  });

  it.each([
    ['$TSLA up', ['$tsla']],
    ['$BRK.B and $a_bc.', ['$brk.b', '$a_bc']],
    ['$AAPL.', ['$aapl']],
    ['$AAPL1\ufe0f\u20e3 $TSLA5', ['$aapl']],
    ['$toolong $100 US$abc $ab1', []],
  ])('%s: cashtags', (given, expected) => {
    expect(scanText(fold(given)).cashtags).toEqual(expected);
  });
});

describe('terms of a Post', () => {
  it('come from the text if the Post does not list them', () => {
    const terms = termsOf({
      text: 'See #Foo @Bar $ABC https://t.co/Xy1 pic.twitter.com/Zz 🎉 #foo',
      username: 'Author',
      authorId: '12',
      lang: 'EN',
    });
    expect([...terms.flags].sort()).toEqual(
      [
        '#foo',
        '$abc',
        '@bar',
        'from:12',
        'from:author',
        'has:cashtags',
        'has:hashtags',
        'has:links',
        'has:media',
        'has:mentions',
        'lang:en',
        '🎉',
      ].sort(),
    );
    expect(terms.urlWords).toEqual(['https', 't', 'co', 'xy1', '', 'pic', 'twitter', 'com', 'zz']);
    expect(terms.words.slice(0, 6)).toEqual(['see', 'foo', 'bar', 'abc', 'https', 't']);
  });

  it('come from the Post if it lists them', () => {
    const terms = termsOf({
      text: '#notatag @nobody http://t.co/x',
      hashtags: ['Café'],
      mentions: [],
      cashtags: ['TSLA'],
      urls: ['https://Example.com/A', 'https://t.co/x'],
      hasMedia: false,
      hasImages: true,
      hasVideo: true,
      hasGeo: true,
      isRetweet: true,
      isReply: true,
      isQuote: true,
      isVerified: true,
      isNullcast: true,
      inReplyToUsername: 'Someone',
      inReplyToUserId: '34',
      conversationId: '56',
    });
    expect([...terms.flags].sort()).toEqual(
      [
        '#cafe',
        '$tsla',
        'address:example.com/a',
        'to:someone',
        'to:34',
        'conversation_id:56',
        'domain:example.com',
        'is:retweet',
        'is:reply',
        'is:quote',
        'is:verified',
        'is:nullcast',
        'has:hashtags',
        'has:cashtags',
        'has:links',
        'has:images',
        'has:video_link',
        'has:geo',
      ].sort(),
    );
    expect(terms.urlWords).toEqual(['https', 'example', 'com', 'a', '', 'https', 't', 'co', 'x']);
  });

  it('never include a repost, reply or quote guessed from the text', () => {
    const { flags } = termsOf({ text: 'RT @someone: @other hello' });
    expect(flags.filter((flag) => /^(?:is|to):/.test(flag))).toEqual([]);
  });

  it('repeat no flag, and separate flags from words', () => {
    fc.assert(
      fc.property(text, (given) => {
        const { flags, words } = termsOf({ text: given, username: '12', authorId: '12' });
        expect(new Set(flags).size).toBe(flags.length);
        const known = new Set(words);
        expect(flags.filter((flag) => known.has(flag))).toEqual([]);
      }),
    );
  });
});
