import { describe, expect, it } from 'vitest';
import { ARCHIVE_LEVELS } from '#contract/accounts/access.ts';
import { POSTING_SCOPES } from '#contract/posts/posts.ts';
import type { Caller } from '#server/auth/caller.ts';
import { checkAccess, checkKind } from '#server/http/access-checks.ts';

const caller = (over: Partial<Caller>): Caller => ({
  isValid: () => true,
  access: 'enterprise',
  pool: null,
  kind: 'oauth2',
  app: null,
  user: { id: '12', username: 'alice' },
  login: null,
  scopes: POSTING_SCOPES,
  ...over,
});

describe('an endpoint that needs user context', () => {
  const endpoint = { authentication: ['oauth1', 'oauth2'] as const, scopes: POSTING_SCOPES };

  it.each([POSTING_SCOPES, [...POSTING_SCOPES, 'like.read']])(
    'accepts a token with its scopes: %o',
    (...scopes) => {
      expect(() => checkKind(caller({ scopes }), endpoint)).not.toThrow();
    },
  );

  it('names the scope that a token lacks', () => {
    const scopes = ['tweet.read', 'users.read'];
    expect(() => checkKind(caller({ scopes }), endpoint)).toThrow(
      expect.objectContaining({
        status: 403,
        message: expect.stringContaining('lacks the scope tweet.write'),
      }),
    );
  });

  it.each([
    ['app', 'OAuth 2.0 Application-Only'],
    ['session', "the session of this service's dashboard"],
  ] as const)('refuses %s without a user', (kind, name) => {
    const detail = `Authenticating with ${name} is forbidden for this endpoint.`;
    expect(() => checkKind(caller({ kind, user: null }), endpoint)).toThrow(
      expect.objectContaining({ status: 403, message: expect.stringContaining(detail) }),
    );
  });
});

it('refuses a user where only apps may call, and names what is supported', () => {
  const endpoint = { authentication: ['app', 'session'] as const };
  expect(() => checkKind(caller({ kind: 'app', user: null }), endpoint)).not.toThrow();
  expect(() => checkKind(caller({ kind: 'session', user: null }), endpoint)).not.toThrow();
  // In the recorded form, with two spaces (platform-facts 1.7).
  const detail =
    'Authenticating with OAuth 2.0 User Context is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only].';
  expect(() => checkKind(caller({}), endpoint)).toThrow(
    expect.objectContaining({ status: 403, body: expect.objectContaining({ detail }) }),
  );
});

describe('an endpoint of the archive', () => {
  it.each([
    ['self-service', false],
    ['pay-per-use', true],
    ['enterprise', true],
  ] as const)('may be called with %s access: %s', (access, may) => {
    const check = (): void =>
      checkAccess(caller({ access }), { access: { levels: ARCHIVE_LEVELS, need: 'Counts need' } });
    if (may) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ status: 403 }));
  });
});
