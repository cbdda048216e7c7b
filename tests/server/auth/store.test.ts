import { expect, test } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';

const file = temporaryFolder();

test('a secret has 32 bytes and is the same for all who open the file', () => {
  const random = countingBytes();
  const service = openService(file('secrets'), { random });
  const other = openService(file('secrets'), { random });
  const cursor = service.secret('cursor');
  expect(cursor).toHaveLength(32);
  expect(service.secret('session').equals(cursor)).toBe(false);
  expect(other.secret('cursor').equals(cursor)).toBe(true);
  service.close();
  other.close();
  const later = openService(file('secrets'), { random });
  expect(later.secret('cursor').equals(cursor)).toBe(true);
  later.close();
});

test.each([
  { hash: 'aa', access: 'enterprise', limited: true, createdAt: 1_700_000_000_123, scopes: null },
  { hash: 'bb', access: 'self-service', limited: false, createdAt: 0, scopes: null },
  { hash: 'cc', access: 'enterprise', limited: true, createdAt: 5, scopes: ['users.read'] },
  { hash: 'dd', access: 'enterprise', limited: false, createdAt: 5, scopes: ['a.b', 'c.d'] },
] as const)('a token is found only by its hash, with its properties: %o', ({ scopes, ...rest }) => {
  const service = openService(file(`token-${rest.hash}`), { random: countingBytes() });
  const account = service.account('Ann', () => '12', 0);
  const token = {
    ...rest,
    kind: 'bearer' as const,
    app: '1',
    expiresAt: null,
    family: null,
    grant: scopes && { account, scopes },
  };
  expect(service.tokens.find(token.hash)).toBeUndefined();
  service.tokens.add(token);
  expect(service.tokens.find(token.hash)).toEqual(token);
  expect(service.tokens.find('xx')).toBeUndefined();
  service.close();
  const again = openService(file(`token-${rest.hash}`), { random: countingBytes() });
  expect(again.tokens.find(token.hash)).toEqual(token);
  again.close();
});

test('no two accounts have the same id', () => {
  const service = openService(file('ids'), { random: countingBytes() });
  service.account('ann', () => '1', 0);
  const ids = ['1', '1', '2'];
  expect(service.account('bob', () => ids.shift() ?? '', 0)).toEqual({ id: '2', username: 'bob' });
  service.close();
});
