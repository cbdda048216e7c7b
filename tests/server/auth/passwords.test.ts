import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { openPasswords } from '#server/auth/passwords.ts';
import { CHEAP } from '#tests/support/service/service.ts';

const random = (n: number): Uint8Array => randomBytes(n);

/** The salt of 16 bytes 7, and the key that Python's `hashlib.scrypt(n=2**17, r=8, p=1, dklen=32)` derives with it. */
const OWASP = 'scrypt:17:8:1:BwcHBwcHBwcHBwcHBwcHBw:K2P-7ejOojTOxACVH8cgDM6f9SonPkAkwhBBzuV54iA';

it('costs what OWASP asks of scrypt, and is scrypt', async () => {
  const passwords = openPasswords((n) => new Uint8Array(n).fill(7));
  expect(await passwords.hash('correct horse battery')).toBe(OWASP);
});

it('is compared at its full cost', { tags: 'long' }, async () => {
  const passwords = openPasswords(random);
  expect(await passwords.matches('correct horse battery', OWASP)).toBe(true);
  expect(await passwords.matches('correct horse batterz', OWASP)).toBe(false);
});

it('has a salt of its own, and compares with the cost of the hash', async () => {
  const cheap = openPasswords(random, CHEAP);
  const [one, two] = [await cheap.hash('a secret'), await cheap.hash('a secret')];
  expect(one).not.toBe(two);
  const other = openPasswords(random, { log2: 5, block: 8, lanes: 2 });
  expect(await other.matches('a secret', one)).toBe(true);
  expect(await other.matches('a secret ', one)).toBe(false);
  expect(await other.matches('', one)).toBe(false);
  // Typed on two keyboards.
  expect(await cheap.matches('cafe\u0301', await cheap.hash('caf\u00e9'))).toBe(true);
});

it.each(['', 'plain', 'scrypt:99:8:1:a:b', `scrypt:4:8:1:${'A'.repeat(22)}:short`])(
  'no password has the hash %j',
  async (hash) => {
    expect(await openPasswords(random, CHEAP).matches('a secret', hash)).toBe(false);
  },
);

it('is busy while too many wait', async () => {
  const passwords = openPasswords(random, CHEAP);
  const all = Array.from({ length: 16 }, () => passwords.hash('a secret'));
  expect(passwords.isBusy).toBe(true);
  await Promise.all(all);
  expect(passwords.isBusy).toBe(false);
});
