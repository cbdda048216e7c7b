import { Client, Paginator } from '@xdevplatform/xdk';
import { ApiResponseError } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import { listeningService, refusal, v2ClientOf } from '#tests/support/service/clients.ts';
import type { TestPost } from '#tests/support/service/service.ts';

const NOW = Date.now();
const POSTS: TestPost[] = Array.from({ length: 25 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: NOW - 3_600_000 + i * 1000,
  text: i % 5 === 0 ? '@amy green tea' : 'coffee',
  authorId: '7',
  username: 'zed',
}));
const newest = POSTS.map(({ id }) => String(id)).reverse();

/** Id and token of an account. */
const people = new Map<string, { id: string; token: string }>();
const FANS = ['fan1', 'fan2', 'fan3', 'fan4', 'fan5'];
const person = (name: string) => {
  const found = people.get(name);
  if (!found) throw new RangeError(`expected a known name, got ${name}`);
  return found;
};
const { service, url } = await listeningService({ posts: POSTS });
for (const name of ['ann', 'amy', 'bob', ...FANS]) {
  const { token, account } = service.auth.issueUserToken({ name, limited: true });
  people.set(name, { id: account.id, token });
}

const idsOf = (items: readonly { readonly id?: string }[]): string[] =>
  items.map(({ id }) => id ?? '');

describe('twitter-api-v2', () => {
  const open = (name: string) => ({
    v2: v2ClientOf(url, person(name).token),
    id: person(name).id,
  });

  it('follows, lists followers in pages both ways, and unfollows', async () => {
    const amy = person('amy');
    for (const name of FANS) {
      const { v2, id } = open(name);
      expect((await v2.follow(id, amy.id)).data).toEqual({
        following: true,
        pending_follow: false,
      });
    }
    const expected = FANS.map((name) => person(name).id).reverse();
    const { v2 } = open('ann');
    const first = await v2.followers(amy.id, { asPaginator: true, max_results: 2 });
    const second = await first.next();
    const third = await second.next();
    expect([first, second, third].map(({ users }) => idsOf(users))).toEqual([
      expected.slice(0, 2),
      expected.slice(2, 4),
      expected.slice(4),
    ]);
    expect(third.done).toBe(true);
    const back = await third.previous();
    expect(idsOf(back.users)).toEqual(idsOf(second.users));
    expect(idsOf((await back.previous()).users)).toEqual(idsOf(first.users));
    const all = await v2.followers(amy.id, { asPaginator: true, max_results: 2 });
    await all.fetchLast(100);
    expect(idsOf(all.users)).toEqual(expected);
    for (const name of FANS) {
      const { v2, id } = open(name);
      expect((await v2.unfollow(id, amy.id)).data).toEqual({ following: false });
    }
    expect((await v2.followers(amy.id)).meta).toEqual({ result_count: 0 });
  });

  it('mutes, and reads the message about another account', async () => {
    const { v2, id } = open('ann');
    expect((await v2.mute(id, person('bob').id)).data).toEqual({ muting: true });
    expect(idsOf((await v2.userMutingUsers(id)).users)).toEqual([person('bob').id]);
    expect((await v2.unmute(id, person('bob').id)).data).toEqual({ muting: false });
    expect((await v2.userBlockingUsers(id)).users).toEqual([]);
    const error = await refusal(ApiResponseError, v2.userMutingUsers('7'));
    expect(error.errors?.[0]).toMatchObject({
      message: `The \`id\` query parameter value [7] must be the same as the authenticating user [${id}]`,
    });
  });

  it('likes, bookmarks and reposts, and undoes them', async () => {
    const { v2, id } = open('ann');
    for (const post of newest.slice(0, 12)) {
      expect((await v2.like(id, post)).data).toEqual({ liked: true });
    }
    const liked = await v2.userLikedTweets(id, { max_results: 5 });
    const next = await liked.next();
    expect(idsOf(next.tweets)).toEqual(newest.slice(2, 7).reverse());
    expect(idsOf((await next.previous()).tweets)).toEqual(idsOf(liked.tweets));
    expect((await v2.unlike(id, newest[0] ?? '')).data).toEqual({ liked: false });

    // Its methods for bookmarks first request the account from the platform's own host.
    const path = `users/${id}/bookmarks`;
    expect(await v2.post(path, { tweet_id: '1' })).toEqual({ data: { bookmarked: true } });
    expect(await v2.get(path)).toMatchObject({ data: [{ id: '1' }], meta: { result_count: 1 } });
    expect(await v2.delete(`${path}/1`)).toEqual({ data: { bookmarked: false } });

    const reposted = await v2.retweet(id, '1');
    expect(reposted.data).toMatchObject({ retweeted: true });
    expect((await v2.tweetRetweetedBy('1')).data).toMatchObject([{ id }]);
    const mine = await v2.userTimeline(id, { expansions: ['referenced_tweets.id'] });
    expect(mine.tweets[0]?.text).toBe('RT @zed: @amy green tea');
    expect(mine.includes.retweet(mine.tweets[0]!)?.id).toBe('1');
    expect((await v2.unretweet(id, '1')).data).toEqual({ retweeted: false });
  });

  it('pages through timelines both ways', async () => {
    const { v2 } = open('ann');
    const first = await v2.userTimeline('7', { max_results: 10, exclude: ['retweets', 'replies'] });
    const second = await first.next();
    const third = await second.next();
    expect([first, second, third].flatMap(({ tweets }) => idsOf(tweets))).toEqual(newest);
    expect(idsOf((await third.previous()).tweets)).toEqual(idsOf(second.tweets));
    const mentions = await v2.userMentionTimeline(person('amy').id, {
      start_time: new Date(NOW - 3_600_000 + 1000).toISOString(),
    });
    expect(idsOf(mentions.tweets)).toEqual(['21', '16', '11', '6']);
  });

  it('creates, fills, follows, pins and deletes a list', async () => {
    const { v2, id } = open('ann');
    const made = await v2.createList({ name: 'Tea', private: false });
    const list = made.data.id;
    expect((await v2.addListMember(list, '7')).data).toEqual({ is_member: true });
    expect(idsOf((await v2.listMembers(list)).users)).toEqual(['7']);
    expect(idsOf((await v2.listTweets(list, { max_results: 5 })).tweets)).toEqual(
      newest.slice(0, 5),
    );
    expect(idsOf((await v2.listMemberships('7')).lists)).toEqual([list]);
    expect((await v2.updateList(list, { name: 'Coffee' })).data).toEqual({ updated: true });
    expect((await v2.list(list, { 'list.fields': ['member_count'] })).data).toEqual({
      id: list,
      name: 'Coffee',
      member_count: 1,
    });
    expect(idsOf((await v2.listsOwned(id)).lists)).toEqual([list]);
    const other = open('bob');
    expect((await other.v2.subscribeToList(other.id, list)).data).toEqual({ following: true });
    expect(idsOf((await v2.listFollowers(list)).users)).toEqual([other.id]);
    expect(idsOf((await v2.listFollowed(other.id)).lists)).toEqual([list]);
    await other.v2.unsubscribeOfList(other.id, list);
    expect((await v2.pinList(id, list)).data).toEqual({ pinned: true });
    expect((await v2.unpinList(id, list)).data).toEqual({ pinned: false });
    expect((await v2.removeListMember(list, '7')).data).toEqual({ is_member: false });
    expect((await v2.removeList(list)).data).toEqual({ deleted: true });
  });

  it('hides a reply', async () => {
    const { v2 } = open('ann');
    const bob = open('bob').v2;
    const first = await v2.tweet('who likes tea?');
    const reply = await bob.reply('I do', first.data.id);
    expect((await v2.hideReply(reply.data.id, true)).data).toEqual({ hidden: true });
  });
});

