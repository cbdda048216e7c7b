import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCOUNT_HEADER } from '#contract/accounts/session.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { newPost, startService, type TestPost } from '#tests/support/service/service.ts';

// No number says anything of a Post, or of a repost of it, to a reader that search would not show it to.

const NOW = Date.parse('2026-11-21T10:30:20Z');
const SECRET = 'the merger with acme closes on friday at dawn';
const span = { start_time: '2026-11-18T00:00:00Z', end_time: '2026-11-21T10:00:00Z' };

const FIRST = 1_990_000_000_000_000_000n;
/** Posts of a protected author and of another one by turns, and one repost of the former by the latter. */
const posts: TestPost[] = Array.from({ length: 40 }, (_, i) => ({
  id: FIRST + BigInt(i),
  createdAt: Date.parse('2026-11-20T09:00:00Z') + i * 60_000,
  text: i % 2 === 0 ? `${SECRET} #hush` : 'tea #tea',
  authorId: i % 2 === 0 ? '700' : '800',
  username: i % 2 === 0 ? 'quiet' : 'loud',
}));
posts.push({
  id: FIRST + 40n,
  createdAt: Date.parse('2026-11-20T10:00:00Z'),
  text: `RT @quiet: ${SECRET} #hush`,
  authorId: '800',
  username: 'loud',
  isRetweet: true,
  repostOfId: String(FIRST),
  repostOfUserId: '700',
  repostOfUsername: 'quiet',
});
const service = startService({ now: () => NOW });
afterAll(() => service.close());

type Headers = Readonly<Record<string, string>>;
const readers = new Map<string, Headers>([['the dashboard', {}]]);
const STRANGERS = ['the dashboard', 'an app', 'a stranger'];
const FRIENDS = ['the author', 'a follower'];

beforeAll(() => {
  const file = join(service.folder, 'posts.sqlite');
  const into = { source: 'export.csv', now: () => NOW };
  const writer = openWriter(file, { random: (n) => randomBytes(n) }, into);
  writer.add(posts.map(newPost));
  writer.finish();
  writer.close();
  const db = openPosts(join(service.folder, 'posts.sqlite'), { random: (n) => randomBytes(n) });
  const user = (id: string, username: string) => {
    return { kind: 'users', key: id, json: JSON.stringify({ id, username, name: username }) };
  };
  db.write('test', () => {
    postTable(db).putObjects([
      user('700', 'quiet'),
      user('800', 'loud'),
      user('900', 'friend'),
      user('1000', 'stranger'),
      {
        kind: 'tweets',
        key: '5',
        json: JSON.stringify({ id: '5', text: SECRET, author_id: '700' }),
      },
    ]);
    relationTable(db).put('follow', 900n, 700n);
    relationTable(db).put('like', 900n, 5n);
  });
  db.close();
  const as = (name: string): Headers => {
    const { token } = service.auth.issueUserToken({ name, limited: false });
    return { authorization: `Bearer ${token}` };
  };
  const token = service.auth.issueToken({ access: 'enterprise', limited: false });
  readers.set('an app', { authorization: `Bearer ${token}` });
  readers.set('the author', as('quiet'));
  readers.set('a follower', as('friend'));
  readers.set('a stranger', as('stranger'));
});

async function ask(
  reader: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
  headers: Headers = {},
) {
  const answer = await service.request(`${path}?${new URLSearchParams(query).toString()}`, {
    headers: { ...readers.get(reader), ...headers },
  });
  const body = await answer.json();
  expect([path, query, answer.status, body.detail]).toEqual([path, query, 200, undefined]);
  return body;
}
const total = async (reader: string, query: string): Promise<number> =>
  (await ask(reader, '/2/tweets/counts/recent', { query, ...span })).meta.total_tweet_count;
const protect = (isProtected: boolean): void =>
  void service.auth.accounts({
    action: 'set',
    username: 'quiet',
    profile: { protected: isProtected },
  });
const sources = async (): Promise<{ revision: number; mark: string }> =>
  (await ask('the dashboard', '/sources')).data.find(({ id }: { id: string }) => id === 'posts');

