import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { queryWords } from '#core/query/words.ts';
import { bagOf, keyWords, type Bag } from '#core/text/keyness.ts';

const bag = (posts: number, words: Record<string, number>): Bag => ({
  posts,
  words: new Map(Object.entries(words)),
});
const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

describe('a bag of words', () => {
  it.each([
    ['counts a word once a Post', ['Boom boom BOOM', 'boom'], { boom: 2 }],
    ['leaves addresses out', ['see https://example.com/boom t.co/abc'], { see: 1 }],
    ['leaves single letters and small numbers out', ['b 7 42 2026 v2'], { '2026': 1, v2: 1 }],
    ['leaves the commonest English words out', ['this is the milk'], { milk: 1 }],
    [
      'keeps hashtags and mentions with their sign',
      ['#Oat milk @Cafe'],
      { '#oat': 1, milk: 1, '@cafe': 1 },
    ],
    [
      'counts a word next to its own hashtag',
      ['recall #recall', '#recall'],
      { recall: 1, '#recall': 2 },
    ],
    ['keeps emoji', ['milk 🥛🥛'], { milk: 1, '🥛': 1 }],
    ['keeps characters of scripts without spaces', ['抹茶'], { 抹: 1, 茶: 1 }],
    ['reads no word from an entity of HTML', ['oat &amp; milk'], { oat: 1, milk: 1 }],
  ])('%s', (_, texts, words) => {
    const found = bagOf(texts);
    expect(found.posts).toBe(texts.length);
    expect(Object.fromEntries(found.words)).toEqual(words);
  });
});

describe('key words', () => {
  it('score by the log-likelihood of two counts', () => {
    // 2 · (30 ln(30 / 16) + 2 ln(2 / 16)), worked out by hand.
    const [word] = keyWords(bag(100, { recall: 30 }), bag(100, { recall: 2 }));
    expect(word?.likelihood).toBeCloseTo(29.3988, 3);
    expect(word).toMatchObject({ share: 0.3, shareBefore: 0.02, strength: 'decisive' });
  });

  it.each([
    [3, 3, null],
    [5, 1, null],
    [6, 1, 'weak'],
    [6, 0, 'fair'],
    [9, 1, 'fair'],
    [9, 0, 'strong'],
    [12, 0, 'decisive'],
    [9, 2, 'weak'],
    [2, 0, null],
  ])('with %i and %i of a hundred Posts are of class %s', (now, before, strength) => {
    const [word] = keyWords(bag(100, { w: now }), bag(100, { w: before }));
    expect(word?.strength ?? null).toBe(strength);
  });

  it('are only over-used ones, never those of the query, the least likely first', () => {
    const now = bagOf([...times(40, 'oat milk recall'), ...times(20, 'oat milk #oat shelf')]);
    const before = bagOf(times(60, 'oat milk latte'));
    const query = parse('"oat milk" -latte');
    const leaveOut = query.ok ? queryWords(query.ast) : new Set<string>();
    expect(keyWords(now, before, leaveOut).map((one) => one.word)).toEqual(['recall', 'shelf']);
    expect(keyWords(now, before, leaveOut, 1).map((one) => one.word)).toEqual(['recall']);
  });

  it('are none without a time to compare with', () => {
    expect(keyWords(bagOf(times(9, 'recall')), bagOf([]))).toEqual([]);
    expect(keyWords(bagOf([]), bagOf(times(9, 'recall')))).toEqual([]);
  });

  it('do not exist for a time and itself, and no word is key in both directions', () => {
    const posts = fc.array(fc.array(fc.constantFrom('aa', 'bb', 'cc', 'dd')), { minLength: 1 });
    const texts = posts.map((list) => list.map((words) => words.join(' ')));
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(keyWords(bagOf(a), bagOf(a))).toEqual([]);
        const there = new Set(keyWords(bagOf(a), bagOf(b)).map((one) => one.word));
        for (const { word } of keyWords(bagOf(b), bagOf(a))) expect(there.has(word)).toBe(false);
      }),
    );
  });
});

describe('the words of a query', () => {
  it.each([
    ['oat milk', ['oat', 'milk']],
    ['("oat milk" OR #OatMilk) lang:en -recipe', ['oat', 'milk', 'oatmilk']],
    ['@cafe from:someone has:media', ['cafe']],
    ['Müller', ['muller']],
  ])('%s', (text, words) => {
    const parsed = parse(text);
    expect(parsed.ok && [...queryWords(parsed.ast)]).toEqual(words);
  });
});
