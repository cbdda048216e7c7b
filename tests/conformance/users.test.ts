import { describe, expect, it } from 'vitest';
import { stage } from '#tests/support/conformance.ts';

// Rows of the specification about users, their own data and the operations behind it.

const on = stage([
  {
    id: '11',
    createdAt: '2026-11-21T09:00:00Z',
    text: 'tea with @alice',
    authorId: '7',
    username: 'ann',
  },
]);
const alice = on.user('alice', {
  verified_type: 'blue',
  subscription_type: 'Premium',
  email: 'alice@example.com',
});
const bob = on.user('bob');
const selfService = on.user('bob', {}, { access: 'self-service', limited: false });
const payPerUse = on.user('bob', {}, { access: 'pay-per-use', limited: false });

describe('Other resource fields', () => {
  it('user verified_type: blue, business, government or none', async () => {
    for (const verified_type of ['blue', 'business', 'government', 'none'] as const) {
      const { id } = on.user(`v_${verified_type}`, { verified_type });
      const { body } = await bob.get(`/2/users/${id}?user.fields=verified_type`);
      expect(body.data.verified_type).toBe(verified_type);
    }
  });

  it('user subscription_type: exists', async () => {
    const { body } = await alice.get('/2/users/me?user.fields=subscription_type');
    expect(body.data.subscription_type).toBe('Premium');
  });
});

describe('Reads of the own account', () => {
  const READS = [
    'bookmarks',
    'blocking',
    'muting',
    'pinned_lists',
    'tweets',
    'mentions',
    'liked_tweets',
    'followers',
    'following',
    'owned_lists',
    'followed_lists',
    'list_memberships',
  ];

  it.each(READS)('GET /2/users/{id}/%s', async (name) => {
    const { status, body } = await alice.get(`/2/users/${alice.id}/${name}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.meta.result_count).toBe(body.data?.length ?? 0);
  });

  it('bookmarks show what was bookmarked', async () => {
    const { body } = await alice.send('POST', `/2/users/${alice.id}/bookmarks`, { tweet_id: '11' });
    expect(body).toEqual({ data: { bookmarked: true } });
    const read = await alice.get(`/2/users/${alice.id}/bookmarks`);
    expect(read.body.data.map(({ id }: { id: string }) => id)).toEqual(['11']);
    const undone = await alice.send('DELETE', `/2/users/${alice.id}/bookmarks/11`);
    expect(undone.body).toEqual({ data: { bookmarked: false } });
    expect((await alice.get(`/2/users/${alice.id}/bookmarks`)).body.data).toBeUndefined();
  });

  it('muting shows who was muted', async () => {
    const { body } = await alice.send('POST', `/2/users/${alice.id}/muting`, {
      target_user_id: bob.id,
    });
    expect(body).toEqual({ data: { muting: true } });
    const read = await alice.get(`/2/users/${alice.id}/muting`);
    expect(read.body.data.map(({ username }: { username: string }) => username)).toEqual(['bob']);
  });

  it('following and followers show the same relation from both ends', async () => {
    const { body } = await alice.send('POST', `/2/users/${alice.id}/following`, {
      target_user_id: bob.id,
    });
    expect(body).toEqual({ data: { following: true, pending_follow: false } });
    const following = await alice.get(`/2/users/${alice.id}/following`);
    const followers = await bob.get(`/2/users/${bob.id}/followers`);
    expect(following.body.data[0].id).toBe(bob.id);
    expect(followers.body.data[0].id).toBe(alice.id);
  });

  it('liked_tweets shows what was liked', async () => {
    const { body } = await alice.send('POST', `/2/users/${alice.id}/likes`, { tweet_id: '11' });
    expect(body).toEqual({ data: { liked: true } });
    const read = await alice.get(`/2/users/${alice.id}/liked_tweets`);
    expect(read.body.data[0].id).toBe('11');
  });

  it('mentions shows Posts that mention the account, tweets those that it wrote', async () => {
    const { body } = await alice.send('POST', '/2/tweets', { text: 'hello' });
    const mentions = await alice.get(`/2/users/${alice.id}/mentions`);
    const tweets = await alice.get(`/2/users/${alice.id}/tweets`);
    expect(mentions.body.data.map(({ id }: { id: string }) => id)).toEqual(['11']);
    expect(tweets.body.data.map(({ id }: { id: string }) => id)).toEqual([body.data.id]);
  });

  it('owned_lists, pinned_lists, followed_lists and list_memberships show lists', async () => {
    const { body } = await alice.send('POST', '/2/lists', { name: 'Tea' });
    const list = body.data.id;
    await alice.send('POST', `/2/users/${alice.id}/pinned_lists`, { list_id: list });
    await alice.send('POST', `/2/lists/${list}/members`, { user_id: bob.id });
    await bob.send('POST', `/2/users/${bob.id}/followed_lists`, { list_id: list });
    for (const [as, name] of [
      [alice, 'owned_lists'],
      [alice, 'pinned_lists'],
      [bob, 'followed_lists'],
      [bob, 'list_memberships'],
    ] as const) {
      const read = await as.get(`/2/users/${as.id}/${name}`);
      expect([name, read.body.data?.[0]?.id]).toEqual([name, list]);
    }
  });
});

describe('Follow, like and quote creation', () => {
  it('are removed on all self-service tiers', async () => {
    for (const as of [selfService, payPerUse]) {
      const follow = await as.send('POST', `/2/users/${as.id}/following`, {
        target_user_id: alice.id,
      });
      const like = await as.send('POST', `/2/users/${as.id}/likes`, { tweet_id: '11' });
      const quote = await as.send('POST', '/2/tweets', { text: 'see', quote_tweet_id: '11' });
      expect([follow.status, like.status, quote.status]).toEqual([403, 403, 403]);
    }
  });
});

describe('Authentication', () => {
  it('4: the e-mail address is shown with OAuth 2.0 and its scope only', async () => {
    const email = async (scopes: ('users.read' | 'tweet.read' | 'users.email')[]) => {
      const { token } = on.service.auth.issueUserToken({ name: 'alice', scopes, limited: false });
      const answer = await on.service.request('/2/users/me?user.fields=confirmed_email', {
        headers: { cookie: '', authorization: `Bearer ${token}` },
      });
      return (await answer.json()).data?.confirmed_email;
    };
    expect(await email(['users.read', 'tweet.read', 'users.email'])).toBe('alice@example.com');
    expect(await email(['users.read', 'tweet.read'])).toBeUndefined();
  });
});
