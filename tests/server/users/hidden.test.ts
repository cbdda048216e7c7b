import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openPosts, postTable } from '#server/posts/post-table.ts';
import { openSource } from '#server/posts/source.ts';
import { orderAccounts } from '#server/users/accounts.ts';
import { hiddenUsers, noteProtection } from '#server/users/hidden.ts';
import { startService } from '#tests/support/service.ts';

const random = (n: number): Uint8Array => randomBytes(n);

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
    source: () => source,
    cluster: null,
    service: accounts,
    editor: { write: full, find: full, writtenBy: full },
    log: (line) => void lines.push(line),
  });
  expect(lines).toEqual(['Open boards do not know yet who is protected: the disk is full']);
  source.close();
  accounts.close();
  await service.close();
});
