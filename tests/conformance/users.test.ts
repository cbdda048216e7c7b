import { describe, expect, it } from 'vitest';
import { stage } from '#tests/support/conformance.ts';
import { gif, png } from '#tests/support/media.ts';

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

  it('user affiliation.user_ids: an array, also of a single id that came as a string', async () => {
    await on.bring({
      data: [{ id: '31', text: 'hi', author_id: '70', created_at: '2024-05-01T10:00:00Z' }],
      includes: {
        users: [
          {
            id: '70',
            name: 'Zed',
            username: 'zed',
            affiliation: { user_id: '5', url: 'https://tea.example/' },
          },
        ],
      },
    });
    const { body } = await bob.get('/2/users/70?user.fields=affiliation');
    expect(body.data.affiliation).toMatchObject({ user_ids: ['5'], url: 'https://tea.example/' });
    expect((await bob.get('/2/users/70')).body.data).not.toHaveProperty('affiliation');
  });

  const MEDIA = '/2/media/upload';
  const carol = on.user('carol');

  /** Uploads a file in one segment. @returns Its id, when it may be posted. */
  async function uploaded(file: Buffer, media_type: string, media_category: string) {
    const total_bytes = file.length;
    const begun = await carol.send('POST', `${MEDIA}/initialize`, {
      media_type,
      media_category,
      total_bytes,
    });
    const { id } = begun.body.data;
    const segment = { segment_index: 0, media: file.toString('base64') };
    await carol.send('POST', `${MEDIA}/${id}/append`, segment);
    let { status, body } = await carol.send('POST', `${MEDIA}/${id}/finalize`);
    expect(status, JSON.stringify(body)).toBe(201);
    while (/pending|in_progress/.test(body.data.processing_info?.state)) {
      // Requests in process leave no turn for the check's reads.
      await new Promise((resolve) => setImmediate(resolve));
      ({ body } = await carol.get(`${MEDIA}?command=STATUS&media_id=${id}`));
    }
    return id;
  }

  /** The only medium of a new Post, as an answer shows it that expands it. */
  async function shown(media_id: string, fields: string) {
    on.now += 60_000;
    const media = { media_ids: [media_id] };
    const { body: created } = await carol.send('POST', '/2/tweets', { media });
    const path = `/2/tweets/${created.data.id}?expansions=attachments.media_keys`;
    return (await bob.get(`${path}&media.fields=${fields}`)).body.includes.media[0];
  }

  it('media alt_text: requested with attachments.media_keys and media.fields=alt_text', async () => {
    const id = await uploaded(png(2, 2), 'image/png', 'tweet_image');
    const metadata = { alt_text: { text: 'a cup of tea' } };
    await carol.send('POST', '/2/media/metadata', { id, metadata });
    expect((await shown(id, 'alt_text')).alt_text).toBe('a cup of tea');
    expect(await shown(id, 'type')).not.toHaveProperty('alt_text');
  });

  it('media variants: the files of a GIF or video, by content type', async () => {
    const id = await uploaded(gif(2, 2, 2), 'image/gif', 'tweet_gif');
    const { variants } = await shown(id, 'variants');
    expect(variants).toEqual([
      { bit_rate: expect.any(Number), content_type: 'image/gif', url: expect.any(String) },
    ]);
    const file = await on.service.request(new URL(variants[0].url).pathname);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/gif']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(gif(2, 2, 2));
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

describe('Search', () => {
  it.each(['recent', 'all'])('GET /2/tweets/search/%s', async (which) => {
    const { status, body } = await on.app().get(`/2/tweets/search/${which}?query=tea`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toContainEqual(expect.objectContaining({ id: '11' }));
    expect(body.meta.result_count).toBe(body.data.length);
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
  it('1: Posts are created and deleted with OAuth 1.0a, and with OAuth 2.0', async () => {
    for (const as of [on.signer('bob'), on.user('bob')]) {
      on.now += 60_000;
      const created = await as.send('POST', '/2/tweets', { text: `at ${on.now}` });
      expect(created.status, JSON.stringify(created.body)).toBe(201);
      const { body } = await as.send('DELETE', `/2/tweets/${created.body.data.id}`);
      expect(body).toEqual({ data: { deleted: true } });
    }
    const { status } = await on.app().send('POST', '/2/tweets', { text: 'for no user' });
    expect(status).toBe(403);
  });

  it('2: the caller needs an app: tokens of a removed one are refused', async () => {
    const { apps, secrets } = on.service.auth.apps({ action: 'add', name: 'Brief', settings: {} });
    expect(apps).toHaveLength(1);
    const ask = () =>
      on.service.request('/2/tweets/11', {
        headers: { cookie: '', authorization: `Bearer ${secrets?.bearer_token}` },
      });
    expect((await ask()).status).toBe(200);
    on.service.auth.apps({ action: 'remove', name: 'Brief' });
    expect((await ask()).status).toBe(401);
  });

  it('3: OAuth 2.0 tokens have scopes, OAuth 1.0a tokens the permission of their app', async () => {
    const scopes = ['tweet.read', 'users.read'] as const;
    const { token } = on.service.auth.issueUserToken({ name: 'bob', scopes, limited: false });
    const refused = await on.service.request('/2/tweets', {
      method: 'POST',
      headers: {
        cookie: '',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: '{"text":"without the scope"}',
    });
    expect([refused.status, (await refused.json()).detail]).toEqual([
      403,
      expect.stringContaining('tweet.write'),
    ]);
    const reader = on.signer('bob', { access: 'enterprise', limited: false, permission: 'read' });
    expect((await reader.get('/2/users/me')).body.data.username).toBe('bob');
    const { status, body } = await reader.send('POST', '/2/tweets', { text: 'read only' });
    expect([status, body.type]).toEqual([403, 'https://api.x.com/2/problems/oauth1-permissions']);
  });

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
