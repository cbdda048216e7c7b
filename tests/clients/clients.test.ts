import { ApiError, Client } from '@xdevplatform/xdk';
import { ApiResponseError, type TTweetv2Expansion, type TTweetv2TweetField } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';
import type { TestPost } from '#tests/support/service/service.ts';

// platform-facts section 13 says how each client is directed to another host, and what it relies on.

const NOW = Date.now();
/** The lead of the service's clock over the machine's, ms. */
let skewMs = 0;
const HOURS = 24 * 70;
const POSTS: TestPost[] = Array.from({ length: HOURS }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: NOW - 3_600_000 - i * 3_600_000,
  text: i % 2 === 0 ? 'green tea' : 'coffee',
  authorId: '7',
  username: 'ann',
}));
const since = new Date(NOW - 65 * DAY_MS).toISOString();
const expected = POSTS.filter(
  ({ createdAt, text }) =>
    text === 'green tea' && Number(createdAt) >= Math.floor(Date.parse(since) / 1000) * 1000,
).length;

const { service, url } = await listeningService({ posts: POSTS, now: () => Date.now() + skewMs });
const token = service.auth.issueToken({ access: 'enterprise', limited: true });
const alice = service.auth.issueUserToken({ name: 'alice', limited: true }).token;

/** The names in the types of twitter-api-v2 1.29.1. */
const FIELDS =
  'article attachments author_id card_uri community_id context_annotations conversation_id created_at edit_controls edit_history_tweet_ids entities geo id in_reply_to_user_id lang note_tweet possibly_sensitive public_metrics referenced_tweets reply_settings source text withheld';
const EXPANSIONS =
  'article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet attachments.poll_ids author_id edit_history_tweet_ids entities.mentions.username entities.note.mentions.username geo.place_id in_reply_to_user_id referenced_tweets.id referenced_tweets.id.attachments.media_keys referenced_tweets.id.author_id';

