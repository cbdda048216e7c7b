import { describe, expect, it } from 'vitest';
import { stage } from '#tests/support/service/conformance.ts';

// Rows of the specification and of platform-facts 1.7 that no test of a concept states.

const AUTHOR = { authorId: '7', username: 'ann' };
const on = stage([
  { id: '11', createdAt: '2026-11-21T08:00:00Z', text: 'green tea', ...AUTHOR, likes: 12 },
  { id: '12', createdAt: '2026-11-21T08:10:00Z', text: 'black tea', ...AUTHOR, replies: 12 },
  { id: '13', createdAt: '2026-11-21T08:20:00Z', text: 'mint tea', ...AUTHOR, reposts: 12 },
  {
    id: '14',
    createdAt: '2026-11-21T08:30:00Z',
    text: 'RT @ann: green tea',
    authorId: '8',
    username: 'ben',
    isRetweet: true,
    repostOfId: '11',
  },
]);
const alice = on.user('alice', { subscription_type: 'Premium' });
const bob = on.user('bob');
const app = on.app();

/** Ids that a search finds, newest first. */
async function found(query: string): Promise<string[]> {
  const { status, body } = await app.get(
    `/2/tweets/search/recent?query=${encodeURIComponent(query)}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.data ?? []).map(({ id }: { id: string }) => id);
}

async function counted(query: string): Promise<number> {
  const { body } = await app.get(`/2/tweets/counts/recent?query=${encodeURIComponent(query)}`);
  return body.meta.total_tweet_count;
}

describe('Dated changes', () => {
  it('2026-05-04: search leaves reposts out of keyword results, counts keep them', async () => {
    expect(await found('tea')).toEqual(['13', '12', '11']);
    expect(await counted('tea')).toBe(4);
  });

  it('2026-02-06: apps pay per use, and reach the archive', async () => {
    const program = on.app({ limited: false });
    const { status } = await program.get('/2/tweets/counts/all?query=tea');
    expect(status).toBe(200);
    expect(await on.charged()).toBe(10_000);
  });

  it('2026-01-19, reversed on 2026-05-04: count-based operators are part of search', async () => {
    expect(await found('tea min_likes:10')).toEqual(['11']);
    expect(await found('tea min_replies:10')).toEqual(['12']);
    expect(await found('tea min_reposts:10')).toEqual(['13']);
    expect(await counted('tea min_likes:10')).toBe(1);
  });
});

describe('Users', () => {
  it.each(['blue', 'business', 'government', 'none'] as const)(
    'may have the verified_type %s',
    async (verified_type) => {
      const { id } = on.user(`v_${verified_type}`, { verified_type });
      const { body } = await bob.get(`/2/users/${id}?user.fields=verified_type`);
      expect(body.data.verified_type).toBe(verified_type);
    },
  );

  it('have a subscription_type', async () => {
    const { body } = await alice.get('/2/users/me?user.fields=subscription_type');
    expect(body.data.subscription_type).toBe('Premium');
  });

  it.each(['self-service', 'pay-per-use'] as const)(
    'do not follow, like or quote through an app with %s access',
    async (access) => {
      const as = on.user('bob', {}, { access, limited: false });
      for (const [path, body] of [
        [`/2/users/${as.id}/following`, { target_user_id: alice.id }],
        [`/2/users/${as.id}/likes`, { tweet_id: '11' }],
        ['/2/tweets', { text: 'see', quote_tweet_id: '11' }],
      ] as const) {
        expect([path, (await as.send('POST', path, body)).status]).toEqual([path, 403]);
      }
    },
  );
});

describe('Posts', () => {
  it('whose author lets those reply that it follows', async () => {
    const made = await bob.send('POST', '/2/tweets', { text: 'hi', reply_settings: 'following' });
    const reply = { text: 'hello', reply: { in_reply_to_tweet_id: made.body.data.id } };
    const friend = on.user('friend');
    expect((await friend.send('POST', '/2/tweets', reply)).status).toBe(403);
    const follow = { target_user_id: friend.id };
    expect((await bob.send('POST', `/2/users/${bob.id}/following`, follow)).status).toBe(200);
    expect((await friend.send('POST', '/2/tweets', reply)).status).toBe(201);
  });

  it('of a community reach the followers of their author only if it shares them', async () => {
    const [writer, reader] = [on.user('writer'), on.user('reader')];
    const home = `/2/users/${reader.id}/timelines/reverse_chronological`;
    const relate = async (name: string, path: string): Promise<void> => {
      const body = { target_user_id: writer.id };
      const { status } = await reader.send('POST', `/2/users/${reader.id}/${path}`, body);
      expect([name, status]).toEqual([name, 200]);
    };
    const posted = async (as: typeof writer, more: object): Promise<string> => {
      on.now += 1000;
      const body = { text: `at ${on.now}`, ...more };
      return (await as.send('POST', '/2/tweets', body)).body.data.id;
    };
    const seen = async (more = ''): Promise<string[]> => {
      const { body } = await reader.get(`${home}${more}`);
      return (body.data ?? []).map(({ id }: { id: string }) => id);
    };
    const community_id = await on.community('Tea', ['writer']);
    const open = await posted(writer, {});
    const reply = await posted(writer, { reply: { in_reply_to_tweet_id: '11' } });
    await posted(writer, { community_id });
    await posted(writer, { nullcast: true });
    const shared = await posted(writer, { community_id, share_with_followers: true });
    const own = await posted(reader, {});
    expect(await seen()).toEqual([own]);
    await relate('follow', 'following');
    expect(await seen()).toEqual([own, shared, reply, open]);
    expect(await seen('?exclude=replies&max_results=2')).toEqual([own, shared]);
    await relate('mute', 'muting');
    expect(await seen()).toEqual([own]);
    expect((await writer.get(home)).status).toBe(400);
  });

  it('are no paid partnership unless they say so', async () => {
    const { body } = await app.get('/2/tweets/11?tweet.fields=paid_partnership');
    expect(body.data.paid_partnership).toBe(false);
  });
});

describe('Versioning', () => {
  it('1: the version of the main interface is 2', async () => {
    for (const path of ['/3/tweets/11', '/tweets/11']) {
      expect((await app.get(path)).status).toBe(404);
    }
    expect((await app.get('/2/tweets/11')).body.data.id).toBe('11');
  });

  it('4: Posts made here have no source, but views; users have a kind of verification', async () => {
    const made = await bob.send('POST', '/2/tweets', { text: 'from an app' });
    const { body } = await app.get(
      `/2/tweets/${made.body.data.id}?tweet.fields=source,public_metrics&expansions=author_id&user.fields=verified_type`,
    );
    expect(body.data).not.toHaveProperty('source');
    expect(body.data.public_metrics.impression_count).toBe(0);
    expect(body.includes.users[0].verified_type).toBe('none');
  });
});

describe('Errors', () => {
  it('out of credits', async () => {
    const program = on.app({ access: 'pay-per-use', limited: false, credits: 0 });
    const { status, body } = await program.get('/2/tweets/counts/recent?query=tea');
    expect(status).toBe(402);
    expect(body).toMatchObject({
      title: 'CreditsDepleted',
      type: 'https://api.twitter.com/2/problems/credits',
      detail: expect.stringMatching(
        /^Your enrolled account \[\d+\] does not have any credits to fulfill this request\.$/,
      ),
      account_id: expect.any(Number),
    });
  });
});
