import { describe, expect, test } from 'vitest';
import { pagesOf, serviceWithPeople } from '#tests/support/service/callers.ts';
import type { TestPost } from '#tests/support/service/service.ts';

const POSTS: TestPost[] = Array.from({ length: 8 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: `2024-01-0${i + 1}T00:00:00Z`,
  text: `tea ${i + 1}`,
  authorId: '70',
  username: 'zed',
  ...(i === 0 && { fields: { public_metrics: { like_count: 40, retweet_count: 2 } } }),
}));

const { ann, bob, app } = serviceWithPeople({ posts: POSTS });

const like = (who: typeof ann, post: string) =>
  who.send('POST', `/2/users/${who.id}/likes`, { tweet_id: post });
const unlike = (who: typeof ann, post: string) =>
  who.send('DELETE', `/2/users/${who.id}/likes/${post}`);
const metrics = async (post: string) =>
  (await app.get(`/2/tweets/${post}?tweet.fields=public_metrics`)).body.data.public_metrics;

describe('likes', () => {
  test('add to the figures of the import, once per account, and undo them', async () => {
    const before = await metrics('1');
    expect(before).toMatchObject({ like_count: 40, retweet_count: 2 });
    expect((await like(ann, '1')).body).toEqual({ data: { liked: true } });
    await like(ann, '1');
    await like(bob, '1');
    expect(await metrics('1')).toEqual({ ...before, like_count: 42 });
    expect(await ann.ids('/2/tweets/1/liking_users')).toEqual([bob.id, ann.id]);
    expect(await ann.ids(`/2/users/${ann.id}/liked_tweets`)).toEqual(['1']);
    expect((await unlike(ann, '1')).body).toEqual({ data: { liked: false } });
    await unlike(ann, '1');
    await unlike(bob, '1');
    expect(await metrics('1')).toEqual(before);
    expect(await ann.ids(`/2/users/${ann.id}/liked_tweets`)).toEqual([]);
  });

  test('need a Post that exists', async () => {
    const { status, body } = await like(ann, '4711');
    expect(status).toBe(404);
    expect(body.detail).toBe('Could not find tweet with tweet_id: [4711].');
    expect((await like(ann, 'x')).status).toBe(400);
    expect((await like(ann, '9999999999999999999')).status).toBe(404);
    expect((await unlike(ann, '9999999999999999999')).body).toEqual({ data: { liked: false } });
  });

  test('are listed newest first, in pages both ways, without Posts that were deleted', async () => {
    const made = await bob.send('POST', '/2/tweets', { text: 'soon gone' });
    const gone = made.body.data.id;
    for (const id of ['1', '2', '3', gone, '4', '5', '6', '7']) await like(ann, id);
    const liked = async (): Promise<number> =>
      (await app.get(`/2/users/${ann.id}?user.fields=public_metrics`)).body.data.public_metrics
        .like_count;
    expect(await liked()).toBe(8);
    await bob.send('DELETE', `/2/tweets/${gone}`);
    expect(await liked()).toBe(7);
    const path = `/2/users/${ann.id}/liked_tweets?max_results=5`;
    expect(await pagesOf(ann, path)).toEqual([
      ['7', '6', '5', '4', '3'],
      ['2', '1'],
    ]);
  });

  test('answer in the names of the request', async () => {
    const query = 'post.fields=public_metrics&expansions=author_id';
    const { body } = await ann.get(`/2/users/${ann.id}/liked_tweets?max_results=5&${query}`);
    const [post] = body.data;
    expect(post?.public_metrics).toMatchObject({ like_count: 1, repost_count: 0 });
    expect(body.includes.users[0]).toMatchObject({ id: '70', username: 'zed' });
  });
});
