import { expect, describe, it } from 'vitest';
import { eventRule, type EventType } from '#contract/streams/events.ts';
import { OPERATIONS } from '#contract/operations.ts';
import {
  ALL_COUNTS,
  BLOCK_READ,
  BOOKMARK,
  COMMUNITY_READ,
  CONTENT_MANAGE,
  DELETION,
  FOLLOW_READ,
  INTERACTION,
  LIKE_READ,
  LINK_WRITE,
  LIST_CREATE,
  LIST_MANAGE,
  LIST_READ,
  MEDIA_METADATA,
  MUTE_DELETE,
  MUTE_READ,
  NOTE_READ,
  OWN_READ,
  POST_CAP,
  POST_READ,
  POST_WRITE,
  PRIVACY_UPDATE,
  RECENT_COUNTS,
  SUMMONED_WRITE,
  USER_READ,
  type Price,
} from '#contract/counts/prices.ts';
import { priceOfPost } from '#contract/posts/post-price.ts';
import { stage } from '#tests/support/service/conformance.ts';

/** Micro-dollars. Reads cost per resource, everything else per request. */
const AMOUNTS = {
  // Specification, "Pay-per-use prices".
  OWN_READ: 1_000,
  POST_WRITE: 15_000,
  LINK_WRITE: 200_000,
  SUMMONED_WRITE: 10_000,
  // platform-facts, 1.6.
  RECENT_COUNTS: 5_000,
  ALL_COUNTS: 10_000,
  // platform-facts, section 9.
  POST_READ: 5_000,
  USER_READ: 10_000,
  FOLLOW_READ: 10_000,
  LIST_READ: 5_000,
  COMMUNITY_READ: 5_000,
  NOTE_READ: 5_000,
  LIKE_READ: 1_000,
  MUTE_READ: 1_000,
  BLOCK_READ: 1_000,
  INTERACTION: 15_000,
  DELETION: 10_000,
  CONTENT_MANAGE: 5_000,
  LIST_CREATE: 10_000,
  BOOKMARK: 5_000,
  POST_CAP: 3_000_000,
  // platform-facts-additions, section 9.
  LIST_MANAGE: 5_000,
  MEDIA_METADATA: 5_000,
  PRIVACY_UPDATE: 10_000,
  MUTE_DELETE: 5_000,
} as const;

const PRICES = {
  POST_WRITE,
  LINK_WRITE,
  SUMMONED_WRITE,
  RECENT_COUNTS,
  ALL_COUNTS,
  POST_READ,
  USER_READ,
  FOLLOW_READ,
  LIST_READ,
  COMMUNITY_READ,
  NOTE_READ,
  LIKE_READ,
  MUTE_READ,
  BLOCK_READ,
  INTERACTION,
  DELETION,
  CONTENT_MANAGE,
  LIST_CREATE,
  BOOKMARK,
  LIST_MANAGE,
  MEDIA_METADATA,
  PRIVACY_UPDATE,
  MUTE_DELETE,
} satisfies Record<string, Price>;

type Name = keyof typeof PRICES;

