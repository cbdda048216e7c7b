import { afterAll, describe, expect, it } from 'vitest';
import { callerOf, person } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';

// Usernames that change, over the interface: what finds users and Posts by them.

const NOW = Date.parse('2026-11-21T10:30:20Z');
let now = NOW;
const service = startService({
  now: () => now,
  posts: [
    // An import that names the user, and one that has no id of it.
    { id: '11', createdAt: '2026-11-21T09:00:00Z', text: 'tea', authorId: '7', username: 'ann' },
    { id: '12', createdAt: '2026-11-21T09:00:00Z', text: 'tea', username: 'ann' },
  ],
});
afterAll(() => service.close());

const { get, post } = callerOf(service);
const order = (body: object) => post('/accounts', body);
const add = async (username: string): Promise<string> =>
  (await order({ action: 'add', username, profile: {} })).body.accounts[0].id;
const rename = (username: string, to: string) =>
  order({ action: 'set', username, rename: to, profile: {} });

/** Sends what an account writes. */
function writer(name: string) {
  const who = person(service, name);
  return async (path: string, body: object) => {
    now += 1000;
    const made = await who.post(path, body);
    expect(made.status, JSON.stringify(made.body)).toBeLessThan(300);
    return made.body.data;
  };
}
const found = async (query: string): Promise<string[]> => {
  now += 20_000;
  const path = `/2/tweets/search/all?query=${encodeURIComponent(query)}`;
  const { data = [] } = (await get(path)).body;
  return data.map(({ text }: { text: string }) => text);
};
const counted = async (query: string): Promise<number> => {
  now += 20_000;
  const path = `/2/tweets/counts/recent?query=${encodeURIComponent(query)}`;
  return (await get(path)).body.meta.total_tweet_count;
};
const revision = async (): Promise<number> =>
  (await get('/sources')).body.data.find(({ id }: { id: string }) => id === 'posts').revision;
const named = async (username: string): Promise<string | undefined> =>
  (await get(`/2/users/by/username/${username}`)).body.data?.id;

const bob = await add('bob');
const carl = await add('carl');
const asBob = writer('bob');
const asCarl = writer('carl');
const { id: first } = await asBob('/2/tweets', { text: 'green tea' });
await asCarl('/2/tweets', { text: 'thanks', reply: { in_reply_to_tweet_id: first } });
await asCarl(`/2/users/${carl}/retweets`, { tweet_id: first });

describe('a username that changes', () => {
  it('finds the Posts of its account from before and after, and the old one finds none', async () => {
    const before = await revision();
    expect((await rename('bob', 'Robert')).body.accounts).toMatchObject([
      { id: bob, username: 'Robert' },
    ]);
    // Browsers count again, once.
    expect([await revision(), await revision()]).toEqual([before + 1, before + 1]);
    await asBob('/2/tweets', { text: 'black tea' });
    expect([await named('robert'), await named('bob')]).toEqual([bob, undefined]);
    expect(await found('from:robert')).toEqual(['black tea', 'green tea']);
    expect(await found('from:bob')).toEqual([]);
    expect(await found('tea -from:robert -from:ann')).toEqual([]);
    expect([await counted('from:robert'), await counted('from:bob')]).toEqual([2, 0]);
    expect(await found('to:robert')).toEqual(['@bob thanks']);
    expect(await found('to:bob')).toEqual([]);
    expect(await found('retweets_of:robert')).toEqual(['RT @bob: green tea']);
    expect(await found('retweets_of:bob')).toEqual([]);
  });

  it('is that of the author in answers, of replies and of reposts from then on', async () => {
    const path = `/2/tweets/${first}?expansions=author_id`;
    expect((await get(path)).body.includes.users).toMatchObject([{ username: 'Robert' }]);
    await asCarl('/2/tweets', { text: 'more thanks', reply: { in_reply_to_tweet_id: first } });
    const { id } = await asBob('/2/tweets', { text: 'white tea' });
    await asCarl(`/2/users/${carl}/retweets`, { tweet_id: id });
    expect(await found('to:robert')).toEqual(['@Robert more thanks', '@bob thanks']);
    expect(await found('"white tea" is:retweet')).toEqual(['RT @Robert: white tea']);
  });

  it('is free, and finds only the Posts of who takes it', async () => {
    const other = await add('BOB');
    expect(other).not.toBe(bob);
    await writer('bob')('/2/tweets', { text: 'oolong tea' });
    expect(await found('from:bob')).toEqual(['oolong tea']);
    expect(await found('from:robert')).toEqual(['white tea', 'black tea', 'green tea']);
    expect(await named('bob')).toBe(other);
  });

  it.each([
    ['carl', 'robert', 409, 'The account @Robert exists already.'],
    ['carl', 'a b', 400, 'rename'],
    ['nobody', 'some', 404, 'There is no account @nobody.'],
  ])('of @%s is not @%s', async (username, to, status, message) => {
    const answer = await rename(username, to);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(message);
  });

  it('may change its case alone, and come back', async () => {
    await rename('carl', 'Carl');
    expect(await found('from:carl')).toHaveLength(4);
    await rename('carl', 'charles');
    await rename('charles', 'carl');
    expect([await named('charles'), await named('carl')]).toEqual([undefined, carl]);
    expect(await found('from:carl')).toHaveLength(4);
    expect(await found('from:charles')).toEqual([]);
  });

  it('leaves the Posts of others to the username that they state', async () => {
    await add('ann');
    await writer('ann')('/2/tweets', { text: 'mint tea' });
    await rename('ann', 'anna');
    expect(await found('from:ann')).toEqual(['tea', 'tea']);
    expect(await found('from:anna')).toEqual(['mint tea']);
    expect(await named('ann')).toBe('7');
  });
});
