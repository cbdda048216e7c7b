import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { Fault } from '#contract/fault.ts';
import { RateLimiter } from '#server/http/rate-limit.ts';
import { POSTING_SCOPES } from '#server/auth/tokens.ts';
import type { Caller } from '#server/auth/tokens.ts';
import { takeDay, userOf } from '#server/http/context.ts';

const user = { id: '12', username: 'alice' };
const caller = (scopes: readonly string[], pool: string | null = null): Caller => ({
  access: 'enterprise',
  pool,
  by: 'token',
  client: '1',
  user,
  scopes,
});

describe('a token with user context', () => {
  it.each([POSTING_SCOPES, [...POSTING_SCOPES, 'like.read']])(
    'speaks for its user with the scopes needed: %o',
    (...scopes) => {
      expect(userOf(caller(scopes), POSTING_SCOPES)).toEqual(user);
    },
  );

  it('is refused without one of them, which is named', () => {
    expect(() => userOf(caller(['tweet.read', 'users.read']), POSTING_SCOPES)).toThrow(
      expect.objectContaining({
        status: 403,
        message: expect.stringContaining('lacks the scope tweet.write'),
      }),
    );
  });
});

describe('the limit of the app and day', () => {
  it('is one for all users, and 429 beyond it', async () => {
    const limiter = new RateLimiter({ requests: 2, windowSeconds: 86_400 }, () => 0);
    const app = new Hono();
    app.get('/:pool', (c) => {
      takeDay(c, caller([], c.req.param('pool')), limiter);
      return c.body(null, 204);
    });
    app.onError((error, c) => c.body(null, error instanceof Fault ? (error.status as 429) : 500));
    const told: (string | number | null)[][] = [];
    for (const pool of ['a', 'b', 'c']) {
      const { status, headers } = await app.request(`/${pool}`);
      told.push([status, headers.get('x-app-limit-24hour-remaining')]);
    }
    expect(told).toEqual([
      [204, '1'],
      [204, '0'],
      [429, '0'],
    ]);
  });
});
