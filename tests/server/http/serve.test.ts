import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import * as v from 'valibot';
import { ARCHIVE_LEVELS } from '#contract/accounts/access.ts';
import { endpoint, type EndpointRules } from '#contract/endpoint.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { openService } from '#server/auth/store.ts';
import { ACCOUNT_HEADER } from '#contract/accounts/session.ts';
import { Failures } from '#server/auth/failures.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { openBilling } from '#server/billing/billing.ts';
import { openCredits } from '#server/billing/credits.ts';
import { errorHandler } from '#server/http/errors.ts';
import { mount, openHttp, type Http, type Route } from '#server/http/serve.ts';
import type { Caller } from '#server/auth/caller.ts';

const CALLER: Caller = {
  isValid: () => true,
  access: 'enterprise',
  pool: null,
  kind: 'app',
  app: null,
  user: null,
  login: null,
  scopes: [],
};

/** Tokens by name; the session has the cookie `s`. */
const CALLERS: Readonly<Record<string, Caller>> = {
  app: { ...CALLER, access: 'self-service', pool: 'app one' },
  other: { ...CALLER, pool: 'app two' },
  free: CALLER,
  alice: {
    ...CALLER,
    kind: 'oauth2',
    pool: 'user 1',
    user: { id: '1', username: 'alice' },
    scopes: ['tweet.read'],
  },
  bob: {
    ...CALLER,
    kind: 'oauth2',
    pool: 'user 2',
    user: { id: '2', username: 'bob' },
    scopes: [],
  },
};

const auth: Auth = {
  issueToken: () => '',
  issueUserToken: () => ({ token: '', account: { id: '1', username: 'alice' } }),
  apps: () => ({ apps: [] }),
  account: (id) => (id === '1' ? { id, username: 'alice' } : null),
  accounts: () => [],
  bearer: (token) => CALLERS[token] ?? null,
  isIssued: () => false,
  openSession: () => '',
  namesSigner: () => true,
  signed: () => null,
  refused: () => null,
  failures: new Failures({ failures: 1, windowSeconds: 1 }, () => 0),
  session: (cookie) => (cookie === 's' ? { ...CALLER, kind: 'session' } : null),
};

const folder = mkdtempSync(join(tmpdir(), 'groundswell-http-'));
const service = openService(join(folder, 'service.sqlite'), { random: (n) => randomBytes(n) });
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true });
});

/** Serves routes. @returns A function that sends requests with a token, with the session, or anonymously. */
function served(routes: (http: Http) => readonly Route[], now: () => number = () => 0) {
  const app = new Hono();
  app.onError(
    errorHandler(
      () => null,
      () => {},
    ),
  );
  const secrets = { auth, control: 'the secret' };
  const { bills, limits } = service;
  const charges = () => [];
  const billing = openBilling({ bills, charges, credits: openCredits({ bills, charges }), now });
  mount(app, routes(openHttp({ secrets, billing, limits, now })));
  return async (as: string | null, path: string, init: RequestInit = {}): Promise<Response> => {
    const who: Record<string, string> =
      as === null
        ? {}
        : as === 'session'
          ? { cookie: 'groundswell-80=s' }
          : { authorization: `Bearer ${as}` };
    const headers = { host: '127.0.0.1', ...who, ...(init.headers as Record<string, string>) };
    return await app.request(path, { ...init, headers });
  };
}

/** Serves `GET /x` with these rules; it answers with an empty object. */
const one = (rules: EndpointRules, now?: () => number) =>
  served((http) => [http.serve(endpoint('GET', '/x', rules), () => ({}))], now);

