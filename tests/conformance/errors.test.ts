import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDb } from '#server/db/driver.ts';
import { stage } from '#tests/support/conformance.ts';
import { startService } from '#tests/support/service.ts';

// Rows of the specification's part about errors, and of the table in platform-facts 1.7 and its additions.

const on = stage([
  { id: '11', createdAt: '2026-11-21T09:00:00Z', text: 'tea', authorId: '7', username: 'ann' },
]);
const alice = on.user('alice');
const bob = on.user('bob');
const app = on.app();
const counts = (query: string) => app.get(`/2/tweets/counts/recent?${query}`);

/** The messages of a 400. */
const messagesOf = (body: { errors?: { message: string }[] }): string =>
  (body.errors ?? []).map(({ message }) => message).join(' ');

describe('Errors', () => {
  it('1: posting with neither text nor media is invalid', async () => {
    const { status, body } = await alice.send('POST', '/2/tweets', {});
    expect([status, body.title]).toEqual([400, 'Invalid Request']);
  });

  it("2: deleting another author's Post is not allowed", async () => {
    const { body } = await alice.send('POST', '/2/tweets', { text: 'mine' });
    const { status } = await bob.send('DELETE', `/2/tweets/${body.data.id}`);
    expect(status).toBe(403);
  });

  it('3: search and counts can answer 503, when the store cannot be read', async () => {
    // As many Posts as fill a part of the index, which this test damages.
    const posts = Array.from({ length: 8300 }, (_, i) => ({
      id: BigInt(i + 1),
      createdAt: on.now - 100_000_000 + i * 1000,
      text: i % 2 === 0 ? 'tea' : 'milk tea',
    }));
    const damaged = startService({ posts, now: () => on.now });
    await damaged.restart(() => {
      const db = openDb(join(damaged.folder, 'posts.sqlite'));
      const list = `CAST(x'01' || substr(list, 2) AS BLOB)`;
      db.exec(`UPDATE posting SET list = ${list} WHERE term = 'milk'`);
      db.close();
    });
    for (const operation of ['counts', 'search']) {
      const answer = await damaged.request(`/2/tweets/${operation}/recent?query=milk`);
      expect([answer.status, (await answer.json()).title]).toEqual([503, 'Service Unavailable']);
    }
    await damaged.close();
  });

  it('5: a reply without a summon is refused on self-service tiers', async () => {
    for (const access of ['self-service', 'pay-per-use'] as const) {
      const program = on.user('dora', {}, { access, limited: false });
      const { status, body } = await program.send('POST', '/2/tweets', {
        text: 'an answer',
        reply: { in_reply_to_tweet_id: '11' },
      });
      expect([status, body.detail]).toEqual([
        403,
        'You can only reply to or quote posts where you are mentioned or are the author.',
      ]);
    }
  });

  it('6: version 1.1, also with fail_dm_commands, is refused with code 453', async () => {
    for (const path of [
      '/1.1/statuses/update.json?fail_dm_commands=true',
      '/1.1/search/tweets.json?q=tea',
      '/1.1/users/search.json',
      '/1.1/geo/search.json',
    ]) {
      const { status, body } = await app.get(path);
      expect([status, body.errors[0].code]).toEqual([403, 453]);
    }
  });
});

