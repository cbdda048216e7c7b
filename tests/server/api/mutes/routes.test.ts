import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { countingBytes } from '#tests/server/db/folder.ts';
import { serviceWithPeople } from '#tests/support/service/callers.ts';

const { service, ann, bob } = serviceWithPeople();

test('an account mutes and unmutes others, and only it sees whom', async () => {
  const path = `/2/users/${ann.id}/muting`;
  const mute = () => ann.send('POST', path, { target_user_id: bob.id });
  expect((await mute()).body).toEqual({ data: { muting: true } });
  expect((await mute()).body).toEqual({ data: { muting: true } });
  expect(await ann.ids(path)).toEqual([bob.id]);
  expect((await bob.get(path)).status).toBe(400);
  const self = await ann.send('POST', path, { target_user_id: ann.id });
  expect(self.status).toBe(400);
  const unmuted = await ann.send('DELETE', `${path}/${bob.id}`);
  expect(unmuted.body).toEqual({ data: { muting: false } });
  expect(await ann.ids(path)).toEqual([]);
});

test('blocks are read-only', async () => {
  const path = `/2/users/${ann.id}/blocking`;
  const db = openPosts(join(service.folder, 'posts.sqlite'), { random: countingBytes() });
  relationTable(db).put('block', BigInt(ann.id), 4711n);
  db.close();
  const { body } = await ann.get(path);
  expect(body.data).toEqual([{ id: '4711', name: '4711', username: '4711' }]);
  const refused = await ann.send('POST', path, { target_user_id: '4712' });
  expect(refused.status).toBe(405);
});

test('a user whose id is all that is known has a valid username', async () => {
  const db = openPosts(join(service.folder, 'posts.sqlite'), { random: countingBytes() });
  relationTable(db).put('mute', BigInt(ann.id), 9_223_372_036_854_775_807n);
  db.close();
  const { body } = await ann.get(`/2/users/${ann.id}/muting`);
  const [user] = body.data;
  expect(user.id).toBe('9223372036854775807');
  expect(user.username).toMatch(/^[A-Za-z0-9_]{1,15}$/);
});
