import { randomBytes as random } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoginOrder } from '#contract/accounts/logins.ts';
import { IDLE_MS, SESSION_MS } from '#server/auth/login-table.ts';
import { openLogins, passwordFault, type Logins } from '#server/auth/logins.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { openService, type Service } from '#server/auth/store.ts';
import { openDb } from '#server/db/driver.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { CHEAP } from '#tests/support/service/service.ts';

const file = temporaryFolder();
const START = Date.parse('2026-11-21T10:30:20Z');
const [ADDRESS, AGENT] = ['203.0.113.9', 'Mozilla/5.0 Firefox/140.0'];
const PASSWORD = 'correct horse battery';
const wrong = { kind: 'wrong' };

let now: number;
let service: Service;
let logins: Logins;
let path: string;
/** Passwords that were compared. */
let compared: number;
let made = 0;
beforeEach(async () => {
  now = START;
  compared = 0;
  path = file(`logins-${made++}.sqlite`);
  service = openService(path, { random });
  const passwords = openPasswords(random, CHEAP);
  const counting = {
    hash: passwords.hash,
    matches: async (...args: Parameters<typeof passwords.matches>) => {
      compared += 1;
      return await passwords.matches(...args);
    },
    isBusy: false,
  };
  logins = openLogins({ table: service.logins, passwords: counting, now: () => now, random });
  const password = await passwords.hash(PASSWORD);
  for (const [name, role] of [
    ['Anna', 'administrator'],
    ['bob', 'member'],
  ] as const) {
    logins.order({ action: 'add', name, role, password, budget: null });
  }
});
afterEach(() => service.close());

const signIn = (over: Partial<Parameters<Logins['signIn']>[0]> = {}) =>
  logins.signIn({ name: 'anna', password: PASSWORD, address: ADDRESS, agent: AGENT, ...over });

async function cookieOf(over: Parameters<typeof signIn>[0] = {}): Promise<string> {
  const outcome = await signIn(over);
  if (outcome.kind !== 'signed-in') throw new Error(`expected a session, got ${outcome.kind}`);
  return outcome.cookie;
}

describe('signing in', () => {
  it('gives the fewest rights to a role that is not known', () => {
    const { id } = service.logins.byName('anna') ?? { id: '' };
    const db = openDb(path);
    db.write(
      'test',
      () => void db.prepare("UPDATE login SET role = 'owner' WHERE id = ?").run([id]),
    );
    db.close();
    expect(service.logins.byId(id)?.role).toBe('member');
  });
  it('takes the name in any case and only the right password', async () => {
    const cookie = await cookieOf({ name: 'ANNA' });
    expect(logins.session(cookie)?.login).toMatchObject({ name: 'Anna', role: 'administrator' });
    expect(await signIn({ password: 'correct horse' })).toEqual(wrong);
    expect(await signIn({ name: 'carl' })).toEqual(wrong);
    expect(await signIn({ name: '' })).toEqual(wrong);
    expect(await signIn({ name: "anna' OR '1'='1" })).toEqual(wrong);
  });

  it('compares a password for every name, so that the time does not say which exist', async () => {
    await signIn({ password: 'no' });
    await signIn({ name: 'carl' });
    await signIn({ name: '\u0000' });
    expect(compared).toBe(3);
  });

  it('gives each session a new id, of which the file has only the hash', async () => {
    const [one, two] = [await cookieOf(), await cookieOf()];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^[\w-]{43}$/);
    service.close();
    const stored = readFileSync(path).toString('latin1');
    expect(stored).not.toContain(one);
    expect(stored).not.toContain(PASSWORD);
    service = openService(path, { random });
  });

  it('keeps a session when the service starts again', async () => {
    const cookie = await cookieOf();
    service.close();
    service = openService(path, { random });
    const passwords = openPasswords(random, CHEAP);
    const again = openLogins({ table: service.logins, passwords, now: () => now, random });
    expect(again.session(cookie)?.login.name).toBe('Anna');
  });

  it('keeps the 20 sessions of a login that were used last', async () => {
    const first = await cookieOf();
    const cookies: string[] = [];
    for (let i = 0; i < 20; i++) {
      now += 1000;
      cookies.push(await cookieOf());
    }
    expect(logins.session(first)).toBeNull();
    expect(cookies.every((cookie) => logins.session(cookie))).toBe(true);
  });
});