describe('@xdevplatform/xdk', () => {
  const open = (name: string) => ({
    client: new Client({ baseUrl: url, accessToken: person(name).token }),
    id: person(name).id,
  });

  it('follows, likes, bookmarks and reposts, and undoes them', async () => {
    const { client, id } = open('bob');
    const { users } = client;
    const target = person('amy').id;
    expect((await users.followUser(id, { targetUserId: target })).data).toMatchObject({
      following: true,
    });
    const following = await users.getFollowing(id, {
      userFields: ['username', 'public_metrics'],
      postFields: ['id'],
    });
    expect(following.data).toMatchObject([{ id: target, username: 'amy' }]);
    expect((await users.unfollowUser(id, target)).data).toEqual({ following: false });
    expect((await users.likePost(id, { tweetId: '1' })).data).toEqual({ liked: true });
    expect(idsOf((await users.getLikedPosts(id)).data ?? [])).toEqual(['1']);
    expect((await users.unlikePost(id, '1')).data).toEqual({ liked: false });
    expect((await users.createBookmark(id, { tweetId: '2' })).data).toEqual({ bookmarked: true });
    expect(idsOf((await users.getBookmarks(id)).data ?? [])).toEqual(['2']);
    expect((await users.deleteBookmark(id, '2')).data).toEqual({ bookmarked: false });
    const reposted = await users.repostPost(id, { tweetId: '1' });
    expect(reposted.data).toMatchObject({ retweeted: true });
    expect((await users.unrepostPost(id, '1')).data).toEqual({ retweeted: false });
  });

  it('pages through a timeline forward and back', async () => {
    const { client } = open('bob');
    const pages = new Paginator(async (paginationToken?: string) => {
      const answer = await client.users.getPosts('7', {
        maxResults: 10,
        ...(paginationToken !== undefined && { paginationToken }),
      });
      return answer as never;
    });
    await pages.fetchNext();
    await pages.fetchNext();
    await pages.fetchNext();
    expect(idsOf(pages.items as { id: string }[])).toEqual(newest);
    expect(pages.done).toBe(true);
    const { previousToken } = pages.meta as { previousToken?: string };
    const back = await client.users.getPosts('7', {
      maxResults: 10,
      paginationToken: previousToken ?? '',
    });
    expect(idsOf(back.data ?? [])).toEqual(newest.slice(10, 20));
  });

  it('creates a list, adds a member and deletes it', async () => {
    const { client, id } = open('bob');
    const made = await client.lists.create({ name: 'Tea' });
    const list = made.data?.id ?? '';
    expect((await client.lists.addMember(list, { userId: '7' })).data).toEqual({
      isMember: true,
    });
    expect(idsOf((await client.lists.getMembers(list)).data ?? [])).toEqual(['7']);
    const lists = await client.users.getOwnedLists(id, {
      listFields: ['member_count'],
      expansions: ['owner_id'],
    });
    expect(lists.data).toEqual([{ id: list, name: 'Tea', memberCount: 1, ownerId: id }]);
    expect((await client.lists.delete(list)).data).toEqual({ deleted: true });
  });
});
