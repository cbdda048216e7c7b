import * as fc from 'fast-check';
import type { IndexablePost } from '#core/text/post.ts';
import { numbers } from '#tests/server/index/corpus.ts';

/** Posts and queries of every operator, in which nearly every query finds some. */

const WORDS = [
  'fox',
  'cat',
  'Dog',
  'naïve',
  '東京',
  'coca-cola',
  '😀',
  '👍🏽',
  '#fox',
  '@cat',
  '$dog',
];
const LONDON = { lon: -0.1276, lat: 51.5072 };

/** Makes Posts that differ in everything a query can ask for. */
export function variedPosts(n: number): IndexablePost[] {
  const pick = numbers(7);
  const some = <T>(list: readonly T[]): T => list[pick(list.length)]!;
  const maybe = <T extends object>(value: T): T | object => (pick(3) === 0 ? value : {});
  const near = (centre: number): number => centre + (pick(2000) - 1000) / 2500;
  const box = (): { west: number; south: number; east: number; north: number } => {
    const [west, south] = [near(LONDON.lon), near(LONDON.lat)];
    const size = pick(2) === 0 ? 0 : pick(300) / 1000;
    return { west, south, east: west + size, north: south + size };
  };
  return Array.from({ length: n }, () => ({
    text: Array.from({ length: pick(7) }, () => some(WORDS)).join(' '),
    username: some(['Ann', 'bob']),
    authorId: some(['12', '13', '14']),
    lang: some(['en', 'de']),
    isRetweet: pick(4) === 0,
    isQuote: pick(4) === 0,
    isReply: pick(4) === 0,
    isVerified: pick(4) === 0,
    isNullcast: pick(9) === 0,
    hasMedia: pick(4) === 0,
    hasImages: pick(5) === 0,
    hasVideo: pick(5) === 0,
    hasGeo: pick(5) === 0,
    ...maybe({ inReplyToUsername: some(['Ann', 'bob']), replyToId: some(['1', '2']) }),
    ...maybe({ repostOfUsername: some(['Ann', '12']), repostOfUserId: some(['12', '13']) }),
    ...maybe({ repostOfId: some(['1', '2']), quoteOfId: some(['1', '2']) }),
    ...maybe({ conversationId: some(['1', '2']) }),
    ...maybe({
      places: some([
        ['p1', 'New  York'],
        ['p2', 'Paris'],
      ]),
      country: some(['GB', 'us']),
    }),
    ...maybe({ boxes: pick(2) === 0 ? [box()] : [box(), box()] }),
    ...maybe({ contexts: some([['1.2'], ['1.2', '1.3']]), entities: some([['Ann B'], ['X']]) }),
    ...maybe({ urls: ['https://cat.com/Dog'] }),
    ...maybe({ likes: pick(40), replies: pick(3), reposts: pick(3000) }),
  }));
}

const term = fc.constantFrom(
  'fox',
  'cat',
  'dog',
  'NAIVE',
  '東',
  '東京',
  'coca-cola',
  '"cola fox"',
  '"fox cat"',
  '😀',
  '"👍🏽"',
  '#fox',
  '@cat',
  '$DOG',
  'from:Ann',
  'from:12',
  'to:bob',
  'url:cat',
  'url:"cat.com/dog"',
  'lang:en',
  'is:retweet',
  'is:reply',
  'is:quote',
  'is:verified',
  '-is:nullcast',
  'has:media',
  'has:images',
  'has:videos',
  'has:geo',
  'has:links',
  'has:hashtags',
  'has:mentions',
  'has:cashtags',
  'conversation_id:1',
  'retweets_of:ann',
  'retweets_of:12',
  'in_reply_to_tweet_id:1',
  'retweets_of_tweet_id:2',
  'quotes_of_tweet_id:1',
  'context:1.2',
  'entity:"ann b"',
  'place:"new york"',
  'place:p2',
  'place_country:gb',
);
const value = fc.oneof(fc.nat(70), fc.nat(4100), fc.constantFrom(0, 1, 2 ** 31, 10 ** 11));
const degrees = fc.integer({ min: -400, max: 400 }).map((n) => n / 1000);
const fixed = (n: number): string => n.toFixed(4);
/** One operator with a value. */
export const clause = fc.oneof(
  { weight: 4, arbitrary: term },
  fc
    .tuple(fc.constantFrom('likes', 'replies', 'reposts'), value)
    .map(([of, n]) => `min_${of}:${n}`),
  fc
    .tuple(degrees, degrees, fc.integer({ min: 1, max: 400 }), fc.constantFrom('mi', 'km'))
    .map(([x, y, r, unit]) => {
      const radius = unit === 'mi' ? r / 16.1 : r / 10;
      return `point_radius:[${fixed(LONDON.lon + x)} ${fixed(LONDON.lat + y)} ${fixed(radius)}${unit}]`;
    }),
  fc
    .tuple(degrees, degrees, fc.integer({ min: 1, max: 350 }), fc.integer({ min: 1, max: 350 }))
    .map(([x, y, width, height]) => {
      const [west, south] = [LONDON.lon + x, LONDON.lat + y];
      const [east, north] = [west + width / 1000, south + height / 1000];
      return `bounding_box:[${[west, south, east, north].map(fixed).join(' ')}]`;
    }),
);
const negatable = fc
  .tuple(clause, fc.boolean())
  .map(([text, no]) => (no && !text.startsWith('-') ? `-${text}` : text));
/** Any query over {@link variedPosts}. */
export const { query } = fc.letrec<{ node: string; query: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'query' },
    { weight: 3, arbitrary: negatable },
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((of) => `(${of.join(' ')})`),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' OR ')})`),
  ),
  // A minimum of nothing matches every Post, so that parts of any kind may be combined with it.
  query: fc
    .tuple(
      fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', 'list:1 ', '-list:1 ', 'list:2 ', 'list:3 '),
    )
    .map(([of, list]) => `min_likes:0 ${list}${of.join(' ')}`),
}));