describe('failed attempts', () => {
  it('with one name from one address are refused after ten, until the window ends', async () => {
    for (let i = 0; i < 10; i++) expect(await signIn({ password: `guess ${i}` })).toEqual(wrong);
    const until = START / 1000 + 900;
    expect(await signIn({ name: 'ANNA' })).toEqual({ kind: 'throttled', until });
    expect(compared).toBe(10);
    now = until * 1000;
    expect((await signIn()).kind).toBe('signed-in');
  });

  it('with a name that does not exist are refused alike', async () => {
    for (let i = 0; i < 10; i++) await signIn({ name: 'carl' });
    expect((await signIn({ name: 'Carl' })).kind).toBe('throttled');
  });

  it('keep neither the same name elsewhere, nor another name here, nor an open session out', async () => {
    const cookie = await cookieOf();
    for (let i = 0; i < 10; i++) await signIn({ password: `guess ${i}` });
    for (let i = 0; i < 50; i++) await signIn({ password: 'no', address: `198.51.100.${i}` });
    expect((await signIn({ address: '192.0.2.1' })).kind).toBe('signed-in');
    expect((await signIn({ name: 'bob' })).kind).toBe('signed-in');
    const open = logins.session(cookie);
    expect(open?.login.name).toBe('Anna');
    const attempt = { name: 'anna', password: PASSWORD, address: ADDRESS, agent: AGENT };
    const changed = await logins.changePassword(open?.login.id ?? '', attempt, 'another horse');
    expect(changed.kind).toBe('signed-in');
  });

  it('are not forgotten for a flood of other names', async () => {
    for (let i = 0; i < 10; i++) await signIn({ password: 'no' });
    for (let i = 0; i < 3000; i++)
      await signIn({ name: `name ${i}`, address: `10.0.${i >> 8}.${i & 255}` });
    expect((await signIn()).kind).toBe('throttled');
  });

  it.each([
    ['an address', () => ADDRESS],
    ['the half of IPv6 that one client has', (i: number) => `2001:db8:1:2::${i}`],
    ['unknown addresses', () => null],
  ])('from %s with any names are refused after a hundred', async (_, address) => {
    for (let i = 0; i < 100; i++) {
      expect(await signIn({ name: `name ${i}`, address: address(i) })).toEqual(wrong);
    }
    expect((await signIn({ address: address(100) })).kind).toBe('throttled');
    expect((await signIn({ address: '2001:db8:1:3::1' })).kind).toBe('signed-in');
  });

  it('that run at the same time count, and right ones do not', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 15 }, (_, i) => signIn({ password: `guess ${i}` })),
    );
    expect(outcomes.filter(({ kind }) => kind === 'wrong')).toHaveLength(10);
    now += 900_000;
    for (let i = 0; i < 40; i++) await cookieOf();
  });
});

describe('a session', () => {
  it('ends when it was not used for a week, and after a month in any case', async () => {
    const idle = await cookieOf();
    now += IDLE_MS - 1;
    expect(logins.session(idle)).not.toBeNull();
    now += IDLE_MS - 1;
    const used = await cookieOf();
    expect(logins.session(idle)).not.toBeNull();
    const began = now;
    for (now += IDLE_MS / 2; now < began + SESSION_MS; now += IDLE_MS / 2) {
      expect(logins.session(used)).not.toBeNull();
    }
    expect(logins.session(used)).toBeNull();
    const left = await cookieOf();
    now += IDLE_MS;
    expect(logins.session(left)).toBeNull();
    await cookieOf();
    expect(service.logins.session('any')).toBeUndefined();
    expect(logins.sessions(logins.session(await cookieOf())?.login.id ?? '')).toHaveLength(2);
  });

  it('is noted as used at most every ten minutes', async () => {
    const cookie = await cookieOf();
    const before = service.changes();
    for (let i = 0; i < 100; i++) logins.session(cookie);
    now += 600_000;
    for (let i = 0; i < 100; i++) logins.session(cookie);
    expect(service.changes()).toBe(before + 1);
  });

  it('is ended alone, or with all others of its login, and never by another login', async () => {
    const [one, two, other] = [await cookieOf(), await cookieOf(), await cookieOf({ name: 'bob' })];
    const { login, hash } = logins.session(one) ?? { login: { id: '' }, hash: '' };
    const bob = logins.session(other)?.login.id ?? '';
    logins.end(bob, hash);
    expect(logins.session(one)).not.toBeNull();
    logins.end(login.id, hash);
    expect(logins.session(one)).toBeNull();
    logins.endAll(login.id);
    expect([two, other].map((cookie) => logins.session(cookie) !== null)).toEqual([false, true]);
  });

  it.each(['', 'a', 'A'.repeat(43), '\u0000', '../../x'])(
    'is not begun by the cookie %j',
    (cookie) => {
      expect(logins.session(cookie)).toBeNull();
    },
  );
});