/** Names end in `own` for the reads that cost the app's owner less (specification, Endpoints). */
const OPERATION_PRICES: Readonly<Record<string, Name | `${Name} own`>> = {
  'GET /2/tweets/counts/recent': 'RECENT_COUNTS',
  'GET /2/tweets/counts/all': 'ALL_COUNTS',
  'GET /2/tweets/search/recent': 'POST_READ',
  'GET /2/tweets/search/all': 'POST_READ',
  'GET /2/tweets/search/stream': 'POST_READ',
  'GET /2/powerstream': 'POST_READ',
  'GET /2/tweets': 'POST_READ',
  'GET /2/tweets/:id': 'POST_READ',
  'POST /2/tweets': 'POST_WRITE',
  'DELETE /2/tweets/:id': 'DELETION',
  'PUT /2/tweets/:tweet_id/hidden': 'CONTENT_MANAGE',
  'GET /2/tweets/:id/quote_tweets': 'POST_READ',
  'GET /2/tweets/:id/liking_users': 'USER_READ',
  'GET /2/tweets/:id/retweeted_by': 'USER_READ',
  'GET /2/users': 'USER_READ',
  'GET /2/users/:id': 'USER_READ',
  'GET /2/users/by': 'USER_READ',
  'GET /2/users/by/username/:username': 'USER_READ',
  'GET /2/users/me': 'USER_READ',
  'GET /2/users/:id/tweets': 'POST_READ own',
  'GET /2/users/:id/mentions': 'POST_READ own',
  'GET /2/users/:id/timelines/reverse_chronological': 'POST_READ',
  'GET /2/users/:id/bookmarks': 'POST_READ own',
  'GET /2/users/:id/liked_tweets': 'LIKE_READ own',
  'GET /2/users/:id/followers': 'FOLLOW_READ own',
  'GET /2/users/:id/following': 'FOLLOW_READ own',
  'GET /2/users/:id/blocking': 'BLOCK_READ own',
  'GET /2/users/:id/muting': 'MUTE_READ own',
  'GET /2/users/:id/owned_lists': 'LIST_READ own',
  'GET /2/users/:id/followed_lists': 'LIST_READ own',
  'GET /2/users/:id/list_memberships': 'LIST_READ own',
  'GET /2/users/:id/pinned_lists': 'LIST_READ own',
  'POST /2/users/:id/following': 'INTERACTION',
  'DELETE /2/users/:source_user_id/following/:target_user_id': 'DELETION',
  'POST /2/users/:id/likes': 'INTERACTION',
  'DELETE /2/users/:id/likes/:tweet_id': 'DELETION',
  'POST /2/users/:id/retweets': 'INTERACTION',
  'DELETE /2/users/:id/retweets/:source_tweet_id': 'DELETION',
  'POST /2/users/:id/muting': 'PRIVACY_UPDATE',
  'DELETE /2/users/:source_user_id/muting/:target_user_id': 'MUTE_DELETE',
  'POST /2/users/:id/bookmarks': 'BOOKMARK',
  'DELETE /2/users/:id/bookmarks/:tweet_id': 'BOOKMARK',
  'POST /2/lists': 'LIST_CREATE',
  'GET /2/lists/:id': 'LIST_READ',
  'PUT /2/lists/:id': 'LIST_MANAGE',
  'DELETE /2/lists/:id': 'LIST_MANAGE',
  'GET /2/lists/:id/tweets': 'POST_READ',
  'GET /2/lists/:id/members': 'USER_READ',
  'GET /2/lists/:id/followers': 'USER_READ',
  'POST /2/lists/:id/members': 'LIST_MANAGE',
  'DELETE /2/lists/:id/members/:user_id': 'LIST_MANAGE',
  'POST /2/users/:id/followed_lists': 'LIST_MANAGE',
  'DELETE /2/users/:id/followed_lists/:list_id': 'LIST_MANAGE',
  'POST /2/users/:id/pinned_lists': 'LIST_MANAGE',
  'DELETE /2/users/:id/pinned_lists/:list_id': 'LIST_MANAGE',
  'GET /2/communities/:id': 'COMMUNITY_READ',
  'POST /2/media/metadata': 'MEDIA_METADATA',
  'POST /1.1/media/metadata/create.json': 'MEDIA_METADATA',
  'GET /2/notes/search/posts_eligible_for_notes': 'POST_READ',
  'GET /2/notes/search/notes_written': 'NOTE_READ',
};

/**
 * Operations that the price table does not name: they are free. Of the stream of activity, each event has a price, and of
 * a webhook that receives a filtered stream each delivered Post.
 */
const FREE =
  /^(?:GET \/2\/(?:usage|openapi|news)|(?:GET|POST) \/(?:(?:2|1\.1)\/media\/upload|2\/tweets\/search\/stream\/rules)|\w+ \/2\/(?:connections|webhooks|tweets\/search\/webhooks|activity\/subscriptions|powerstream\/rules|notes)|POST \/2\/evaluate_note|GET \/2\/activity\/stream|\w+ \/5\/|(?:GET|POST) \/(?:2\/|i\/|1\.1\/)?oauth)/;