describe('General errors (recorded)', () => {
  it.each([
    ['query empty', 'query=', "Invalid 'query':''. 'query' must be a non-empty string"],
    ['query missing', '', 'query parameter can not be empty'],
    [
      'only a stop word',
      'query=a',
      'Rules must contain at least one positive, non-stopword clause',
    ],
    [
      'granularity',
      'query=tea&granularity=x',
      'The `granularity` query parameter value [x] is not one of',
    ],
    [
      'id',
      'query=tea&since_id=x',
      'The `since_id` query parameter value [x] does not match ^[0-9]{1,19}$',
    ],
    ['token', 'query=tea&next_token=x', 'is not a valid token'],
    ['start before the window', 'query=tea&start_time=2006-01-01T00:00:00Z', 'must be on or after'],
    [
      'end too near',
      'query=tea&end_time=2026-11-21T10:30:15Z',
      'must be a minimum of 10 seconds prior',
    ],
    ['unknown parameter', 'query=tea&x=1', 'The query parameter [x] is not one of'],
  ])('%s', async (_, query, message) => {
    const { status, body } = await counts(query);
    expect([status, body.type]).toEqual([400, 'https://api.x.com/2/problems/invalid-request']);
    expect(messagesOf(body)).toContain(message);
  });

  it('a bad number range', async () => {
    const { body } = await app.get('/2/tweets/search/recent?query=tea&max_results=5');
    expect(messagesOf(body)).toContain(
      'The `max_results` query parameter value [5] is not between 10 and 100',
    );
  });

  it('a value of tweet.fields', async () => {
    const { body } = await app.get('/2/tweets/11?tweet.fields=x');
    expect(messagesOf(body)).toContain(
      'The `tweet.fields` query parameter value [x] is not one of [',
    );
  });

  it('partial errors come with 200', async () => {
    const { status, body } = await app.get('/2/tweets?ids=11,12');
    expect(status).toBe(200);
    expect(body.data).toHaveLength(1);
    expect(body.errors).toEqual([
      {
        value: '12',
        detail: 'Could not find tweet with ids: [12].',
        title: 'Not Found Error',
        resource_type: 'tweet',
        parameter: 'ids',
        resource_id: '12',
        type: 'https://api.x.com/2/problems/resource-not-found',
      },
    ]);
  });

  it('a duplicate text', async () => {
    await alice.send('POST', '/2/tweets', { text: 'again' });
    const { status, body } = await alice.send('POST', '/2/tweets', { text: 'again' });
    expect([status, body]).toEqual([
      403,
      {
        detail: 'You are not allowed to create a Tweet with duplicate content.',
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
      },
    ]);
  });

  it('two fields that exclude each other', async () => {
    const { status, body } = await alice.send('POST', '/2/tweets', {
      text: 'x',
      card_uri: 'card://1',
      quote_tweet_id: '11',
    });
    expect(status).toBe(400);
    expect(messagesOf(body)).toContain(
      'You can only provide one of poll or quote_tweet_id or direct_message_deep_link or media or card_uri.',
    );
  });

  it('an unknown member of a body', async () => {
    const { status, body } = await alice.send('POST', '/2/tweets', { text: 'x', colour: 'red' });
    expect(status).toBe(400);
    expect(messagesOf(body)).toBe(
      '$.colour: is not defined in the schema and the schema does not allow additional properties',
    );
  });

  it('a body of another content type', async () => {
    const { token } = on.service.auth.issueUserToken({ name: 'alice', limited: false });
    const answer = await on.service.request('/2/tweets', {
      method: 'POST',
      headers: { cookie: '', authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
      body: '{"text":"x"}',
    });
    expect(answer.status).toBe(400);
    expect(messagesOf(await answer.json())).toBe(
      'Requests with bodies must have content-type of application/json.',
    );
  });

  it('a text that is too long', async () => {
    const { status, body } = await alice.send('POST', '/2/tweets', { text: 'x'.repeat(281) });
    expect(status).toBe(400);
    expect(messagesOf(body)).toMatch(/^Your Tweet text is too long\./);
    expect(messagesOf(body)).toContain('(at position 281)');
  });

  it.each([
    ['quote_tweet_id', { quote_tweet_id: '99' }, 'Your quote tweet ID is invalid.'],
    ['media.media_ids', { media: { media_ids: ['99'] } }, 'Your media IDs are invalid.'],
  ])('an unknown id in %s', async (parameter, body, message) => {
    const answer = await alice.send('POST', '/2/tweets', { text: 'x', ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ parameters: { [parameter]: ['99'] }, message }]);
  });

  it('a reply to a Post that does not exist', async () => {
    const { status, body } = await alice.send('POST', '/2/tweets', {
      text: 'x',
      reply: { in_reply_to_tweet_id: '99' },
    });
    expect([status, body.detail]).toEqual([
      403,
      'You attempted to reply to a Tweet that is deleted or not visible to you.',
    ]);
  });

  it("a path id that is not the caller's", async () => {
    const { status, body } = await alice.get(`/2/users/${bob.id}/muting`);
    expect(status).toBe(400);
    expect(messagesOf(body)).toBe(
      `The \`id\` query parameter value [${bob.id}] must be the same as the authenticating user [${alice.id}]`,
    );
  });

  it('more than one cashtag, self-service', async () => {
    const program = on.user('dora', {}, { access: 'self-service', limited: false });
    const { status, body } = await program.send('POST', '/2/tweets', { text: '$TEA and $MILK' });
    expect([status, body.title, body.detail]).toEqual([
      403,
      'Authorization Error',
      'Posts are limited to a maximum of one cashtag ($SYMBOL)',
    ]);
  });

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
