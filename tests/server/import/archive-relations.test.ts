import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import { readArchiveRelation } from '#server/import/archive-relations.ts';
import { importFiles, type ImportJob } from '#server/import/import.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { person, program } from '#tests/support/service/callers.ts';
import { startService } from '#tests/support/service/service.ts';
import type { ImportSummary } from '#server/import/import-summary.ts';

const file = temporaryFolder();

const part = (name: string, entries: readonly object[]): Uint8Array =>
  strToU8(`window.YTD.${name}.part0 = ${JSON.stringify(entries, null, 2)}`);

/** The archive of an account that follows 21 and 22, is followed by 22 and 23, and so on. */
function archiveOf(username: string, accountId: string): string {
  const user = (id: string) => ({
    accountId: id,
    userLink: `https://twitter.com/intent/user?user_id=${id}`,
  });
  const tweet = {
    id: '900',
    full_text: 'my own tea',
    created_at: 'Sat Aug 12 16:10:37 +0000 2023',
    favorite_count: '3',
    retweet_count: '0',
  };
  const list = (url: string) => ({ userListInfo: { url: `https://twitter.com${url}` } });
  const path = file(`${username}.zip`);
  const like = (tweetId: string, fullText: string) => ({
    like: { tweetId, fullText, expandedUrl: `https://twitter.com/i/web/status/${tweetId}` },
  });
  writeFileSync(
    path,
    zipSync({
      'data/account.js': part('account', [{ account: { username, accountId } }]),
      'data/tweets.js': part('tweets', [{ tweet }]),
      'data/following.js': part('following', [
        { following: user('21') },
        { following: user('22') },
      ]),
      'data/follower.js': part('follower', [
        { follower: user('22') },
        { follower: user('23') },
        { follower: user('x') },
      ]),
      'data/like.js': part('like', [like('900', 'my own tea'), like('555', 'tea of others')]),
      'data/block.js': part('block', [{ blocking: user('31') }]),
      'data/mute.js': part('mute', [{ muting: user('32') }]),
      'data/lists-created.js': part('lists_created', [list(`/${username}/lists/tea-people`)]),
      'data/lists-member.js': part('lists_member', [list('/i/lists/77')]),
      'data/lists-subscribed.js': part('lists_subscribed', [list('/i/lists/78')]),
    }),
  );
  return path;
}

function run(job: ImportJob): Promise<ImportSummary> {
  const signal = new AbortController().signal;
  return importFiles(job, { signal, now: Date.now, random: (n) => randomBytes(n) });
}

const service = startService({ posts: [] });
afterAll(() => service.close());
const app = program(service);

/** Everything that the reads of an account answer. */
async function readsOf(me: ReturnType<typeof person>): Promise<Record<string, string[]>> {
  const names = [
    'tweets',
    'following',
    'followers',
    'liked_tweets',
    'blocking',
    'muting',
    'owned_lists',
    'list_memberships',
    'followed_lists',
  ];
  const found = await Promise.all(names.map((name) => me.ids(`/2/users/${me.id}/${name}`)));
  return Object.fromEntries(names.map((name, i) => [name, found[i] ?? []]));
}

const EXPECTED = {
  tweets: ['900'],
  following: ['21', '22'],
  followers: ['22', '23'],
  liked_tweets: ['900', '555'],
  blocking: ['31'],
  muting: ['32'],
  list_memberships: ['77'],
  followed_lists: ['78'],
};

describe('an imported archive', () => {
  test('fills the relations of its account, which an account of that name becomes', async () => {
    const job = { files: [archiveOf('Bea', '8')], store: join(service.folder, 'posts.sqlite') };
    const summary = await run(job);
    expect(summary).toMatchObject({ read: 2, added: 1, refused: 1 });
    const figures = { followers: 2, following: 2, likes: 2, blocks: 1, mutes: 1, lists: 3 };
    expect(summary.relations).toEqual(figures);
    expect(summary.reasons[0]?.reason).toBe('has no valid "accountId"');
    const bea = person(service, 'bea');
    expect(bea.id).toBe('8');
    const reads = await readsOf(bea);
    expect(reads).toMatchObject(EXPECTED);
    expect(reads['owned_lists']).toHaveLength(1);
    const { body } = await app.get('/2/users/8?user.fields=public_metrics');
    expect(body.data).toMatchObject({
      public_metrics: {
        followers_count: 2,
        following_count: 2,
        like_count: 2,
        listed_count: 1,
        tweet_count: 1,
      },
    });
    // Its own like is part of the imported figure.
    expect((await app.get('/2/tweets/900?tweet.fields=public_metrics')).body.data).toMatchObject({
      public_metrics: { like_count: 3 },
    });
    const liked = await bea.get('/2/users/8/liked_tweets');
    expect(liked.body.data).toMatchObject([{ id: '900' }, { id: '555', text: 'tea of others' }]);

    expect(await run(job)).toMatchObject({ added: 0, already: 1 });
    expect(await readsOf(bea)).toEqual(reads);
    const undone = await bea.send('DELETE', '/2/users/8/likes/900');
    expect(undone.body).toEqual({ data: { liked: false } });
    expect((await app.get('/2/tweets/900?tweet.fields=public_metrics')).body.data).toMatchObject({
      public_metrics: { like_count: 2 },
    });
  });

  test('belongs to the account of its name that exists already', async () => {
    const cat = person(service, 'Cat');
    await run({
      files: [archiveOf('cat', '9')],
      accounts: { cat: cat.id },
      store: join(service.folder, 'posts.sqlite'),
    });
    expect(cat.id).not.toBe('9');
    expect(await readsOf(cat)).toMatchObject({ ...EXPECTED, tweets: [] });
    expect(await app.ids('/2/tweets?ids=900')).toEqual(['900']);
  });
});

describe('an entry', () => {
  const owner = { id: '8', username: 'bea' };

  test('without the account of the archive is refused', () => {
    const entry = { follower: { accountId: '1' } };
    expect(readArchiveRelation(entry, null, 'follower.js')).toContain('account.js');
  });

  test('of a Post is none of relations', () => {
    expect(readArchiveRelation({ tweet: { id: '1' } }, owner, 'tweets.js')).toBeNull();
  });

  test('of a list needs an address of one', () => {
    const entry = { userListInfo: { url: 'https://example.com/x' } };
    expect(readArchiveRelation(entry, owner, 'lists-created.js')).toContain('names a list');
    const named = { userListInfo: { url: 'https://twitter.com/Zed/lists/tea' } };
    const first = readArchiveRelation(named, owner, 'lists-member.js');
    expect(first).toMatchObject({
      list: { name: 'tea', owner: null },
      relation: { kind: 'member' },
    });
    expect(readArchiveRelation(named, owner, 'lists-member.js')).toEqual(first);
  });
});
