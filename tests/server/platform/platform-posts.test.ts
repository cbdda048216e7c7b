import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Client } from '#app/api/client.ts';
import { ownPostsApi } from '#app/api/own-posts-api.ts';
import { PlatformPosts, type PlatformPostsWanted } from '#app/events/platform-posts.svelte.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { Fault } from '#contract/fault.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { TestPost } from '#tests/support/service/service.ts';
import { closeAfterEach, NOW, relayed } from './relayed.ts';

closeAfterEach();

const POSTS: readonly TestPost[] = [
  ...Array.from({ length: 120 }, (_, i) => ({
    id: BigInt(1000 - i),
    createdAt: NOW - HOUR_MS - i * HOUR_MS,
    text: 'tea',
    username: 'ann',
    authorId: '11',
  })),
  {
    id: 5n,
    createdAt: NOW - 2 * DAY_MS,
    text: 'cups',
    username: 'bob',
    authorId: '12',
    fields: { paid_partnership: true, public_metrics: { impression_count: 900 } },
  },
];

const WANTED: PlatformPostsWanted = {
  accounts: ['ann', 'bob'],
  window: { start: NOW - 10 * DAY_MS, end: NOW - 30 * 60_000 },
  prices: DEFAULT_PLATFORM_SETTINGS.prices,
  money: (usd) => `$${usd.toFixed(2)}`,
  onbought: () => undefined,
  offline: false,
};

/** The finder over the real relay, in front of the real service in the place of the platform. */
async function finding() {
  const relay = await relayed({ posts: POSTS });
  const requests: string[] = [];
  let at = NOW;
  const client: Pick<Client, 'json' | 'now'> = {
    now: () => (at += 1),
    json: async (path, schema, { headers }) => {
      requests.push(path);
      const answer = await relay.service.request(path, { headers: headers ?? {} });
      const body: unknown = await answer.json();
      if (answer.status === 200) return v.parse(schema, body);
      throw new Fault(answer.status, body as Fault['body']);
    },
  };
  const make = (others: () => PlatformPosts['events'] = () => []): PlatformPosts =>
    new PlatformPosts(ownPostsApi(client), others);
  return { relay, requests, make, sent: () => relay.platform.sent.map(({ path }) => path) };
}

async function buy(posts: PlatformPosts): Promise<void> {
  posts.offer?.action?.act();
  expect(posts.offer).toEqual({ text: expect.stringMatching(/^Reading Posts of /), action: null });
  await expect.poll(() => posts.offer?.action !== null, { timeout: 60_000 }).toBe(true);
}

describe('the Posts of the user’s accounts on the platform', () => {
  it('are offered with the most that they may cost, bought when that is agreed to, and never twice', async () => {
    const { relay, make, sent } = await finding();
    const posts = make();
    let purchases = 0;
    const wanted = { ...WANTED, onbought: () => void (purchases += 1) };
    await posts.load(wanted);
    expect(posts.offer).toMatchObject({
      text: 'Posts of @ann and @bob have not been read for all of this time.',
      // Two pages, two accounts, and the account of the token.
      action: { words: 'Read up to 200 Posts · up to $1.03' },
    });
    expect([posts.events, sent()]).toEqual([[], []]);

    await buy(posts);
    expect([posts.events.length, posts.lack, purchases]).toEqual([101, '', 1]);
    expect(posts.events.find(({ id }) => id === '5')).toMatchObject({
      kind: 'post',
      title: 'cups',
      detail: expect.stringMatching(/^paid partnership, 900 views/),
      source: '@bob',
    });
    expect(posts.offer?.action?.words).toBe('Read up to 100 Posts · up to $0.51');
    expect((await relay.settings()).today.money).toBe(2 * 0.01 + 101 * 0.005);

    await buy(posts);
    expect([posts.events.length, posts.offer]).toEqual([121, null]);
    const money = 2 * 0.01 + 121 * 0.005;
    expect((await relay.settings()).today.money).toBeCloseTo(money, 9);

    const reloaded = make();
    await reloaded.load({ ...WANTED, window: { start: NOW - 4 * DAY_MS, end: NOW - DAY_MS } });
    expect([reloaded.events.length, reloaded.offer]).toEqual([73, null]);
    expect((await relay.settings()).today.money).toBeCloseTo(money, 9);
  });

  it('make no request while they are off, and stay while the service is away', async () => {
    const { make, requests } = await finding();
    const posts = make();
    await posts.load({ ...WANTED, accounts: [] });
    expect(requests).toEqual([]);
    await posts.load(WANTED);
    await buy(posts);
    const before = requests.length;
    await posts.load({ ...WANTED, offline: true });
    expect([posts.events.length, posts.offer, requests.length]).toEqual([101, null, before]);
    await posts.load({ ...WANTED, accounts: [] });
    expect([posts.events, posts.offer, requests.length]).toEqual([[], null, before]);
  });

  it('say why they could not be bought, and which account there is none of', async () => {
    const { relay, make } = await finding();
    const none = { requests: null, money: null };
    await relay.change({ caps: { day: { requests: null, money: 0.05 }, month: none } });
    const posts = make();
    await posts.load({ ...WANTED, accounts: ['nobody', 'ann'] });
    await buy(posts);
    expect(posts.lack).toMatch(/^Posts could not be bought: Your cap of \$0\.05 per day/);
    await posts.load({ ...WANTED, accounts: ['nobody'] });
    expect([posts.lack, posts.offer]).toEqual(['The platform knows no account @nobody.', null]);
  });

  it('are shown once if another finder has found them', async () => {
    const { make } = await finding();
    const posts = make();
    await posts.load({ ...WANTED, accounts: ['bob'] });
    await buy(posts);
    const [found] = posts.events;
    expect(found?.id).toBe('5');
    const second = make(() => (found ? [found] : []));
    await second.load({ ...WANTED, accounts: ['bob'] });
    expect(second.events).toEqual([]);
  });
});