describe('changing a password', () => {
  const attempt = { name: 'anna', password: PASSWORD, address: ADDRESS, agent: AGENT };

  it('needs the old one, ends every session and begins a new one', async () => {
    const before = [await cookieOf(), await cookieOf()];
    const id = logins.session(before[0] ?? '')?.login.id ?? '';
    const refused = await logins.changePassword(id, { ...attempt, password: 'no' }, 'x');
    expect(refused).toEqual(wrong);
    const changed = await logins.changePassword(id, attempt, 'a quite different one');
    expect(before.map((cookie) => logins.session(cookie))).toEqual([null, null]);
    expect(changed.kind === 'signed-in' && logins.session(changed.cookie)).toBeTruthy();
    expect(await signIn()).toEqual(wrong);
    expect((await signIn({ password: 'a quite different one' })).kind).toBe('signed-in');
  });

  it('is throttled by its own failures, and does not change that of another login', async () => {
    const id = logins.session(await cookieOf())?.login.id ?? '';
    expect(await logins.changePassword(id, { ...attempt, name: 'bob' }, 'other one')).toEqual(
      wrong,
    );
    for (let i = 0; i < 10; i++) {
      await logins.changePassword(id, { ...attempt, password: `no ${i}` }, 'other one');
    }
    expect((await logins.changePassword(id, attempt, 'other one')).kind).toBe('throttled');
  });

  it.each([
    ['short', 'at least 12 characters; this one has 5'],
    ['x'.repeat(257), 'at most 256'],
    ['anna-lovelace12', 'must not be the name'],
  ])('to %s is refused', (password, fault) => {
    expect(passwordFault(password, 'anna-lovelace')).toContain(fault);
  });

  it('to a long one is not', () => {
    expect(passwordFault('\u{1F40E}'.repeat(12), 'anna')).toBeNull();
    expect(passwordFault(PASSWORD, 'horse')).toBeNull();
  });
});

describe('an order', () => {
  const password =
    'scrypt:4:8:1:AAAAAAAAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const order = (order: LoginOrder) => logins.order(order);

  it('lists logins by name, with their browsers', async () => {
    await cookieOf();
    now += 60_000;
    await cookieOf();
    expect(order({ action: 'list' })).toEqual([
      expect.objectContaining({ name: 'Anna', sessions: 2, last: '2026-11-21T10:31:20.000Z' }),
      expect.objectContaining({ name: 'bob', role: 'member', sessions: 0, last: null }),
    ]);
  });

  it('sets a role and a budget without ending sessions, and a password with it', async () => {
    const cookie = await cookieOf({ name: 'bob' });
    const [set] = order({ action: 'set', name: 'BOB', role: 'administrator', budget: 2.5 });
    expect(set).toMatchObject({ name: 'bob', role: 'administrator', budget: 2.5, sessions: 1 });
    expect(logins.session(cookie)?.login).toMatchObject({ budget: 2_500_000 });
    order({ action: 'set', name: 'bob', password });
    expect(logins.session(cookie)).toBeNull();
  });

  it('removes a login with its sessions', async () => {
    const cookie = await cookieOf({ name: 'bob' });
    order({ action: 'remove', name: 'bob' });
    expect(logins.session(cookie)).toBeNull();
    expect(await signIn({ name: 'bob' })).toEqual(wrong);
    order({ action: 'add', name: 'bob', password, role: 'member', budget: null });
    expect(logins.session(cookie)).toBeNull();
  });

  it.each([
    [{ action: 'remove', name: 'carl' }, 'There is no login carl.'],
    [{ action: 'set', name: 'carl', role: 'member' }, 'There is no login carl.'],
    [
      { action: 'add', name: 'ANNA', password, role: 'member', budget: null },
      'There is a login Anna already.',
    ],
  ] as const)('%o is refused', (refused, message) => {
    expect(() => order(refused)).toThrow(message);
  });
});
