import * as fc from 'fast-check';
import type { Condition } from '#core/query/ast.ts';
import type { PostTerms } from '#core/text/post.ts';

/** The parts of a Post that counting needs. */
export interface Counted {
  readonly id: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly terms: PostTerms;
}

/** True if a Post meets a condition, straight from the definition of {@link Condition}. */
export function holds(condition: Condition, terms: PostTerms): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.of.every((each) => holds(each, terms));
    case 'any':
      return condition.of.some((each) => holds(each, terms));
    case 'not':
      return !holds(condition.of, terms);
    case 'term':
      return (
        terms.words.includes(condition.term) ||
        terms.flags.includes(condition.term) ||
        terms.urlWords.some((token) => token !== '' && `url:${token}` === condition.term)
      );
    case 'posts':
      throw new RangeError('terms do not say which Post has them');
    case 'within': {
      const { area } = condition;
      return terms.flags.some((flag) => {
        const [west, south, east, north] = flag.startsWith('geo:')
          ? flag.slice(8).split(',').map(Number)
          : [];
        if (west === undefined || south === undefined || area.kind !== 'box') return false;
        return (
          west >= area.west && south >= area.south && east! <= area.east && north! <= area.north
        );
      });
    }
    case 'phrase': {
      const among = condition.field === 'word' ? terms.words : terms.urlWords;
      return among.some((_, at) => condition.tokens.every((token, i) => among[at + i] === token));
    }
  }
}

const WORDS = ['a', 'b', 'c', 'dog', 'über', '東', '京'];
const URLS = ['https', 't', 'co', 'x1', 'a'];
const FLAGS = ['#a', '@b', '$c', '🎉', 'from:dog', 'lang:en', 'is:retweet', 'url:x1'];
const BOXES = ['geo:141:0,51.5,0,51.5', 'geo:142:0.1,52,0.2,52.1', 'geo:089:-1,-0.5,-0.9,0.5'];

export const terms: fc.Arbitrary<PostTerms> = fc.record({
  words: fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }),
  urlWords: fc.array(fc.constantFrom(...URLS, ''), { maxLength: 6 }),
  flags: fc.uniqueArray(fc.constantFrom(...FLAGS, ...BOXES), { maxLength: 4 }),
});

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        { west: -0.1, south: 51.4, east: 0.1, north: 51.6 },
        { west: -0.1, south: 51.4, east: 0.3, north: 52.2 },
        { west: -1, south: -0.5, east: -0.8, north: 0.5 },
        { west: -1, south: -0.4, east: -0.8, north: 0.5 },
      ].map((box) => ({ kind: 'within' as const, area: { kind: 'box' as const, ...box } })),
    ),
  },
  fc.record({
    kind: fc.constant('term' as const),
    term: fc.constantFrom(...WORDS, ...FLAGS, 'url:co', 'absent'),
  }),
  fc.record({
    kind: fc.constant('phrase' as const),
    field: fc.constant('word' as const),
    tokens: fc.array(fc.constantFrom(...WORDS), { minLength: 2, maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('phrase' as const),
    field: fc.constant('url' as const),
    tokens: fc.array(fc.constantFrom(...URLS), { minLength: 2, maxLength: 3 }),
  }),
);

/** Conditions of every kind and nesting: all-negative ones, negations in OR, negated groups. */
export const condition: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({ kind: fc.constant('not' as const), of: tie('node') }),
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      of: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
    }),
  ),
})).node;

/** Numbers below `n`, deterministic for a seed (mulberry32). */
export function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

/** Posts over 90 days from a start, in random order of time, with common and rare terms. */
export function corpus(posts: number, seed: number, start: number): Counted[] {
  const pick = numbers(seed);
  return Array.from({ length: posts }, (_, i) => {
    const words = Array.from({ length: 1 + pick(6) }, () => WORDS[pick(1 + pick(WORDS.length))]!);
    if (pick(50) === 0) words.push(`rare${pick(posts)}`);
    const urlWords = pick(3) === 0 ? ['https', 't', 'co', `x${pick(200)}`] : [];
    if (pick(20) === 0) urlWords.push('', 'co', 'x1');
    const flags = [...FLAGS.filter(() => pick(5) === 0), ...BOXES.filter(() => pick(30) === 0)];
    return {
      id: BigInt(i + 1) * 7n,
      createdAt: start + pick(90 * 86_400) * 1000 + pick(1000),
      terms: { words, urlWords, flags },
    };
  });
}
