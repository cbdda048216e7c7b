import { readFileSync, readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ACCESS_LEVELS } from '#contract/accounts/access.ts';
import { SCOPES } from '#contract/accounts/scopes.ts';
import { SESSION_SECONDS } from '#server/auth/sealed-sessions.ts';
import { authOpener } from './opened.ts';

const { file, open } = authOpener();

describe('bearer tokens', () => {
  it.each(ACCESS_LEVELS.flatMap((access) => [true, false].map((limited) => ({ access, limited }))))(
    'are recognised with %o, also after a restart',
    (grant) => {
      const token = open().issueToken(grant);
      const caller = open().bearer(token);
      expect(caller).toMatchObject({ access: grant.access, kind: 'app' });
      expect(caller?.pool === null).toBe(!grant.limited);
    },
  );

  it('with user context belong to one account with a fixed id, and share its limits', () => {
    const limited = open().issueUserToken({ name: 'Alice', limited: true }).token;
    const auth = open();
    const again = auth.issueUserToken({ name: 'alice', limited: true }).token;
    const free = auth.issueUserToken({ name: 'ALICE', limited: false }).token;
    const bob = auth.issueUserToken({ name: 'bob', limited: true }).token;
    const alice = auth.bearer(limited);
    expect(alice).toMatchObject({
      access: 'enterprise',
      kind: 'oauth2',
      user: { id: expect.stringMatching(/^[0-9]{1,19}$/), username: 'Alice' },
      scopes: SCOPES,
    });
    expect(auth.bearer(again)?.user).toEqual(alice?.user);
    expect(auth.bearer(again)?.pool).toBe(alice?.pool);
    expect(auth.bearer(free)).toMatchObject({ user: alice?.user, pool: null });
    expect(auth.bearer(bob)?.user?.id).not.toBe(alice?.user?.id);
    expect(auth.bearer(bob)?.pool).not.toBe(alice?.pool);
  });

  it('without user context have no user and no scopes', () => {
    const auth = open();
    const token = auth.issueToken({ access: 'enterprise', limited: true });
    expect(auth.bearer(token)).toMatchObject({ user: null, scopes: [] });
    expect(auth.session(auth.openSession())).toMatchObject({ user: null, scopes: [] });
  });

  it('are stored only as hashes', () => {
    const auth = open();
    const tokens = [
      auth.issueToken({ access: 'enterprise', limited: true }),
      auth.issueUserToken({ name: 'alice', limited: true }).token,
    ];
    const contents = readdirSync(file('')).map((name) => readFileSync(file(name), 'latin1'));
    expect(contents.length).toBeGreaterThan(0);
    expect(contents.some((content) => tokens.some((token) => content.includes(token)))).toBe(false);
  });

  it('are in a file that other system users cannot read', () => {
    if (process.platform === 'win32') return;
    open();
    expect(statSync(file('service.sqlite')).mode & 0o777).toBe(0o600);
  });

  it('that were never issued are unknown', () => {
    const auth = open();
    const token = auth.issueToken({ access: 'enterprise', limited: true });
    for (const other of ['', 'x', token.slice(1), `${token}a`, token.toUpperCase()]) {
      expect(auth.bearer(other)).toBeNull();
    }
  });
});

describe('a session', () => {
  it('has enterprise access without limits until it expires', () => {
    let now = 1_700_000_000_000;
    const auth = open(() => now);
    const cookie = auth.openSession();
    expect(auth.session(cookie)).toMatchObject({
      access: 'enterprise',
      pool: null,
      kind: 'session',
    });
    now += SESSION_SECONDS * 1000 - 1000;
    expect(auth.session(cookie)).not.toBeNull();
    now += 1000;
    expect(auth.session(cookie)).toBeNull();
  });

  it('is refused if it was modified, or belongs to another service', () => {
    const auth = open();
    const other = open(undefined, 'other.sqlite');
    const cookie = auth.openSession();
    const later = cookie.replace(/^\d+/, (until) => String(Number(until) + 1));
    for (const bad of ['', 'x', later, cookie.slice(0, -2), `${cookie}A`]) {
      expect(auth.session(bad), bad).toBeNull();
    }
    expect(other.session(cookie)).toBeNull();
  });
});
