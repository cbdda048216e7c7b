import { afterAll, describe, expect, it } from 'vitest';
import { startService, type TestPost } from '#tests/support/service/service.ts';

const START = Date.UTC(2020, 0, 1);
const WORDS = Array.from({ length: 700 }, (_, i) => `w${i.toString(36)}`);
const POSTS: TestPost[] = Array.from({ length: 2000 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: START + i * 40_000,
  text: `tea ${WORDS[i % 700]} ${WORDS[(i * 31) % 700]}`,
}));
// One query so long that all its words form a phrase.
POSTS.push({ id: 9999n, createdAt: START, text: WORDS.join(' ') });

/** Each reading of the clock takes a ms, so that long evaluations pause after a few pieces on any machine. */
let ms = 0;
const service = startService({ posts: POSTS, elapsed: () => (ms += 1) });
afterAll(() => service.close());

const SHORT = 'query=tea&start_time=2020-01-01T00:00:00Z&end_time=2020-01-03T00:00:00Z';
/** As many words as fit into a query. */
const fitting = (words: readonly string[], between: number): string[] =>
  words.slice(0, Math.floor(4090 / (4 + between)));
const hasAny = (words: readonly string[]) => {
  const wanted = new Set(words);
  return (text: string): boolean => text.split(' ').some((word) => wanted.has(word));
};
const PHRASE = fitting(WORDS, 1);
const ANY = fitting(WORDS, 4);
const PAIRS = fitting(WORDS, 10);
const WITHOUT = fitting(WORDS.slice(10), 2);
/** Queries with many look-ups, and what matches them. */
const LONG: readonly (readonly [kind: string, query: string, of: (text: string) => boolean])[] = [
  ['a phrase of many words', `"${PHRASE.join(' ')}"`, (text) => text.includes(PHRASE.join(' '))],
  ['many words, any of them', ANY.join(' OR '), hasAny(ANY)],
  [
    'many phrases',
    PAIRS.map((word) => `"tea ${word}"`).join(' OR '),
    (text) => text.startsWith('tea ') && PAIRS.includes(text.split(' ')[1]!),
  ],
  [
    'many excluded words',
    `tea ${WITHOUT.map((word) => `-${word}`).join(' ')}`,
    (text) => text.startsWith('tea ') && !hasAny(WITHOUT)(text),
  ],
];
const matching = (of: (text: string) => boolean): number =>
  POSTS.filter(({ text = '' }) => of(text)).length;

const path = (kind: 'counts' | 'search', query: string): string =>
  `/2/tweets/${kind}/all?${SHORT.replace('query=tea', `query=${encodeURIComponent(query)}`)}${kind === 'counts' ? '&granularity=minute' : ''}`;

describe.each(['counts', 'search'] as const)('an expensive query of %s', (kind) => {
  it.each(LONG)('does not delay other requests: %s', async (_, query, of) => {
    const order: string[] = [];
    const ask = async (name: string, of: string): Promise<Response> => {
      const answer = await service.request(of);
      order.push(name);
      return answer;
    };
    const [long, ...others] = await Promise.all([
      ask('long', path(kind, query)),
      ask('counts', path('counts', 'tea')),
      ask('search', path('search', 'tea')),
      ask('sources', '/sources'),
    ]);
    expect(order.at(-1)).toBe('long');
    expect([long, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { meta } = await long.json();
    const found = kind === 'counts' ? meta.total_tweet_count : meta.result_count;
    expect(found).toBe(Math.min(matching(of), kind === 'counts' ? Infinity : 10));
  });

  it('stops once its client disconnects', async () => {
    const gone = new AbortController();
    const pending = service.request(path(kind, LONG[1]![1]), { signal: gone.signal });
    gone.abort();
    expect((await pending).status).toBe(499);
    const before = ms;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ms - before).toBeLessThan(5);
  });
});

it('an answer names its revision if Posts are added while it is evaluated', async () => {
  const [, query, of] = LONG[1]!;
  const pending = service.request(path('counts', query));
  // The request is read in the next turn; its evaluation takes several.
  await new Promise((resolve) => setImmediate(resolve));
  service.add('posts', [{ id: 20_000n, createdAt: START + 5000, text: 'w1' }]);
  const [late, after] = [await pending, await service.request(path('counts', query))];
  const revisions = [late, after].map(({ headers }) => Number(headers.get('x-store-revision')));
  const totals = [await late.json(), await after.json()].map(({ meta }) => meta.total_tweet_count);
  expect(revisions[1]! - revisions[0]!).toBe(1);
  expect(totals).toEqual([matching(of), matching(of) + 1]);
});
