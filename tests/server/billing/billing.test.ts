import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppSettings } from '#contract/accounts/apps.ts';
import type { BillsAnswer } from '#contract/accounts/usage.ts';
import { chargesIn } from '#server/posts/editor/charges.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');
const POSTS = Array.from({ length: 12 }, (_, i) => ({
  id: 1_990_000_000_000_000_001n + BigInt(i) * 4_194_304_000n,
  createdAt: START - 3_600_000 + i * 1000,
  text: `tea ${i}`,
  authorId: i % 2 === 0 ? '7' : '8',
  username: i % 2 === 0 ? 'ann' : 'ben',
}));
const IDS = POSTS.map(({ id }) => String(id));

let now = START;
let service: TestService;
beforeEach(() => {
  now = START;
  service = startService({ now: () => now, posts: POSTS });
});
afterEach(() => service.close());

/** Adds an app. @returns Its id, and headers of its app-only token and of one of its users. */
function added(settings: Partial<AppSettings> = {}, name = 'Reader') {
  const { apps, secrets } = service.auth.apps({ action: 'add', name, settings });
  const as = (token = '') => ({ cookie: '', authorization: `Bearer ${token}` });
  return {
    id: apps[0]?.id ?? '',
    app: as(secrets?.bearer_token),
    user: (username: string) =>
      as(service.auth.issueUserToken({ name: username, app: name, limited: false }).token),
  };
}

type Headers = Readonly<Record<string, string>>;

const get = (path: string, headers: Headers): Promise<Response> =>
  service.request(path, { headers });
const status = async (path: string, headers: Headers): Promise<number> =>
  (await get(path, headers)).status;
