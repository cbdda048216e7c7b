import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, describe, expect, it } from 'vitest';
import { STORE_REVISION_HEADER } from '#contract/counts/source.ts';
import { DAY_MS } from '#core/time/span.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { callerOf, wrongOf } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';
import {
  BreakdownAnswer,
  RelatedAnswer,
  RisingAnswer,
} from '#contract/counts/breakdown-answers.ts';

const START = Date.UTC(2020, 0, 1);

/** A Post a day about tea, and on the last day many about coffee. */
const posts = Array.from({ length: 40 * 20 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: START + (i % 40) * DAY_MS + i,
  text: i % 40 === 38 ? 'strong coffee #espresso' : `green tea ${i % 7 === 0 ? 'cup' : 'pot'}`,
  username: i % 40 === 38 ? 'barista' : `user${i % 9}`,
  lang: 'en',
}));
const service = startService({ posts });
afterAll(() => service.close());

const { get } = callerOf(service);
const breakdown = async (parameters: string) =>
  v.parse(BreakdownAnswer, (await get(`/breakdown?${parameters}`)).body).data;

const day = (n: number): string => new Date(START + n * DAY_MS).toISOString();
const span = (from: number, to: number): string => `start_time=${day(from)}&end_time=${day(to)}`;

describe('GET /breakdown', () => {
  it('breaks a span down, compared with the time before', async () => {
    const { headers, body } = await get(`/breakdown?${span(38, 39)}`);
    const { data } = v.parse(BreakdownAnswer, body);
    expect(headers.get(STORE_REVISION_HEADER)).toBe('1');
    expect(data).toMatchObject({
      posts: 20,
      compared: { start: day(37), end: day(38), posts: 20 },
      authors: { distinct: 1, items: [{ name: 'barista', posts: 20, share: 1, followers: null }] },
      hashtags: [{ name: '#espresso', clause: '#espresso', alone: true, expected: 0 }],
      languages: [{ name: 'en', clause: 'lang:en', alone: false }],
    });
    expect(data.words.map(({ name }) => name).sort()).toEqual(['coffee', 'strong']);
    expect(data.phrases).toMatchObject([{ name: 'strong coffee', clause: '"strong coffee"' }]);
  });

  it('has a part of 0 of everything in a span without Posts', async () => {
    const data = await breakdown(span(100, 101));
    expect(data.posts).toBe(0);
    expect(data.kinds.map(({ share }) => share)).toEqual(data.kinds.map(() => 0));
  });

  it('states the followers of an author that an import brought', async () => {
    const brought = startService({
      posts: [1, 2].map((n) => ({
        id: BigInt(n),
        createdAt: START + n,
        text: 'tea',
        username: 'ann',
        authorId: '7',
      })),
    });
    const db = openPosts(join(brought.folder, 'posts.sqlite'), {
      random: (n) => new Uint8Array(n),
    });
    const json = JSON.stringify({ id: '7', public_metrics: { followers_count: 1234 } });
    db.write('objects', () => postTable(db).putObjects([{ kind: 'users', key: '7', json }]));
    db.close();
    const { body } = await callerOf(brought).get(`/breakdown?${span(0, 1)}`);
    const { data } = v.parse(BreakdownAnswer, body);
    expect(data.authors.items).toMatchObject([{ name: 'ann', posts: 2, followers: 1234 }]);
    await brought.close();
  });

  it('compares with the time that is given', async () => {
    const compared = `compare_start_time=${day(0)}&compare_end_time=${day(10)}`;
    const data = await breakdown(`query=tea&${span(38, 40)}&${compared}`);
    expect([data.posts, data.compared.posts]).toEqual([20, 200]);
  });

  it.each([
    ['query=tea', 'start_time', `'start_time' must be an instant`],
    [`query=tea&start_time=${day(2)}`, 'end_time', `'end_time' must be an instant`],
    [span(2, 2), 'end_time', `'end_time' must be after 'start_time'`],
    [`${span(2, 3)}&compare_start_time=${day(0)}`, 'compare_end_time', 'must be an instant'],
    [`query=(&${span(2, 3)}`, 'query', ''],
    [`query=${'a'.repeat(4097)}&${span(2, 3)}`, 'query', 'at most 4096 characters, got 4097'],
    [`${span(2, 3)}&max_results=51`, 'max_results', 'is not between 1 and 50'],
    [`${span(2, 3)}&other=1`, 'other', 'is not one of [query,start_time,end_time'],
  ])('%s is a fault', async (parameters, named, message) => {
    const [wrong] = wrongOf(await get(`/breakdown?${parameters}`));
    expect(wrong).toEqual([named, expect.stringContaining(message)]);
  });

  it('stops when the client disconnects, and answers the next', async () => {
    const gone = new AbortController();
    gone.abort();
    const first = await service.request(`/breakdown?${span(0, 40)}`, { signal: gone.signal });
    expect(first.status).toBe(499);
    expect((await service.request(`/breakdown?${span(0, 40)}`)).status).toBe(200);
  });
});

