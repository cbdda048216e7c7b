import { afterAll, expect, test } from 'vitest';
import type { LogEntry } from '#server/streams/log.ts';
import { person } from '#tests/support/service/callers.ts';
import { startService, type TestPost } from '#tests/support/service/service.ts';
import { FakeClock } from '#tests/support/timers.ts';

const POSTS: TestPost[] = [
  { id: 1n, createdAt: '2024-01-01T00:00:00Z', text: 'tea', authorId: '70', username: 'Zed' },
];

const clock = new FakeClock(0);
const service = startService({ posts: POSTS, outgoing: { timer: clock.timer } });
afterAll(() => service.close());
service.auth.accounts({
  action: 'add',
  username: 'ann',
  profile: { subscription_type: 'Premium' },
});
const ann = person(service, 'ann');
const bob = person(service, 'bob');

/** Makes requests, and returns what they appended, of which listeners to the log hear. */
async function appended(work: () => Promise<unknown>): Promise<LogEntry[]> {
  const { posts } = service.events;
  const last = posts.last();
  let heard = last;
  const end = posts.onAppend(() => (heard = posts.last()));
  await work();
  // Several entries of a moment are reported together.
  await clock.move(1000);
  end();
  expect(heard).toBe(posts.last());
  return posts.after(last, 100);
}

async function create(who: typeof ann, body: object): Promise<string> {
  const { status, body: answer } = await who.send('POST', '/2/tweets', body);
  expect(status, JSON.stringify(answer)).toBe(201);
  return answer.data.id;
}

test('an import appends nothing', async () => {
  service.add('posts', [{ id: 2n, createdAt: '2024-01-02T00:00:00Z', text: 'imported' }]);
  expect(service.events.posts.last()).toBe(0);
});

test('a Post, its reply and quote, its edit and its deletion are appended with whom they concern', async () => {
  let [post, reply, quote, edit] = ['', '', '', ''];
  const made = await appended(async () => {
    post = await create(ann, { text: 'Good morning @Zed' });
    reply = await create(bob, { text: 'you too', reply: { in_reply_to_tweet_id: post } });
    quote = await create(bob, { text: 'look', quote_tweet_id: '1' });
    edit = await create(ann, {
      text: 'Good evening',
      edit_options: { previous_post_id: post },
    });
  });
  const author = { author_id: bob.id };
  expect(made.map(({ type, users, post, body }) => ({ type, users, post, body }))).toEqual([
    {
      type: 'post.create',
      users: [ann.id],
      post,
      body: { author_id: ann.id, mentions: ['zed'] },
    },
    {
      type: 'post.create',
      users: [bob.id, ann.id],
      post: reply,
      body: {
        ...author,
        mentions: ['ann'],
        in_reply_to_tweet_id: post,
        in_reply_to_user_id: ann.id,
      },
    },
    {
      type: 'post.create',
      users: [bob.id, '70'],
      post: quote,
      body: { ...author, quoted_tweet_id: '1', quoted_user_id: '70' },
    },
    {
      type: 'post.edit',
      users: [ann.id],
      post: edit,
      body: { author_id: ann.id, previous_id: post },
    },
  ]);
  const deleted = await appended(() => ann.send('DELETE', `/2/tweets/${post}`));
  expect(deleted.map(({ type, post, users }) => ({ type, post, users }))).toEqual(
    [post, edit].map((post) => ({ type: 'post.delete', post, users: [ann.id] })),
  );
  expect(deleted[0]?.body).toEqual({
    id: post,
    author_id: ann.id,
    created_at: expect.any(Number) as unknown,
  });
  expect((await appended(() => ann.send('DELETE', `/2/tweets/${post}`))).length).toBe(0);
});

test('relations are appended when they begin and end, and only then', async () => {
  const path = `/2/users/${ann.id}`;
  const target = { target_user_id: bob.id };
  const twice = async (work: () => Promise<unknown>): Promise<void> => {
    await work();
    await work();
  };
  const made = await appended(async () => {
    await twice(() => ann.send('POST', `${path}/following`, target));
    await twice(() => ann.send('DELETE', `${path}/following/${bob.id}`));
    await twice(() => ann.send('POST', `${path}/muting`, target));
    await twice(() => ann.send('DELETE', `${path}/muting/${bob.id}`));
    await twice(() => ann.send('POST', `${path}/likes`, { tweet_id: '1' }));
    await twice(() => ann.send('DELETE', `${path}/likes/1`));
    await twice(() => ann.send('POST', `${path}/bookmarks`, { tweet_id: '1' }));
    await twice(() => ann.send('POST', `${path}/retweets`, { tweet_id: '1' }));
    await twice(() => ann.send('DELETE', `${path}/retweets/1`));
  });
  const ids = { source_id: ann.id, target_id: bob.id };
  expect(made.map(({ type, users, body }) => ({ type, users, body }))).toMatchObject([
    ...['follow.follow', 'follow.unfollow', 'mute.mute', 'mute.unmute'].map((type) => ({
      type,
      users: [ann.id, bob.id],
      body: ids,
    })),
    {
      type: 'like.create',
      users: [ann.id, '70'],
      body: { source_id: ann.id, liked_tweet_id: '1', liked_tweet_author_id: '70' },
    },
    {
      type: 'post.create',
      users: [ann.id, '70'],
      body: { retweeted_tweet_id: '1', retweeted_user_id: '70' },
    },
    { type: 'post.delete', users: [ann.id], body: { author_id: ann.id } },
  ]);
});

test('a restart keeps the log', async () => {
  const last = service.events.posts.last();
  await service.restart();
  expect(service.events.posts.last()).toBe(last);
});
