import { expect, test } from 'vitest';
import { serviceWithPeople } from '#tests/support/service/callers.ts';

const createdAt = '2024-01-01T00:00:00Z';
const { service, ann, bob } = serviceWithPeople({
  posts: [
    { id: 1n, createdAt, text: 'tea' },
    { id: 2n, createdAt, text: 'coffee' },
  ],
});

test('bookmarks are private to their account, count, and can be removed', async () => {
  const path = `/2/users/${ann.id}/bookmarks`;
  for (const tweet_id of ['1', '2', '1']) {
    expect((await ann.send('POST', path, { tweet_id })).body).toEqual({
      data: { bookmarked: true },
    });
  }
  expect(await ann.ids(path)).toEqual(['2', '1']);
  expect((await ann.get('/2/tweets/1?tweet.fields=public_metrics')).body.data).toMatchObject({
    public_metrics: { bookmark_count: 1 },
  });
  expect((await bob.get(path)).body.errors[0].message).toBe(
    `The \`id\` query parameter value [${ann.id}] must be the same as the authenticating user [${bob.id}]`,
  );
  const removed = { data: { bookmarked: false } };
  expect((await ann.send('DELETE', `${path}/2`)).body).toEqual(removed);
  expect((await ann.send('DELETE', `${path}/2`)).body).toEqual(removed);
  expect(await ann.ids(path)).toEqual(['1']);
});

test('a restart keeps them', async () => {
  await service.restart();
  expect(await ann.ids(`/2/users/${ann.id}/bookmarks`)).toEqual(['1']);
});