const on = stage([
  {
    id: '11',
    createdAt: '2026-11-21T09:00:00Z',
    text: 'well, @alice?',
    authorId: '7',
    username: 'ann',
  },
]);
on.service.auth.accounts({ action: 'add', username: 'alice', profile: {} });
const paying = (owner: string | null = null) =>
  on.user('alice', {}, { access: 'pay-per-use', limited: false, owner });

describe('Pay-per-use, charged', () => {
  it.each([
    ['creation of a Post: 0.015', { text: 'tea' }, 15_000],
    ['creation of a Post with a URL: 0.20', { text: 'tea at https://tea.example/green' }, 200_000],
    ['a summoned reply: 0.01', { text: 'well!', reply: { in_reply_to_tweet_id: '11' } }, 10_000],
  ])('%s', async (_, body, amount) => {
    const alice = paying();
    const { status, body: answer } = await alice.send('POST', '/2/tweets', body);
    expect(status, JSON.stringify(answer)).toBe(201);
    expect(await on.charged()).toBe(amount);
  });

  it("reads of the own account cost 0.001 per resource to the app's owner, each once a day", async () => {
    const others = ['bob', 'carl', 'dora'].map((name) => on.user(name).id);
    const free = on.user('alice');
    for (const target_user_id of others) {
      await free.send('POST', `/2/users/${free.id}/following`, { target_user_id });
    }
    const own = paying('alice');
    for (const _ of ['first', 'again']) {
      const { body } = await own.get(`/2/users/${own.id}/following`);
      expect(body.meta.result_count).toBe(3);
      expect(await on.charged()).toBe(3_000);
    }
    const other = paying('bob');
    await other.get(`/2/users/${other.id}/following`);
    expect(await on.charged()).toBe(30_000);
  });

  it('enterprise pays nothing', async () => {
    const alice = on.user('alice');
    expect((await alice.send('POST', '/2/tweets', { text: 'free tea' })).status).toBe(201);
    expect(await on.charged()).toBe(0);
  });
});

describe('Pay-per-use prices', () => {
  it.each(Object.entries({ ...PRICES, OWN_READ, POST_CAP }))('%s', (name, price) => {
    const amount = typeof price === 'number' ? price : price.amount;
    expect(amount).toBe(AMOUNTS[name as keyof typeof AMOUNTS]);
  });

  it.each(OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation]))(
    '%s',
    (name, { price }) => {
      const row = OPERATION_PRICES[name];
      if (row === undefined) {
        expect([price, name]).toEqual([undefined, expect.stringMatching(FREE)]);
        return;
      }
      const [of, own] = row.split(' ');
      expect(price).toEqual({ ...PRICES[of as Name], ...(own && { ownAmount: OWN_READ }) });
    },
  );

  it.each<[EventType, number | null]>([
    ['post.create', 5_000],
    ['post.mention.create', 5_000],
    ['post.delete', null],
    ['follow.follow', 10_000],
    ['follow.unfollow', 10_000],
    ['profile.update.bio', 5_000],
    ['chat.received', 10_000],
    ['chat.sent', null],
    ['dm.received', 10_000],
    ['dm.sent', null],
    ['dm.read', null],
    ['dm.indicate_typing', null],
    ['news.new', 5_000],
    ['spaces.start', 5_000],
    ['spaces.end', 5_000],
    ['like.create', 1_000],
    ['mute.mute', 1_000],
    ['block.unblock', 1_000],
    ['oauth.revoke', null],
  ])('a delivered %s: %j', (type, amount) => {
    expect(eventRule(type).price?.amount ?? null).toBe(amount);
  });

  it.each([
    ['tea', false, 15_000],
    ['tea at https://tea.example/green', false, 200_000],
    ['t.co/tea', false, 200_000],
    ['tea.example', false, 15_000],
    ['@ann tea', true, 10_000],
    ['@ann https://tea.example/green', true, 10_000],
  ])('creating %j, summoned %j, costs %i', (text, isSummoned, amount) => {
    expect(priceOfPost(text, isSummoned)).toBe(amount);
  });
});
