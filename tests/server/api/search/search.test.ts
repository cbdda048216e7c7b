import { writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import { SearchRequest } from '#contract/posts/search.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { leavesRepostsOut } from '#core/query/reposts.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { snowflake } from '#core/import/id.ts';
import { importFiles } from '#server/import/import.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { searchPage, type SearchPage } from '#server/api/search/search.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource, type PostFinder } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { runs } from '#tests/support/run/runs.ts';
import { writePosts, type TestPost } from '#tests/support/service/service.ts';

const path = temporaryFolder();
const random = countingBytes();
const NOW = Date.UTC(2026, 10, 21, 12);
const START = NOW - 5 * DAY_MS;
const KEY = new Uint8Array(32).fill(7);

const pick = numbers(11);
const WORDS = ['tea', 'green', 'milk', '#oat', '@ann', 'milk'];
const posts = (n: number, firstId: number): (TestPost & { createdAt: number; text: string })[] =>
  Array.from({ length: n }, (_, i) => ({
    id: BigInt(firstId + ((i * 7919) % n)),
    createdAt: START + pick(3 * 3600) * 1000 + pick(1000),
    text: Array.from({ length: 1 + pick(4) }, () => WORDS[pick(WORDS.length)]).join(' '),
    username: pick(3) === 0 ? 'ann' : 'bob',
    authorId: pick(3) === 0 ? '1' : '2',
    isRetweet: pick(3) === 0,
  }));

function opened(file: string) {
  const source = { id: 'posts' as const, ...openSource(file, { random }) };
  afterAll(() => source.close());
  const ask = (
    params: Record<string, string>,
    endpoint: 'recent' | 'all' = 'all',
    now = NOW,
  ): SearchPage => {
    const request = v.parse(SearchRequest[endpoint], params);
    const access = 'enterprise' as const;
    const people = (finder: PostFinder): PostFinder => finder;
    const asked = { endpoint, request, texts: params, own: false };
    const question = { ...asked, access, now, key: KEY, people };
    const step = source.over((state, due) => searchPage(state, question, due))(() => false);
    if (!step.done) throw new Error('expected a whole page');
    return step.value;
  };
  const all = (params: Record<string, string>, between: (page: number) => void = () => {}) => {
    const data: Record<string, unknown>[] = [];
    let token: string | undefined;
    for (let page = 0; ; page++) {
      const { data: some = [], meta } = ask({ ...params, ...(token && { next_token: token }) });
      expect(meta.result_count).toBe(some.length);
      expect([meta.newest_id, meta.oldest_id]).toEqual([some[0]?.id, some.at(-1)?.id]);
      data.push(...some);
      token = meta.next_token;
      if (token === undefined) return data;
      between(page);
    }
  };
  return { source, ask, all };
}

const POSTS = posts(600, 1_000_000);
const file = path('law.sqlite');
writePosts(file, POSTS.slice(0, 350));
writePosts(file, POSTS.slice(350));
const law = opened(file);
const iso = (at: number): string => new Date(at).toISOString();
const BOUNDS = { start_time: iso(START - DAY_MS), end_time: iso(START + DAY_MS) };
const second = (at: number): number => Math.floor(at / 1000);
const newestFirst = (some: typeof POSTS) =>
  some.toSorted(
    (a, b) => second(b.createdAt) - second(a.createdAt) || (BigInt(a.id) > BigInt(b.id) ? -1 : 1),
  );

const QUERIES = [
  'tea',
  '"green tea"',
  'tea -milk',
  'tea OR #oat',
  '(tea OR milk) from:ann',
  'from:ann',
  'from:ann -tea',
  'tea is:retweet',
  'milk -is:retweet',
  '@ann OR from:bob',
  'coffee',
];

describe('search over all pages', () => {
  it('finds the matching Posts, newest first, each once, and without reposts unless the query asks for them', () => {
    const sizes = fc.integer({ min: 10, max: 500 });
    const window = fc.tuple(fc.nat(3 * 3600), fc.nat(3 * 3600));
    fc.assert(
      fc.property(fc.constantFrom(...QUERIES), sizes, window, (query, most, [from, length]) => {
        const parsed = parse(query, { product: 'all' });
        if (!parsed.ok) throw new Error(query);
        const wanted = condition(parsed.ast);
        const [start, end] = [START + from * 1000, START + (from + length + 1) * 1000];
        const matching = POSTS.filter(
          ({ createdAt, ...post }) =>
            createdAt >= start && createdAt < end && match(wanted, termsOf(post)),
        );
        const omitted = leavesRepostsOut(parsed.ast);
        const expected = matching.filter(({ isRetweet }) => !omitted || !isRetweet);
        const bounds = { start_time: iso(start), end_time: iso(end) };
        const found = law.all({ query, max_results: String(most), ...bounds });
        expect(found.map(({ id }) => id)).toEqual(newestFirst(expected).map(({ id }) => `${id}`));

        const counted = law.source.index.histogram(wanted, { start, end }, 'hour');
        expect(counted.reduce((sum, n) => sum + n, 0)).toBe(matching.length);
      }),
      { numRuns: runs(150) },
    );
  });

  it('begins after since_id and ends before until_id', () => {
    const ids = (bounds: Record<string, string>) =>
      new Set(law.all({ query: 'from:ann', ...bounds }).map(({ id }) => Number(id)));
    const between = (since: number, until: number) =>
      new Set(
        POSTS.filter(({ username }) => username === 'ann')
          .map(({ id }) => Number(id))
          .filter((id) => id > since && id < until),
      );
    const [since_id, until_id] = ['1000100', '1000400'];
    expect(ids({ since_id, until_id })).toEqual(between(1_000_100, 1_000_400));
    expect(ids({ since_id, end_time: BOUNDS.end_time })).toEqual(between(1_000_100, Infinity));
    expect(ids({ start_time: BOUNDS.start_time, until_id })).toEqual(between(0, 1_000_400));
  });

  it('neither repeats nor loses a Post while others are added and deleted', () => {
    const changing = path('changing.sqlite');
    writePosts(changing, POSTS);
    const { all } = opened(changing);
    const db = openPosts(changing, { random });
    const editor = editorOver(db, Date.now);
    const original = newestFirst(POSTS.filter(({ username }) => username === 'bob'));
    const gone = new Set<string>();
    const seen = all({ query: 'from:bob', ...BOUNDS, max_results: '25' }, (page) => {
      writePosts(
        changing,
        posts(9, 5_000_000 + page * 100).map((post) => ({ ...post, username: 'bob' })),
      );
      for (let i = page; i < original.length; i += 37) {
        const { id } = original[i]!;
        void editor.write({ what: 'remove', of: [BigInt(id)] });
        gone.add(String(id));
      }
    }).map(({ id }) => String(id));
    db.close();
    expect(gone.size).toBeGreaterThan(20);
    expect(new Set(seen).size).toBe(seen.length);
    const remaining = original.map(({ id }) => String(id)).filter((id) => !gone.has(id));
    expect(remaining.every((id) => seen.includes(id))).toBe(true);
    // A new search finds none of the deleted Posts.
    expect(
      all({ query: 'from:bob', ...BOUNDS, max_results: '500' }).some(({ id }) =>
        gone.has(String(id)),
      ),
    ).toBe(false);
  });
});

describe('a page token', () => {
  const first = law.ask({ query: 'tea', ...BOUNDS });
  const next_token = first.meta.next_token ?? '';

  it('gives the same page again, with any size and any fields', () => {
    const again = law.ask({ query: 'tea', ...BOUNDS, next_token });
    expect(law.ask({ query: 'tea', ...BOUNDS, pagination_token: next_token })).toEqual(again);
    const more = law.ask({
      query: 'tea',
      ...BOUNDS,
      next_token,
      max_results: '50',
      'tweet.fields': 'lang',
    });
    expect(more.data?.slice(0, 10).map(({ id }) => id)).toEqual(again.data?.map(({ id }) => id));
    expect(first.data?.some(({ id }) => id === again.data?.[0]?.id)).toBe(false);
  });

  it.each([
    ['another query', { query: 'milk', ...BOUNDS, next_token }, 'next_token'],
    ['other bounds', { query: 'tea', next_token }, 'next_token'],
    [
      'an invented one',
      { query: 'tea', ...BOUNDS, pagination_token: 'b26v89c19zqg8o3fo' },
      'pagination_token',
    ],
    ['two', { query: 'tea', ...BOUNDS, next_token, pagination_token: next_token }, 'next_token'],
  ])('is refused for %s', (_, params, parameter) => {
    const refused = (): unknown => law.ask(params);
    expect(refused).toThrow(Fault);
    expect(refused).toThrow(new RegExp(`\`${parameter}\``));
  });
});

it('keeps the window of its first page as time goes on', () => {
  // The oldest Posts are just within the seven days, and an hour later outside.
  const now = START + 7 * DAY_MS + 10_000;
  const params = { query: 'from:bob', max_results: '100' };
  let page = law.ask(params, 'recent', now);
  for (let next_token = page.meta.next_token; next_token; next_token = page.meta.next_token) {
    page = law.ask({ ...params, next_token }, 'recent', now + 3_600_000);
  }
  const oldest = newestFirst(POSTS.filter(({ username }) => username === 'bob')).at(-1);
  expect(page.meta.oldest_id).toBe(String(oldest?.id));
});

it('lets since_id replace start_time, and the earlier of until_id and end_time apply', () => {
  const ids = (params: Record<string, string>): unknown[] =>
    law.all({ query: 'from:bob', max_results: '500', ...params }).map(({ id }) => id);
  const since = String(snowflake(START + 3_600_000, 0));
  const until = String(snowflake(START + 7_200_000, 0));
  const late = iso(NOW - 60_000);
  expect(ids({ since_id: since, start_time: late })).toEqual(ids({ since_id: since }));
  expect(ids({ ...BOUNDS, until_id: until })).toEqual(
    ids({ ...BOUNDS, until_id: until, end_time: iso(START + 7_200_000) }),
  );
});

describe('a Post in an answer', async () => {
  const store = path('shown.sqlite');
  const at = '2026-11-20T08:30:00.123Z';
  const v2 = path('v2.jsonl');
  const page = {
    data: [
      {
        id: '11',
        text: 'tea for two',
        created_at: at,
        author_id: '7',
        lang: 'en',
        conversation_id: '9',
        in_reply_to_user_id: '8',
        referenced_tweets: [{ type: 'replied_to', id: '12' }],
        attachments: { media_keys: ['3_1'] },
        geo: { place_id: 'p1' },
        public_metrics: { retweet_count: 1, reply_count: 2, like_count: 3 },
        non_public_metrics: { impression_count: 4 },
        entities: { hashtags: [{ start: 0, end: 4, tag: 'tea' }] },
        edit_history_tweet_ids: ['10', '11'],
        source: 'web',
      },
      { id: '12', text: 'tea?', created_at: at, author_id: '8' },
      { id: '13', text: 'tea of one who hides', created_at: at, author_id: '9' },
      { id: '14', text: 'tea nowhere', created_at: at, withheld: { country_codes: ['XX'] } },
      { id: '15', text: 'tea not in Peru', created_at: at, withheld: { country_codes: ['PE'] } },
    ],
    includes: {
      users: [
        { id: '7', name: 'Ann A', username: 'ann', verified: true, description: 'd' },
        { id: '8', name: 'Bob B', username: 'bob' },
        { id: '9', name: 'Hidden', username: 'hid', protected: true },
      ],
      media: [{ media_key: '3_1', type: 'photo', url: 'u' }],
      places: [{ id: 'p1', full_name: 'Ghent', country: 'Belgium' }],
    },
  };
  writeFileSync(v2, `${JSON.stringify(page)}\n`);
  const csv = path('rows.csv');
  writeFileSync(
    csv,
    `id,created_at,author,author_id,text,lang,likes\n21,${at},cat,3,tea by hand,en,5\n22,${at},dog,,tea by dog,,\n23,${at},eel,,TEA! #oats @ann,,\n`,
  );
  const { signal } = new AbortController();
  await importFiles({ files: [v2, csv], store }, { signal, now: () => NOW, random });
  const { ask } = opened(store);
  const shown = (id: string, params: Record<string, string> = {}) =>
    ask({ query: 'tea', ...params }).data?.find((post) => post.id === id);

  it('has id, text and edit history by default', () => {
    expect(shown('11')).toEqual({
      id: '11',
      text: 'tea for two',
      edit_history_tweet_ids: ['10', '11'],
    });
    expect(shown('21')).toEqual({ id: '21', text: 'tea by hand', edit_history_tweet_ids: ['21'] });
  });

  it('has the requested fields that are known, and never its author’s private ones', () => {
    const fields =
      'created_at,author_id,lang,public_metrics,entities,referenced_tweets,conversation_id,in_reply_to_user_id,source,non_public_metrics,possibly_sensitive';
    const [post] = page.data;
    const { attachments: _, geo: _geo, non_public_metrics: _private, ...known } = post!;
    const unknown = { quote_count: 0, bookmark_count: 0, impression_count: 0 };
    expect(shown('11', { 'tweet.fields': fields })).toEqual({
      ...known,
      public_metrics: { ...known.public_metrics, ...unknown },
    });
    expect(shown('22', { 'tweet.fields': fields })).toEqual({
      id: '22',
      text: 'tea by dog',
      edit_history_tweet_ids: ['22'],
      created_at: at,
      public_metrics: { retweet_count: 0, reply_count: 0, like_count: 0, ...unknown },
    });
  });

  it('has what its text says where its source says nothing', () => {
    const fields = 'entities,display_text_range,reply_settings';
    expect(shown('23', { 'tweet.fields': fields })).toMatchObject({
      entities: {
        hashtags: [{ start: 5, end: 10, tag: 'oats' }],
        mentions: [{ start: 11, end: 15, username: 'ann' }],
      },
      display_text_range: [0, 15],
      reply_settings: 'everyone',
    });
    expect(shown('11', { 'tweet.fields': fields })).toMatchObject({
      entities: { hashtags: [{ start: 0, end: 4, tag: 'tea' }] },
    });
    expect(shown('22', { 'tweet.fields': fields })).not.toHaveProperty('entities');
  });

  it('is in post names if the request is, with the fields that its expansions follow', () => {
    const params = {
      query: '"tea for two"',
      'post.fields': 'note_post,public_metrics,author_id,referenced_tweets',
      expansions: 'author_id,referenced_posts,edit_history_post_ids',
    };
    const { data, includes } = ask(params);
    expect(data).toEqual([
      {
        id: '11',
        text: 'tea for two',
        edit_history_post_ids: ['10', '11'],
        author_id: '7',
        referenced_posts: [{ type: 'replied_to', id: '12' }],
        public_metrics: expect.objectContaining({ repost_count: 1, like_count: 3 }),
      },
    ]);
    expect(data?.[0]?.public_metrics).not.toHaveProperty('retweet_count');
    expect(includes).toEqual({
      posts: [expect.objectContaining({ id: '12', edit_history_post_ids: ['12'], author_id: '8' })],
      users: [{ id: '7', name: 'Ann A', username: 'ann' }],
    });
  });

  it('is left out if it is withheld everywhere or its author is protected', () => {
    const ids = ask({ query: 'tea' }).data?.map(({ id }) => id);
    expect(ids).toEqual(['23', '22', '21', '15', '12', '11']);
    expect(ask({ query: 'tea nowhere' })).toEqual({ meta: { result_count: 0 } });
  });

  it('has the requested expansions with the requested fields', () => {
    const params = { expansions: 'author_id', 'user.fields': 'verified' };
    expect(ask({ query: 'tea', ...params }).includes).toEqual({
      users: [
        { id: '3', name: 'cat', username: 'cat' },
        { id: '8', name: 'Bob B', username: 'bob' },
        { id: '7', name: 'Ann A', username: 'ann', verified: true },
      ],
    });
    expect(ask({ query: 'tea' }).includes).toBeUndefined();
    const others = {
      expansions:
        'in_reply_to_user_id,referenced_tweets.id,attachments.media_keys,geo.place_id,attachments.poll_ids',
      'media.fields': 'url',
    };
    expect(ask({ query: '"tea for two"', ...others }).includes).toEqual({
      users: [{ id: '8', name: 'Bob B', username: 'bob' }],
      tweets: [{ id: '12', text: 'tea?', edit_history_tweet_ids: ['12'] }],
      media: [{ media_key: '3_1', type: 'photo', url: 'u' }],
      places: [{ id: 'p1', full_name: 'Ghent' }],
    });
  });
});
