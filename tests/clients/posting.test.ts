import { ApiError, Client } from '@xdevplatform/xdk';
import { ApiResponseError } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#core/time/span.ts';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';

// Writes of the published clients, unchanged: platform-facts section 13 says how they are directed to another host.

/** The lead of the service's clock over the machine's, ms. */
let skewMs = 0;
const { service, url } = await listeningService({ now: () => Date.now() + skewMs });
const profile = { subscription_type: 'Premium' as const };
service.auth.accounts({ action: 'add', username: 'ann', profile });
const access = 'self-service' as const;
service.auth.apps({ action: 'add', name: 'Robot', settings: { access } });
const ann = service.auth.issueUserToken({ name: 'ann', limited: true }).token;
const bob = service.auth.issueUserToken({ name: 'bob', limited: true }).token;
const robot = service.auth.issueUserToken({ name: 'robot', app: 'Robot', limited: true }).token;

describe('twitter-api-v2', () => {
  const open = (bearer: string) => v2ClientOf(url, bearer);
  const refused = (request: Promise<unknown>) => refusal(ApiResponseError, request);
  const chainOf = (data: object): unknown =>
    'edit_history_tweet_ids' in data ? data.edit_history_tweet_ids : undefined;

  it('posts a poll and reads it', async () => {
    const client = open(ann);
    const poll = { options: ['green', 'black'], duration_minutes: 60 };
    const { data } = await client.tweet('Which tea?', { poll });
    const read = () =>
      client.singleTweet(data.id, {
        expansions: ['attachments.poll_ids'],
        'poll.fields': ['duration_minutes', 'end_datetime', 'id', 'options', 'voting_status'],
      });
    const [open_] = (await read()).includes?.polls ?? [];
    expect(open_).toMatchObject({
      duration_minutes: 60,
      voting_status: 'open',
      options: [
        { position: 1, label: 'green', votes: 0 },
        { position: 2, label: 'black', votes: 0 },
      ],
    });
    skewMs += HOUR_MS;
    expect((await read()).includes?.polls?.[0]?.voting_status).toBe('closed');
  });

  it('posts a thread, replies to it, quotes it, and reads the figures', async () => {
    const client = open(ann);
    const thread = await client.tweetThread(['first of two', { text: 'second of two' }]);
    const [root, second] = thread.map(({ data }) => data.id);
    await open(bob).reply('well said', root!);
    await open(bob).quote('read this', root!);
    const { data } = await client.singleTweet(root!, { 'tweet.fields': ['public_metrics'] });
    expect(data.public_metrics).toMatchObject({ reply_count: 2, quote_count: 1 });
    const reply = await client.singleTweet(second!, { 'tweet.fields': ['conversation_id'] });
    expect(reply.data.conversation_id).toBe(root);
  });

  it('posts a long text and reads it whole', async () => {
    const client = open(ann);
    const text = `a long text ${'of tea '.repeat(1000)}and zebras`;
    const { data } = await client.tweet(text);
    expect(data.text).toMatch(/^a long text of tea.*…$/);
    const found = await client.singleTweet(data.id, { 'tweet.fields': ['note_tweet'] });
    expect(found.data.note_tweet?.text).toBe(text);
    skewMs += 11_000;
    const { tweets } = await client.search('zebras', { 'tweet.fields': ['note_tweet'] });
    expect(tweets.map(({ id }) => id)).toEqual([data.id]);
  });

  it('edits and deletes a Post', async () => {
    const client = open(ann);
    const first = await client.tweet('written in hast');
    const edit = { edit_options: { previous_post_id: first.data.id } };
    const { data } = await client.post<{ data: { id: string; text: string } }>('tweets', {
      text: 'written in haste',
      ...edit,
    });
    expect(chainOf(data)).toEqual([first.data.id, data.id]);
    const { data: both } = await client.tweets([first.data.id, data.id], {
      'tweet.fields': ['edit_controls', 'edit_history_tweet_ids'],
    });
    expect(both.map(({ edit_controls }) => edit_controls?.edits_remaining)).toEqual([4, 4]);
    const again = await refused(client.post('tweets', { text: 'never', ...edit }));
    expect([again.code, again.data.title]).toEqual([403, 'Forbidden']);
    expect(await client.deleteTweet(first.data.id)).toEqual({ data: { deleted: true } });
    expect((await refused(client.deleteTweet(data.id))).code).toBe(404);
  });

  it('reads why a Post with self-service access is refused', async () => {
    const client = open(robot);
    const root = await open(ann).tweet('for people');
    const unsummoned = await refused(client.reply('beep', root.data.id));
    expect([unsummoned.code, unsummoned.data.title, unsummoned.data.type]).toEqual([
      403,
      'Authorization Error',
      'https://api.x.com/2/problems/not-authorized-for-resource',
    ]);
    expect((await refused(client.quote('beep', root.data.id))).code).toBe(403);
    expect((await refused(client.tweet('$AB and $CD'))).data.detail).toBe(
      'Posts are limited to a maximum of one cashtag ($SYMBOL)',
    );
    const summons = await open(ann).tweet('what do you think, @robot?');
    expect((await client.reply('beep', summons.data.id)).data.text).toBe('@ann beep');
    await client.tweetThread(['boop', 'boop boop']);
  });
});

describe('@xdevplatform/xdk', () => {
  const openAs = (accessToken: string): Client => new Client({ baseUrl: url, accessToken });

  it('posts a poll, a reply and a quote', async () => {
    const { posts } = openAs(ann);
    const made = await posts.create({
      text: 'Which cup?',
      poll: { options: ['small', 'large'], durationMinutes: 5 },
    });
    const id = made.data?.id ?? '';
    const shown = await posts.getById(id, {
      expansions: ['attachments.poll_ids'],
      pollFields: ['voting_status', 'options'],
    });
    expect(shown.includes?.polls).toMatchObject([
      { votingStatus: 'open', options: [{ label: 'small' }, { label: 'large' }] },
    ]);
    const other = openAs(bob).posts;
    await other.create({ text: 'large', reply: { inReplyToTweetId: id } });
    await other.create({ text: 'a poll', quoteTweetId: id });
    const { data } = await posts.getById(id, { postFields: ['public_metrics'] });
    expect(data).toMatchObject({ publicMetrics: { replyCount: 1, quoteCount: 1 } });
  });

  it('edits a Post and deletes its chain', async () => {
    const { posts } = openAs(ann);
    const first = (await posts.create({ text: 'in hast, by xdk' })).data?.id ?? '';
    const edited = await posts.create({
      text: 'in haste, by xdk',
      editOptions: { previousPostId: first },
    });
    const second = edited.data?.id ?? '';
    const { data } = await posts.getById(first, { postFields: ['edit_controls'] });
    expect(data).toMatchObject({
      editHistoryPostIds: [first, second],
      editControls: { editsRemaining: 4, isEditEligible: true },
    });
    expect((await posts.delete(second)).data).toEqual({ deleted: true });
    expect((await refusal(ApiError, posts.delete(first))).status).toBe(404);
  });
});
