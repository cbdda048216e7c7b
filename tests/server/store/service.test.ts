import { expect, test } from 'vitest';
import { openService } from '#server/store/service.ts';
import { countingBytes, temporaryFolder } from './folder.ts';

const file = temporaryFolder();

test('a secret is 32 bytes, made once, the same for everybody who opens the file', () => {
  const random = countingBytes();
  const one = openService(file('secrets'), { random });
  const other = openService(file('secrets'), { random });
  const cursor = one.secret('cursor');
  expect(cursor).toHaveLength(32);
  expect(one.secret('session').equals(cursor)).toBe(false);
  expect(other.secret('cursor').equals(cursor)).toBe(true);
  one.close();
  other.close();
  const later = openService(file('secrets'), { random });
  expect(later.secret('cursor').equals(cursor)).toBe(true);
  later.close();
});

test.each([
  { hash: 'aa', access: 'enterprise', limited: true, createdAt: 1_700_000_000_123 },
  { hash: 'bb', access: 'self-service', limited: false, createdAt: 0 },
] as const)('a token is found by its hash alone, with what was said of it: %o', (token) => {
  const service = openService(file(`token-${token.hash}`), { random: countingBytes() });
  expect(service.findToken(token.hash)).toBeUndefined();
  service.addToken(token);
  expect(service.findToken(token.hash)).toEqual(token);
  expect(service.findToken('cc')).toBeUndefined();
  service.close();
  const again = openService(file(`token-${token.hash}`), { random: countingBytes() });
  expect(again.findToken(token.hash)).toEqual(token);
  again.close();
});