describe('once an account is protected', () => {
  it('the revision rises once, and all counts may have changed', async () => {
    const before = await sources();
    expect(await total('an app', 'merger')).toBe(21);
    protect(true);
    expect(await total('an app', 'merger')).toBe(0);
    const after = await sources();
    expect(after.revision).toBe(before.revision + 1);
    const { spans } = await ask('the dashboard', '/changes', {
      since: String(before.revision),
      mark: before.mark,
    });
    expect(spans).toHaveLength(1);
    expect(Date.parse(spans[0].start)).toBeLessThanOrEqual(Date.parse(span.start_time));
    expect((await sources()).revision).toBe(after.revision);
    // Another profile changes nothing that counts.
    service.auth.accounts({ action: 'set', username: 'quiet', profile: { location: 'Rome' } });
    expect((await sources()).revision).toBe(after.revision);
  });

  it.each(STRANGERS)('%s reads no word of it in counts', async (reader) => {
    const words = SECRET.split(' ');
    const queries = [
      // Function words alone are no query.
      ...words.filter((word) => !['the', 'with', 'on', 'at'].includes(word)),
      ...words.slice(1).map((word, i) => `"${words[i]} ${word}"`),
      `"${SECRET}"`,
      '#hush',
      'from:quiet',
      'retweets_of:quiet',
      '(tea OR merger) -tea',
    ];
    for (const query of queries) expect([query, await total(reader, query)]).toEqual([query, 0]);
    expect(await total(reader, 'tea')).toBe(20);
  });

  it.each(FRIENDS)('%s counts it', async (reader) => {
    expect(await total(reader, `"${SECRET}"`)).toBe(21);
  });

  it.each([...STRANGERS.slice(1), ...FRIENDS])(
    '%s is shown a repost only with its original',
    async (reader) => {
      const isFriend = FRIENDS.includes(reader);
      const id = String(FIRST + 40n);
      const looked = await ask(reader, '/2/tweets', { ids: `${id},${FIRST + 1n}` });
      expect(looked.data).toHaveLength(isFriend ? 2 : 1);
      expect(looked.errors?.[0]).toEqual(
        isFriend ? undefined : expect.objectContaining({ title: 'Authorization Error', value: id }),
      );
      for (const [path, query] of [
        ['/2/tweets/search/recent', { query: 'from:loud is:retweet' }],
        ['/2/users/800/tweets', { max_results: '5' }],
      ] as const) {
        const found = JSON.stringify(await ask(reader, path, query)).includes(id);
        expect([path, found]).toEqual([path, isFriend]);
      }
    },
  );

  it.each(['a stranger', ...FRIENDS])(
    '%s is shown a Post that an import only names by the same rule',
    async (reader) => {
      const liked = await ask(reader, '/2/users/900/liked_tweets');
      expect(liked.meta.result_count).toBe(FRIENDS.includes(reader) ? 1 : 0);
    },
  );

  it.each([
    ['/breakdown', {}],
    ['/breakdown', { query: 'tea OR merger' }],
    ['/related', { query: 'tea' }],
    ['/rising', {}],
    ['/ranked', { query: 'tea OR merger', order: 'engagement' }],
  ])('%s leaves it out: %o', async (path, query) => {
    const answer = await ask('the dashboard', path, { ...query, ...span });
    expect(JSON.stringify(answer)).not.toMatch(/merger|acme|hush|quiet|friday/);
    if (path !== '/ranked') expect(answer.data.posts).toBe(20);
    else expect(answer.data[0].text).toContain('tea');
  });

  it('similar words do not have its own', async () => {
    const { data } = await ask('the dashboard', '/similar', { query: 'mergers' });
    expect(data).toMatchObject({ posts: 20, similar: [] });
  });

  it('ranked has it for a session that acts as a reader', async () => {
    const { id } = service.auth
      .accounts({ action: 'list' })
      .find((account) => account.username === 'friend')!;
    const query = { query: 'merger', order: 'engagement', ...span };
    const found = await ask('the dashboard', '/ranked', query, { [ACCOUNT_HEADER]: id });
    expect(found.meta.result_count).toBeGreaterThan(0);
  });

  it('what a collection adds leaves it out', async () => {
    const { collections } = await ask('the dashboard', '/collections');
    const path = `/collections/${collections[0].id}/added`;
    expect(await ask('the dashboard', path, { query: 'merger', ...span })).toEqual({ posts: 0 });
    expect(await ask('the dashboard', path, { query: 'tea', ...span })).toEqual({ posts: 20 });
  });

  it('a follow that ends is the end of reading, and a new one the beginning', async () => {
    const headers = { ...readers.get('a follower'), 'content-type': 'application/json' };
    const ended = await service.request('/2/users/900/following/700', {
      method: 'DELETE',
      headers,
    });
    expect(ended.status).toBe(200);
    expect(await total('a follower', 'merger')).toBe(0);
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: (n) => randomBytes(n) });
    db.write('test', () => relationTable(db).add('follow', 900n, 700n));
    db.close();
    expect(await total('a follower', 'merger')).toBe(21);
  });

  it('counts have it again once it is public', async () => {
    const before = await sources();
    protect(false);
    expect(await total('a stranger', `"${SECRET}"`)).toBe(21);
    expect((await sources()).revision).toBe(before.revision + 1);
  });
});