const recent = '/2/tweets/counts/recent?query=tea';
const post = (body: object, headers: Headers): Promise<Response> =>
  service.request('/2/tweets', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const lookUp = (ids: readonly string[], more = ''): string =>
  `/2/tweets?ids=${ids.join(',')}${more}`;

async function billOf(id: string): Promise<BillsAnswer['data'][number]> {
  const { data } = (await (await service.request('/usage?days=90')).json()) as BillsAnswer;
  return data.find((app) => app.id === id)!;
}

describe('a pay-per-use app pays', () => {
  it('for each request of counts, and nothing for a refused one', async () => {
    const { id, app } = added();
    expect(await status(recent, app)).toBe(200);
    expect(await status('/2/tweets/counts/all?query=tea', app)).toBe(200);
    expect(await status(recent, app)).toBe(200);
    expect(await status('/2/tweets/counts/recent', app)).toBe(400);
    expect((await service.request(recent, { headers: app, method: 'HEAD' })).status).toBe(200);
    const { days, ...bill } = await billOf(id);
    expect(bill).toMatchObject({ charged: 20_000, price: 20_000, credits_remaining: null });
    expect(bill.month).toEqual({ charged: 20_000, price: 20_000 });
    expect(days).toEqual([
      {
        day: '2026-11-21',
        charged: 20_000,
        price: 20_000,
        operations: [
          {
            operation: 'GET /2/tweets/counts/all',
            account: 'none',
            username: null,
            requests: 1,
            resources: 0,
            charged: 10_000,
            price: 10_000,
          },
          {
            operation: 'GET /2/tweets/counts/recent',
            account: 'none',
            username: null,
            requests: 2,
            resources: 0,
            charged: 10_000,
            price: 10_000,
          },
        ],
      },
    ]);
  });

  it('for each resource once per UTC day, whatever returns it, and neither for errors nor for repetitions', async () => {
    const { id, app } = added();
    const charged = async (): Promise<number> => (await billOf(id)).charged;
    await get(lookUp(IDS.slice(0, 3)), app);
    expect(await charged()).toBe(3 * 5_000);
    await get(lookUp([...IDS.slice(0, 4), '5']), app);
    await get(`/2/tweets/${IDS[0]}`, app);
    await get(`/2/tweets/${IDS[4]}`, app);
    expect(await charged()).toBe(5 * 5_000);
    await get('/2/tweets/search/recent?query=tea&max_results=10', app);
    expect(await charged()).toBe(12 * 5_000);
    now = Date.parse('2026-11-21T23:59:59.999Z');
    await get(lookUp(IDS), app);
    expect(await charged()).toBe(12 * 5_000);
    now += 1;
    await get(lookUp(IDS), app);
    await get(lookUp(IDS), app);
    expect(await charged()).toBe(24 * 5_000);
  });

  it('for included Posts and users too', async () => {
    const { id, app } = added();
    await get(lookUp(IDS.slice(0, 4), '&expansions=author_id'), app);
    expect((await billOf(id)).charged).toBe(4 * 5_000 + 2 * 10_000);
    await get('/2/users?ids=7,8,9', app);
    expect((await billOf(id)).charged).toBe(4 * 5_000 + 2 * 10_000);
  });

  it('for Posts by what they contain, and for deletions', async () => {
    const { id, user } = added();
    const [alice, ben] = [user('alice'), user('ben')];
    const created = async (body: object, by = alice): Promise<string> => {
      const answer = await post(body, by);
      expect(answer.status).toBe(201);
      return (await answer.json()).data.id;
    };
    const prices: number[] = [];
    let before = 0;
    const paid = async (): Promise<void> => {
      const { charged } = await billOf(id);
      prices.push(charged - before);
      before = charged;
    };
    const mine = await created({ text: 'tea' });
    await paid();
    await created({ text: 'see https://tea.example' });
    await paid();
    const calls = await created({ text: 'what do you say, @ben?' });
    await paid();
    await created({ text: 'tea', reply: { in_reply_to_tweet_id: calls } }, ben);
    await paid();
    await created({ text: 'more tea', reply: { in_reply_to_tweet_id: mine } });
    await paid();
    await service.request(`/2/tweets/${mine}`, { method: 'DELETE', headers: alice });
    await paid();
    await service.request(`/2/tweets/${mine}`, { method: 'DELETE', headers: alice });
    await paid();
    expect(prices).toEqual([15_000, 200_000, 15_000, 10_000, 15_000, 10_000, 0]);
  });

  it('nothing for a Post that is refused', async () => {
    const { id, user } = added();
    const alice = user('alice');
    expect((await post({ text: 'tea' }, alice)).status).toBe(201);
    expect((await post({ text: 'tea' }, alice)).status).toBe(403);
    expect((await post({ text: 'tea'.repeat(100) }, alice)).status).toBe(400);
    expect((await billOf(id)).charged).toBe(15_000);
  });

  it('the same after a restart', async () => {
    const { id, app, user } = added();
    await get(recent, app);
    await get(lookUp(IDS), app);
    await post({ text: 'tea' }, user('alice'));
    const bill = await billOf(id);
    expect(bill.charged).toBe(5_000 + 12 * 5_000 + 15_000);
    await service.restart();
    expect(await billOf(id)).toEqual(bill);
    await get(lookUp(IDS), app);
    expect((await billOf(id)).charged).toBe(bill.charged);
  });
});

/** The charges that the file of Posts has. */
function chargesOf(app: string): [operation: string, requests: number, charged: number][] {
  const db = openPosts(join(service.folder, 'posts.sqlite'), { random: (n) => new Uint8Array(n) });
  const found = chargesIn(db)(app, 0);
  db.close();
  return found.map(({ operation, requests, charged }) => [operation, requests, charged]);
}

describe('a change', () => {
  const send = async (method: string, path: string, headers: Headers, body?: object) => {
    const answer = await service.request(path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, data: (await answer.json()).data };
  };

  it('of a relation or a list is charged in the file that it is written to', async () => {
    const { id } = added();
    const alice = service.auth.issueUserToken({ name: 'alice', app: 'Reader', limited: false });
    const by = { cookie: '', authorization: `Bearer ${alice.token}` };
    const own = `/2/users/${alice.account.id}`;
    const post = String(IDS[0]);
    const list = (await send('POST', '/2/lists', by, { name: 'tea' })).data.id;
    for (const [method, path, body] of [
      ['POST', `${own}/bookmarks`, { tweet_id: post }],
      ['DELETE', `${own}/bookmarks/${post}`],
      ['POST', `${own}/muting`, { target_user_id: '7' }],
      ['DELETE', `${own}/muting/7`],
      ['POST', `${own}/retweets`, { tweet_id: post }],
      ['DELETE', `${own}/retweets/${post}`],
      ['POST', `/2/lists/${list}/members`, { user_id: '7' }],
      ['DELETE', `/2/lists/${list}`],
    ] as const) {
      expect([path, (await send(method, path, by, body)).status]).toEqual([path, 200]);
    }
    const charges = chargesOf(id);
    expect(charges).toEqual([
      ['DELETE /2/lists/:id', 1, 5_000],
      ['DELETE /2/users/:id/bookmarks/:tweet_id', 1, 5_000],
      ['DELETE /2/users/:id/retweets/:source_tweet_id', 1, 10_000],
      ['DELETE /2/users/:source_user_id/muting/:target_user_id', 1, 5_000],
      ['POST /2/lists', 1, 10_000],
      ['POST /2/lists/:id/members', 1, 5_000],
      ['POST /2/users/:id/bookmarks', 1, 5_000],
      ['POST /2/users/:id/muting', 1, 10_000],
      ['POST /2/users/:id/retweets', 1, 15_000],
    ]);
    const sum = charges.reduce((total, [, , charged]) => total + charged, 0);
    expect((await billOf(id)).charged).toBe(sum);
  });

  it('that is refused while another one is made costs nothing', async () => {
    const { id, user } = added();
    const alice = user('alice');
    const created = (await send('POST', '/2/tweets', alice, { text: 'tea' })).data.id;
    const answers = await Promise.all(
      [1, 2, 3].map(() => send('DELETE', `/2/tweets/${created}`, alice)),
    );
    expect(answers.map(({ status: one }) => one).toSorted()).toEqual([200, 404, 404]);
    expect(chargesOf(id)).toEqual([
      ['DELETE /2/tweets/:id', 1, 10_000],
      ['POST /2/tweets', 1, 15_000],
    ]);
    expect((await billOf(id)).charged).toBe(25_000);
  });
});

it('the owner of an app pays less for its own account, and nobody else does', async () => {
  service.auth.accounts({ action: 'add', username: 'alice', profile: {} });
  const { id, app, user } = added({ owner: 'alice' });
  const [alice, ben] = [user('alice'), user('ben')];
  const created = await post({ text: 'tea' }, alice);
  expect(created.status).toBe(201);
  const [account] = service.auth
    .accounts({ action: 'list' })
    .filter(({ username }) => username === 'alice');
  const own = `/2/users/${String(account?.id)}/tweets`;
  const paid: number[] = [];
  for (const as of [alice, alice, ben, app, alice]) {
    expect(await status(own, as)).toBe(200);
    paid.push((await billOf(id)).charged - 15_000);
  }
  // Once a day, at the highest price.
  expect(paid).toEqual([1_000, 1_000, 5_000, 5_000, 5_000]);
});

describe.each(['enterprise', 'self-service'] as const)('%s', (access) => {
  it('pays nothing, and sees what it would have cost', async () => {
    const { id, app, user } = added({ access, credits: 0, spending_limit: 0 });
    expect(await status(recent, app)).toBe(200);
    expect((await post({ text: 'tea' }, user('alice'))).status).toBe(201);
    expect(await billOf(id)).toMatchObject({ access, charged: 0, price: 20_000 });
  });
});

it('the dashboard pays nothing, and sees what it would have cost', async () => {
  expect((await service.request(recent)).status).toBe(200);
  await service.request(lookUp(IDS));
  expect(await billOf('dashboard')).toMatchObject({ charged: 0, price: 5_000 + 12 * 5_000 });
});

describe('credits', () => {
  it('end exactly when they are used up, before any work, and continue when they are set again', async () => {
    const { id, app } = added({ credits: 15_000 });
    for (let i = 0; i < 3; i++) expect(await status(recent, app)).toBe(200);
    const refused = await get('/2/tweets/counts/recent?query=', app);
    expect(refused.status).toBe(402);
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    // Exact as a number of JSON, unlike the id: the number of its project, too.
    const account = Number(BigInt(id) % 2_147_483_647n);
    const usage = await (await get('/2/usage/tweets', app)).json();
    expect(usage.data.project_id).toBe(String(account));
    expect(await refused.json()).toEqual({
      account_id: account,
      title: 'CreditsDepleted',
      detail: `Your enrolled account [${account}] does not have any credits to fulfill this request.`,
      type: 'https://api.twitter.com/2/problems/credits',
    });
    expect(await status('/2/usage/tweets', app)).toBe(200);
    expect(await billOf(id)).toMatchObject({ charged: 15_000, credits_remaining: 0 });
    await service.restart();
    expect(await status(recent, app)).toBe(402);

    // The same amount again: what was billed before no longer counts.
    service.auth.apps({ action: 'set', name: 'Reader', settings: { credits: 5_000 } });
    await service.restart();
    expect(await status(recent, app)).toBe(200);
    expect(await status(recent, app)).toBe(402);
    service.auth.apps({ action: 'set', name: 'Reader', settings: { credits: 5_000 } });
    expect((await billOf(id)).credits_remaining).toBe(5_000);
    await service.restart();
    expect(await status(recent, app)).toBe(200);
    expect(await status(recent, app)).toBe(402);
    service.auth.apps({ action: 'set', name: 'Reader', settings: { early_access: true } });
    expect(await status(recent, app)).toBe(402);
  });

  it('may fall slightly below zero', async () => {
    const { id, app } = added({ credits: 1 });
    expect(await status(lookUp(IDS), app)).toBe(200);
    expect((await billOf(id)).credits_remaining).toBe(1 - 12 * 5_000);
    expect(await status(lookUp(IDS), app)).toBe(402);
  });

  it('are not spent twice by requests at the same time', async () => {
    const { id, app, user } = added({ credits: 45_000 });
    const alice = user('alice');
    const answers = await Promise.all([
      ...IDS.map((_, i) => post({ text: `tea ${i}` }, alice)),
      status(recent, app),
    ]);
    const created = answers.filter((answer) => typeof answer === 'object' && answer.status === 201);
    expect([created.length, answers.at(-1)]).toEqual([3, 402]);
    expect((await billOf(id)).credits_remaining).toBe(0);
  });

  it('are free again after a refused request', async () => {
    const { app } = added({ credits: 5_000 });
    expect(await status('/2/tweets/counts/recent', app)).toBe(400);
    expect(await status(recent, app)).toBe(200);
    expect(await status(recent, app)).toBe(402);
  });
});

it('a spending limit holds for a calendar month in UTC', async () => {
  now = Date.parse('2026-11-30T23:00:00Z');
  const { id, app } = added({ spending_limit: 10_000, credits: 17_000 });
  expect(await status(recent, app)).toBe(200);
  expect(await status(recent, app)).toBe(200);
  expect(await status(recent, app)).toBe(402);
  await service.restart();
  expect(await status(recent, app)).toBe(402);
  now = Date.parse('2026-12-01T00:00:00Z');
  expect(await status(recent, app)).toBe(200);
  expect(await billOf(id)).toMatchObject({
    charged: 15_000,
    month: { charged: 5_000 },
    credits_remaining: 2_000,
    limit_remaining: 5_000,
  });
  expect(await status(recent, app)).toBe(200);
  expect(await status(recent, app)).toBe(402);
});

it('a bill is the sum of its parts in any order', async () => {
  const part = fc.oneof(
    fc.constant(recent),
    fc.subarray(IDS, { minLength: 1 }).map((ids) => lookUp(ids)),
    fc.subarray(IDS, { minLength: 1 }).map((ids) => lookUp(ids, '&expansions=author_id')),
    fc.constantFrom('7', '8', '9').map((user) => `/2/users/${user}`),
  );
  let apps = 0;
  const billed = async (parts: readonly string[]): Promise<number> => {
    const { id, app } = added({ limited: false }, `App ${(apps += 1)}`);
    for (const path of parts) await get(path, app);
    return (await billOf(id)).charged;
  };
  const priceOf = (parts: readonly string[]): number => {
    const [posts, users] = [new Set<string>(), new Set<string>()];
    for (const path of parts) {
      for (const id of /ids=([\d,]+)/.exec(path)?.[1]?.split(',') ?? []) {
        posts.add(id);
        if (path.includes('author_id')) users.add(IDS.indexOf(id) % 2 === 0 ? '7' : '8');
      }
      const user = /users\/(7|8)$/.exec(path)?.[1];
      if (user !== undefined) users.add(user);
    }
    const counts = parts.filter((path) => path === recent).length;
    return counts * 5_000 + posts.size * 5_000 + users.size * 10_000;
  };
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(part, { maxLength: 8 })
        .chain((parts) =>
          fc.tuple(
            fc.constant(parts),
            fc.shuffledSubarray(parts, { minLength: parts.length, maxLength: parts.length }),
          ),
        ),
      async ([parts, shuffled]) => {
        const bill = await billed(parts);
        expect(bill).toBe(priceOf(parts));
        expect(await billed(shuffled)).toBe(bill);
      },
    ),
    { numRuns: 20, seed: 14 },
  );
});