describe('authentication', () => {
  it.each([
    [['app', 'oauth1', 'oauth2', 'session'], { app: 200, alice: 200, session: 200, nobody: 401 }],
    [['session'], { app: 403, alice: 403, session: 200, nobody: 401 }],
    [['oauth1', 'oauth2'], { app: 403, alice: 200, session: 403, nobody: 401 }],
    [['control'], { app: 401, alice: 401, session: 401, 'the secret': 200, 'the secret2': 401 }],
    [['page'], { app: 200, session: 200, nobody: 200 }],
  ] as const)('%o: %o', async (authentication, statuses) => {
    const ask = one({ authentication });
    for (const [as, status] of Object.entries(statuses)) {
      expect([as, (await ask(as === 'nobody' ? null : as, '/x')).status]).toEqual([as, status]);
    }
  });

  it('needs a user token with the scopes', async () => {
    const ask = one({ authentication: ['oauth1', 'oauth2'], scopes: ['tweet.read'] });
    expect((await ask('alice', '/x')).status).toBe(200);
    expect((await ask('bob', '/x')).status).toBe(403);
  });

  it('lets a session act as an account that it names, and refuses an unknown one', async () => {
    const ask = one({ authentication: ['oauth1', 'oauth2'], scopes: ['tweet.read'] });
    const as = (id: string) => ask('session', '/x', { headers: { [ACCOUNT_HEADER]: id } });
    expect((await as('1')).status).toBe(200);
    const refused = await as('2');
    expect([refused.status, (await refused.json()).detail]).toEqual([
      400,
      'There is no account with the id [2].',
    ]);
    const token = await ask('app', '/x', { headers: { [ACCOUNT_HEADER]: '1' } });
    expect(token.status).toBe(403);
  });

  it('refuses pages of other origins', async () => {
    const headers = { origin: 'http://evil.example' };
    for (const authentication of [['page'], ['session']] as const) {
      expect((await one({ authentication })('session', '/x', { headers })).status).toBe(403);
    }
  });

  it('refuses tokens with self-service access for the archive', async () => {
    const ask = one({
      authentication: ['app'],
      access: { levels: ARCHIVE_LEVELS, need: 'News of the archive needs' },
    });
    expect((await ask('other', '/x')).status).toBe(200);
    const { detail } = await (await ask('app', '/x')).json();
    expect(detail).toContain('News of the archive needs the access level pay-per-use');
  });
});

describe('a limit', () => {
  const limit = (requests: number) => ({ requests, windowSeconds: 900 });
  const rateOf = async (answer: Promise<Response>): Promise<string> => {
    const { status, headers } = await answer;
    return `${status} ${headers.get('x-rate-limit-remaining')} ${headers.get('x-rate-limit-limit')}`;
  };

  it('applies per app and per user, and not to a caller without limits', async () => {
    const ask = one({
      authentication: ['app', 'oauth1', 'oauth2', 'session'],
      limits: { app: limit(1), user: limit(2) },
    });
    expect(await rateOf(ask('app', '/x'))).toBe('200 0 1');
    expect(await rateOf(ask('app', '/x'))).toBe('429 0 1');
    expect(await rateOf(ask('other', '/x'))).toBe('200 0 1');
    expect(await rateOf(ask('alice', '/x'))).toBe('200 1 2');
    expect(await rateOf(ask('free', '/x'))).toBe('200 null null');
    expect(await rateOf(ask('session', '/x'))).toBe('200 null null');
  });

  it('is shared by endpoints that name the same budget, and by no others', async () => {
    const alone = { authentication: ['app'], limits: { app: limit(2) } } as const;
    const shared = { ...alone, budget: 'shared' };
    const ask = served((http) => [
      http.serve(endpoint('GET', '/a', shared), () => ({})),
      http.serve(endpoint('GET', '/b', shared), () => ({})),
      http.serve(endpoint('GET', '/c', alone), () => ({})),
      http.serve(endpoint('GET', '/d', alone), () => ({})),
    ]);
    expect(await rateOf(ask('app', '/a'))).toBe('200 1 2');
    expect(await rateOf(ask('app', '/b'))).toBe('200 0 2');
    expect(await rateOf(ask('app', '/c'))).toBe('200 1 2');
    expect(await rateOf(ask('app', '/d'))).toBe('200 1 2');
  });

  it('for all users counts their requests together', async () => {
    const ask = one({
      authentication: ['oauth1', 'oauth2'],
      limits: { app: limit(9), user: limit(9), appDay: limit(1) },
    });
    const first = await ask('alice', '/x');
    const second = await ask('bob', '/x');
    const name = 'x-app-limit-24hour-remaining';
    expect([first.status, first.headers.get(name)]).toEqual([200, '0']);
    expect([second.status, second.headers.get(name)]).toEqual([429, '0']);
  });

  it('for a user and a day refuses that user alone, until the day is over', async () => {
    let now = 0;
    const userDay = { requests: 1, windowSeconds: DAY_MS / SECOND_MS };
    const ask = one(
      { authentication: ['oauth1', 'oauth2'], limits: { user: limit(9), userDay } },
      () => now,
    );
    const dayOf = async (as: string): Promise<string> => {
      const { status, headers } = await ask(as, '/x');
      const [most, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
        headers.get(`x-user-limit-24hour-${name}`),
      );
      return `${status}: ${remaining} of ${most}, again at ${reset}`;
    };
    expect(await dayOf('alice')).toBe('200: 0 of 1, again at 86400');
    expect(await dayOf('alice')).toBe('429: 0 of 1, again at 86400');
    expect(await dayOf('bob')).toBe('200: 0 of 1, again at 86400');
    now = DAY_MS - SECOND_MS;
    expect(await dayOf('alice')).toBe('429: 0 of 1, again at 86400');
    now = DAY_MS;
    expect(await dayOf('alice')).toBe('200: 0 of 1, again at 172800');
  });

  it('counts requests with invalid parameters', async () => {
    const ask = one({
      authentication: ['app'],
      limits: { app: limit(5), user: limit(5) },
      query: NO_PARAMETERS,
    });
    expect(await rateOf(ask('app', '/x?y=1'))).toBe('400 4 5');
  });
});