describe('twitter-api-v2', () => {
  const open = (bearer: string) => v2ClientOf(url, bearer);

  it('counts the last seven days', async () => {
    const answer = await open(token).tweetCountRecent('tea', { granularity: 'day' });
    expect(answer.data).toHaveLength(8);
    const sum = answer.data.reduce((total, { tweet_count }) => total + tweet_count, 0);
    expect(answer.meta.total_tweet_count).toBe(sum);
    expect(sum).toBe(84);
  });

  it('pages through the archive to its start', async () => {
    const client = open(token);
    let total = 0;
    let pages = 0;
    let next_token: string | undefined;
    let oldest = '';
    do {
      const answer = await client.tweetCountAll('tea', {
        granularity: 'hour',
        start_time: since,
        ...(next_token === undefined ? {} : { next_token }),
      });
      total += answer.meta.total_tweet_count;
      oldest = answer.data[0]?.start ?? '';
      next_token = answer.meta.next_token;
      pages += 1;
    } while (next_token !== undefined);
    expect(pages).toBe(3);
    expect(oldest.slice(0, 19)).toBe(since.slice(0, 19));
    expect(total).toBe(expected);
  });

  it('reads the rate limit and the errors', async () => {
    const bearer = service.auth.issueToken({ access: 'self-service', limited: true });
    const refused = await refusal(ApiResponseError, open(bearer).tweetCountAll('tea'));
    expect(refused.code).toBe(403);
    expect(refused.rateLimit).toMatchObject({ limit: 300, remaining: 299 });
    expect(refused.data.title).toBe('Client Forbidden');

    const wrong = await refusal(ApiResponseError, open(token).tweetCountRecent('(tea'));
    expect(wrong.code).toBe(400);
    expect(wrong.errors?.[0]).toMatchObject({
      message: expect.stringContaining('There were errors processing your request'),
    });

    const unknown = await refusal(ApiResponseError, open('nonsense').tweetCountRecent('tea'));
    expect(unknown.isAuthError).toBe(true);
    expect(unknown.rateLimit).toBeUndefined();
  });

  it('pages through search with its paginator', async () => {
    const found = await open(token).search('tea', {
      max_results: 50,
      'tweet.fields': ['created_at', 'author_id', 'public_metrics'],
      expansions: ['author_id'],
      'user.fields': ['username'],
    });
    expect(found.meta).toMatchObject({ result_count: 50, newest_id: found.tweets[0]?.id });
    expect(found.rateLimit).toMatchObject({ limit: 450 });
    await found.fetchLast(1000);
    expect(found.done).toBe(true);
    const ids = found.tweets.map(({ id }) => id);
    expect(ids).toHaveLength(84);
    expect(new Set(ids).size).toBe(84);
    const times = found.tweets.map(({ created_at }) => Date.parse(created_at ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(found.tweets.every((tweet) => found.includes.author(tweet)?.username === 'ann')).toBe(
      true,
    );
  });

  it('searches the archive and reads refusals', async () => {
    const client = open(token);
    const found = await client.searchAll('tea', { start_time: since, max_results: 500 });
    await found.fetchLast(10_000);
    expect(found.tweets).toHaveLength(expected);
    const none = await client.search('nobody says this');
    expect([none.tweets, none.meta]).toEqual([[], { result_count: 0 }]);
    const wrong = await refusal(ApiResponseError, client.search('tea', { max_results: 5 }));
    expect(wrong.errors?.[0]).toMatchObject({
      message: 'The `max_results` query parameter value [5] is not between 10 and 100',
    });
  });

  it('searches with every field and expansion of its types', async () => {
    const found = await open(token).search('tea', {
      'tweet.fields': FIELDS.split(' ') as TTweetv2TweetField[],
      expansions: EXPANSIONS.split(' ') as TTweetv2Expansion[],
    });
    expect(found.tweets[0]).toMatchObject({
      text: 'green tea',
      reply_settings: 'everyone',
      public_metrics: { retweet_count: 0, like_count: 0 },
    });
    expect(found.errors).toEqual([]);
  });

  it('looks Posts up, with an error for each that is missing', async () => {
    const found = await open(token).tweets(['1', '999999', '3'], { 'tweet.fields': ['author_id'] });
    expect(found.data.map(({ id, author_id }) => [id, author_id])).toEqual([
      ['1', '7'],
      ['3', '7'],
    ]);
    expect(found.errors).toEqual([
      {
        value: '999999',
        detail: 'Could not find tweet with ids: [999999].',
        title: 'Not Found Error',
        resource_type: 'tweet',
        parameter: 'ids',
        resource_id: '999999',
        type: 'https://api.x.com/2/problems/resource-not-found',
      },
    ]);
    const tweet = await open(token).singleTweet('1', { expansions: ['author_id'] });
    expect(tweet.data).toMatchObject({ id: '1', text: 'green tea', author_id: '7' });
    expect(tweet.includes?.users).toEqual([{ id: '7', name: 'ann', username: 'ann' }]);
  });

  it('finds users, and the one it acts for', async () => {
    const { data } = await open(token).usersByUsernames(['ann', 'alice'], {
      'user.fields': ['created_at', 'verified_type'],
    });
    expect(data.map(({ username }) => username)).toEqual(['ann', 'alice']);
    const me = await open(alice).me({ expansions: ['pinned_tweet_id'] });
    expect(me.data).toEqual({ id: data[1]?.id, name: 'alice', username: 'alice' });
  });

  it('asks for newer Posts with an id and a time at once', async () => {
    const client = open(alice);
    await client.tweet('rooibos, one');
    skewMs += 11_000;
    const start_time = new Date(Date.now() - 6 * DAY_MS).toISOString();
    const found = await client.search('rooibos', { start_time });
    await client.tweet('rooibos, two');
    skewMs += 11_000;
    const newer = await found.previous();
    expect(newer.tweets.map(({ text }) => text)).toEqual(['rooibos, two']);
  });

  it('reads why a Post is refused', async () => {
    const client = open(alice);
    await client.tweet('once only');
    const refused = (request: Promise<unknown>) => refusal(ApiResponseError, request);
    const again = await refused(client.tweet('once only'));
    expect([again.code, again.data.detail]).toEqual([
      403,
      'You are not allowed to create a Tweet with duplicate content.',
    ]);
    expect(again.rateLimit).toMatchObject({ limit: 100, day: { limit: 10_000 } });
    const reply = await refused(client.reply('an answer', '999999'));
    expect([reply.code, reply.data.detail]).toEqual([
      403,
      'You attempted to reply to a Tweet that is deleted or not visible to you.',
    ]);
    const long = await refused(client.tweet('a'.repeat(281)));
    expect(long.errors?.[0]).toMatchObject({ message: expect.stringContaining('at position 281') });
    expect((await refused(open(token).tweet('no user'))).data.title).toBe(
      'Unsupported Authentication',
    );
    expect((await refused(client.deleteTweet('1000000'))).code).toBe(404);
  });

  it('recognises a 429 and its reset', async () => {
    const client = open(service.auth.issueToken({ access: 'enterprise', limited: true }));
    for (let i = 0; i < 50; i++) await client.usage();
    const last = await refusal(ApiResponseError, client.usage());
    expect(last.rateLimitError).toBe(true);
    expect(last.rateLimit?.remaining).toBe(0);
    expect((last.rateLimit?.reset ?? 0) * 1000).toBeGreaterThan(NOW);
  });
});

describe('@xdevplatform/xdk', () => {
  const open = (bearerToken: string): Client => new Client({ baseUrl: url, bearerToken });
  const openAs = (accessToken: string): Client => new Client({ baseUrl: url, accessToken });

  it('counts the last seven days', async () => {
    const answer = await open(token).posts.getCountsRecent('tea', { granularity: 'day' });
    expect(answer.data).toHaveLength(8);
    // At run time it converts all names to camel case; its types know only the newer names.
    expect(answer.meta).toEqual({ totalTweetCount: 84 });
    expect(answer.data?.[0]).toEqual({
      start: expect.any(String),
      end: expect.any(String),
      tweetCount: expect.any(Number),
    });
  });

  it('pages through the archive by either token parameter', async () => {
    const client = open(token);
    const first = await client.posts.getCountsAll('tea', { startTime: since, granularity: 'hour' });
    const nextToken = first.meta?.nextToken ?? '';
    const options = { startTime: since, granularity: 'hour' } as const;
    const second = await client.posts.getCountsAll('tea', { ...options, nextToken });
    const same = await client.posts.getCountsAll('tea', { ...options, paginationToken: nextToken });
    expect(second.data?.at(-1)?.end).toBe(first.data?.[0]?.start);
    expect(same).toEqual(second);
  });

  it('searches, and pages by the token', async () => {
    const { posts } = open(token);
    const options = { startTime: since, maxResults: 100, tweetFields: ['created_at', 'author_id'] };
    const ids: string[] = [];
    let nextToken: string | undefined;
    do {
      const page = await posts.searchAll('tea', { ...options, ...(nextToken && { nextToken }) });
      ids.push(...(page.data ?? []).map(({ id }) => String(id)));
      nextToken = page.meta?.nextToken;
    } while (nextToken);
    expect(ids).toHaveLength(expected);
    expect(new Set(ids).size).toBe(expected);
    const recent = await posts.searchRecent('tea', { expansions: ['author_id'] });
    expect(recent.data).toHaveLength(10);
    expect(recent.includes?.users?.[0]).toMatchObject({ id: '7', username: 'ann' });
  });

  it('requests selected fields of a bucket', async () => {
    const answer = await open(token).posts.getCountsRecent('tea', { searchCountFields: 'start' });
    expect(Object.keys(answer.data?.[0] ?? {})).toEqual(['start']);
  });

  it('reads Posts and counts in the newer names', async () => {
    const { posts } = open(token);
    const post = await posts.getById('1', { postFields: ['public_metrics'] });
    expect(post.data).toMatchObject({ id: '1', publicMetrics: { repostCount: 0 } });
    const { data, includes } = await posts.searchRecent('tea', {
      postFields: ['created_at', 'public_metrics', 'entities', 'note_post'],
      expansions: ['author_id', 'referenced_posts', 'edit_history_post_ids', 'username'],
      userFields: ['public_metrics', 'subscribes_to_you'],
    });
    expect(data?.[0]).toMatchObject({
      authorId: '7',
      editHistoryPostIds: [data?.[0]?.id],
      publicMetrics: { repostCount: 0 },
    });
    expect(includes?.users).toEqual([
      {
        id: '7',
        name: 'ann',
        username: 'ann',
        publicMetrics: expect.objectContaining({ postCount: HOURS }),
      },
    ]);
    const counts = await posts.getCountsRecent('tea', {
      searchCountFields: 'start,post_count',
    });
    expect(counts.meta).toEqual({ totalPostCount: 84 });
    expect(Object.keys(counts.data?.[0] ?? {})).toEqual(['start', 'postCount']);
  });

  it('finds users in the newer names', async () => {
    const { users } = open(token);
    const found = await users.getByUsername('ann', {
      postFields: ['id'],
      expansions: ['pinned_post_id', 'most_recent_post_id', 'affiliation'],
      userFields: ['subscribes_to_you', 'verified'],
    });
    const newest = String(POSTS[0]?.id);
    const user = { id: '7', name: 'ann', username: 'ann', mostRecentPostId: newest };
    expect(found.data).toEqual(user);
    expect(found.includes).toMatchObject({ posts: [{ id: newest }] });
  });

  it('throws the errors of the service', async () => {
    const refused = await refusal(ApiError, open(token).posts.getCountsRecent('-tea'));
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.data)).toContain('Rules must contain a non-negation term');
    const unknown = await refusal(ApiError, open('nonsense').posts.getCountsAll('tea'));
    expect(unknown.status).toBe(401);
  });

  it('throws the errors for a refused Post', async () => {
    const refused = await refusal(ApiError, openAs(alice).posts.create({ text: '' }));
    expect(refused.status).toBe(400);
    const appOnly = await refusal(ApiError, openAs(token).posts.delete('1'));
    expect([appOnly.status, appOnly.data.title]).toEqual([403, 'Unsupported Authentication']);
  });
});