describe('GET /related', () => {
  it('finds what occurs with a query far more than without', async () => {
    const { body } = await get(`/related?query=coffee&${span(0, 40)}`);
    const { data } = v.parse(RelatedAnswer, body);
    expect([data.posts, data.others]).toEqual([20, 780]);
    expect(data.words.map(({ name }) => name)).toEqual(['strong']);
    expect(data.hashtags.map(({ name }) => name)).toEqual(['#espresso']);
  });

  it('needs a query', async () => {
    expect((await get(`/related?${span(0, 1)}`)).status).toBe(400);
  });
});

describe('GET /rising', () => {
  it('finds what departs most from its usual level, with its curve', async () => {
    const { body } = await get(`/rising?${span(0, 40)}`);
    const { data } = v.parse(RisingAnswer, body);
    expect([data.posts, data.bucket_ms, data.start]).toEqual([800, DAY_MS, day(0)]);
    expect(data.words.map(({ name }) => name).sort()).toEqual(['coffee', 'strong']);
    expect(data.authors.map(({ name }) => name)).toEqual(['barista']);
    const [tag] = data.hashtags;
    expect(tag).toMatchObject({
      name: '#espresso',
      posts: 20,
      peak: { start: day(38), posts: 20 },
    });
    expect(tag?.counts.indexOf(20)).toBe(38);
    expect(tag?.counts.reduce((sum, n) => (sum ?? 0) + (n ?? 0), 0)).toBe(20);
  });

  it('is limited to 400 days', async () => {
    expect((await get(`/rising?${span(0, 401)}`)).status).toBe(400);
  });
});

describe('GET /similar', () => {
  it('finds words with other endings or letters, and the languages of the source', async () => {
    const texts = ['vaccine', 'vaccines', 'vacine', 'vaccine', 'vaccinate', 'bread'];
    const similar = startService({
      posts: Array.from({ length: 120 }, (_, i) => ({
        id: BigInt(i + 1),
        createdAt: Date.UTC(2026, 0, 1) + i * 1000,
        text: `${texts[i % texts.length]!} again`,
        username: 'ann',
        lang: i % 3 === 0 ? 'de' : 'en',
      })),
      now: () => Date.UTC(2026, 1, 1),
    });
    const ask = (query: string) =>
      callerOf(similar).get(`/similar?query=${encodeURIComponent(query)}`);
    const { data } = (await ask('#vacccine')).body;
    expect([data.posts, data.matching]).toEqual([120, 0]);
    expect((await ask('vaccines -bread')).body.data.matching).toBe(20);
    expect(
      data.similar.map(({ name, posts }: { name: string; posts: number }) => [name, posts]),
    ).toEqual([
      ['vaccine', 40],
      ['vaccines', 20],
      ['vacine', 20],
    ]);
    expect(data.languages.map(({ clause }: { clause: string }) => clause)).toEqual([
      'lang:en',
      'lang:de',
    ]);
    // A hashtag that nobody used is often a word.
    expect(
      (await ask('#bread')).body.data.similar.map(({ name }: { name: string }) => name),
    ).toEqual(['bread']);
    expect((await ask('zebra')).body.data.similar).toEqual([]);
    expect((await ask('')).status).toBe(400);
    await similar.close();
  });
});