describe('a handler', () => {
  it('receives the parameters and the body as parsed by their schemas', async () => {
    const rules = {
      authentication: ['app'],
      params: v.object({
        id: v.pipe(
          v.string(),
          v.transform((text) => BigInt(text)),
        ),
      }),
      query: v.strictObject({ n: v.pipe(v.string(), v.transform(Number)) }),
      body: v.strictObject({ text: v.string() }),
      status: 201,
    } as const;
    const ask = served((http) => [
      http.serve(endpoint('POST', '/x/:id', rules), ({ params, query, texts, body }) => ({
        answer: `${typeof params.id} ${query.n + 1} ${texts['n']} ${body.text}`,
      })),
    ]);
    const headers = { 'content-type': 'application/json' };
    const answer = await ask('app', '/x/7?n=1', {
      method: 'POST',
      headers,
      body: '{"text":"tea"}',
    });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ answer: 'bigint 2 1 tea' });
    const wrong = await ask('app', '/x/7?n=1', { method: 'POST', headers, body: '{"text":1}' });
    expect((await wrong.json()).errors[0].parameters).toEqual({ text: ['1'] });
  });

  it.each<readonly [object | null, number, string | null]>([
    [null, 204, null],
    [{ a: 1 }, 200, 'application/json'],
  ])(
    'that returns %o answers with %i, which clients must not cache',
    async (result, status, type) => {
      const ask = served((http) => [
        http.serve(endpoint('GET', '/x', { authentication: ['app'] }), () => result),
      ]);
      const answer = await ask('app', '/x');
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toBe(type);
      expect(answer.headers.get('cache-control')).toBe('no-cache, no-store, max-age=0');
    },
  );
});

describe('a method that a path does not support', () => {
  const relayPrice = { request: 'all' } as const;
  const ask = served((http) => [
    http.serve(endpoint('GET', '/x', { authentication: ['app'] }), () => ({})),
    http.serve(endpoint('PUT', '/x', { authentication: ['app'] }), () => ({})),
    http.serve(endpoint('DELETE', '/y', { authentication: ['app'] }), () => ({})),
    http.serve(endpoint('GET', '/y', { authentication: ['app'] }), () => ({})),
    http.serve(endpoint('PUT', '/y', { authentication: ['app'] }), () => ({})),
    http.serve(endpoint('GET', '/paid', { authentication: ['app'], relayPrice }), () => ({})),
  ]);

  it.each([
    ['DELETE', '/x', 405, 'GET, HEAD, PUT', 'Use GET or PUT here.'],
    ['POST', '/y', 405, 'DELETE, GET, HEAD, PUT', 'Use DELETE, GET or PUT here.'],
    ['HEAD', '/paid', 405, 'GET', ''],
    ['POST', '/paid', 405, 'GET', 'Use GET here.'],
  ])('%s %s is %i, allowed: %s', async (method, path, status, allow, detail) => {
    const answer = await ask('app', path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow]);
    expect(await answer.text()).toContain(detail);
  });

  it('is refused before the authentication', async () => {
    expect((await ask(null, '/x', { method: 'DELETE' })).status).toBe(405);
    expect((await ask(null, '/x', { method: 'HEAD' })).status).toBe(401);
  });
});
