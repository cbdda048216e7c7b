import { randomBytes as random } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { openSource } from '#server/posts/index/source.ts';
import { orderAccounts } from '#server/users/accounts.ts';
import { hiddenFrom, hiddenUsers, noteProtection } from '#server/users/hidden.ts';
import { startService } from '#tests/support/service/service.ts';

it('are imported users, and accounts in place of them', async () => {
  const { folder, close } = startService();
  const file = join(folder, 'posts.sqlite');
  const db = openPosts(file, { random });
  const user = (key: string, fields: object) => {
    return {
      kind: 'users',
      key,
      json: JSON.stringify({ id: key, username: `u${key}`, ...fields }),
    };
  };
  db.write('test', () =>
    postTable(db).putObjects([
      user('1', { protected: true }),
      user('2', { protected: false, description: '"protected":true' }),
      user('3', { entities: { protected: true } }),
      user('4', { protected: true }),
      user('5', {}),
    ]),
  );
  db.close();
  const service = openService(join(folder, 'service.sqlite'), { random });
  const source = openSource(file, { random });
  const add = (username: string, id: string, isProtected: boolean): void =>
    void orderAccounts(
      { service, newId: () => id, now: Date.now },
      { action: 'add', username, profile: { protected: isProtected } },
    );
  add('u4', '4', false);
  add('u5', '5', true);
  expect(hiddenUsers('posts', service, source.posts)).toEqual(['1', '5']);
  expect(hiddenUsers('sample', service, source.posts)).toEqual(['1', '4']);
  // Bills, tokens and the like are no reason to look again.
  const before = hiddenUsers('posts', service, source.posts);
  service.secret('other');
  expect(hiddenUsers('posts', service, source.posts)).toBe(before);
  add('u6', '6', true);
  expect(hiddenUsers('posts', service, source.posts)).toEqual(['1', '5', '6']);
  const set = (username: string, isProtected: boolean): void =>
    void orderAccounts(
      { service, newId: () => '', now: Date.now },
      { action: 'set', username, profile: { protected: isProtected } },
    );
  set('u5', false);
  expect(hiddenUsers('posts', service, source.posts)).toEqual(['1', '6']);
  const viewer = { id: '6', username: 'u6' };
  const seen = (): readonly string[] => hiddenFrom(viewer, 'posts', service, source.posts);
  const own = seen();
  expect([own, seen() === own]).toEqual([['1'], true]);
  const other = openPosts(file, { random });
  other.write('test', () => void relationTable(other).add('follow', 6n, 1n));
  expect(seen()).toEqual([]);
  other.write('test', () => void relationTable(other).remove('follow', 6n, 1n));
  expect(seen()).toEqual(['1']);
  other.close();
  source.close();
  service.close();
  await close();
});

it('are logged, not thrown, where the revision cannot follow them', async () => {
  const service = startService({ posts: [] });
  const accounts = openService(join(service.folder, 'service.sqlite'), { random });
  const source = openSource(join(service.folder, 'posts.sqlite'), { random });
  const deps = { service: accounts, newId: () => '7', now: Date.now };
  orderAccounts(deps, { action: 'add', username: 'u7', profile: { protected: true } });
  const lines: string[] = [];
  const full = async (): Promise<never> => {
    throw new Error('the disk is full');
  };
  await noteProtection({
    source: () => ({ id: 'posts', ...source }),
    cluster: null,
    service: accounts,
    editor: { write: full, find: full, writtenBy: full },
    log: (line) => void lines.push(line),
  });
  expect(lines).toEqual([
    'Open boards do not know yet who is protected, or has another username: the disk is full',
  ]);
  source.close();
  accounts.close();
  await service.close();
});
