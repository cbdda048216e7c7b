import { expect, it } from 'vitest';
import { clientPart, Failures } from '#server/auth/failures.ts';

it('locks a pool after its failures until the window ends', () => {
  let now = 1_700_000_000_000;
  const failures = new Failures({ failures: 2, windowSeconds: 60 }, () => now);
  failures.add('a');
  expect(failures.lockedUntil('a')).toBeNull();
  failures.add('a');
  expect(failures.lockedUntil('a')).toBe(1_700_000_060);
  expect(failures.lockedUntil('b')).toBeNull();
  now += 59_999;
  expect(failures.lockedUntil('a')).toBe(1_700_000_060);
  now += 1;
  expect(failures.lockedUntil('a')).toBeNull();
});

it('takes back a failure', () => {
  const failures = new Failures({ failures: 1, windowSeconds: 60 }, () => 0);
  failures.add('a');
  failures.forgive('a');
  failures.forgive('a');
  expect(failures.lockedUntil('a')).toBeNull();
  failures.add('a');
  expect(failures.lockedUntil('a')).toBe(60);
});

it('forgets a lock from before the clock was set back, and the oldest of many pools', () => {
  let now = 1_700_000_000_000;
  const failures = new Failures({ failures: 1, windowSeconds: 60 }, () => now);
  failures.add('a');
  now -= 3_600_000;
  expect(failures.lockedUntil('a')).toBeNull();
  for (let i = 0; i < 16_385; i++) failures.add(`pool ${i}`);
  expect(failures.lockedUntil('pool 0')).toBeNull();
  expect(failures.lockedUntil('pool 1')).not.toBeNull();
});

it.each([
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::ffff:102:304', '1.2.3.4'],
  ['2001:db8:0:1:a:b:c:d', '2001:db8:0:1::'],
  ['fe80::1%eth0', 'fe80::1'],
])('takes %s and %s as one client', (one, other) => {
  expect(clientPart(one)).toBe(clientPart(other));
});

it('takes IPv4 addresses in IPv6 ones, and networks, as different clients', () => {
  expect(clientPart('::ffff:1.2.3.4')).not.toBe(clientPart('::ffff:1.2.3.5'));
  expect(clientPart('2001:db8::1')).not.toBe(clientPart('2001:db8:0:1::1'));
  expect([clientPart(null), clientPart('odd')]).toEqual(['', 'odd']);
});
