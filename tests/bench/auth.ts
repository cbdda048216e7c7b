import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Context } from 'hono';
import type { Authentication } from '#contract/endpoint.ts';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { callerOf } from '#server/http/auth-guard.ts';
import { signed } from '#tests/support/service/signing-in.ts';
import { digits, goal, milliseconds, shown, table, timing } from './measure.ts';
import { checkAccess, checkKind } from '#server/http/access-checks.ts';

const TOKENS = 10_000;
const AUTHENTICATION: readonly Authentication[] = ['app', 'oauth1', 'oauth2', 'session'];
const ADDRESS = 'http://127.0.0.1:4319/2/users/me?user.fields=created_at%2Cprotected';

/**
 * Times what a request waits for its caller to be known: with a bearer token among 10,000, and with a signature of
 * OAuth 1.0a, whose nonce is stored.
 */
export async function benchAuth(folder: string, rounds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const deps = { now: Date.now, random: (n: number) => randomBytes(n) };
  const service = openService(join(folder, 'service.sqlite'), deps);
  const auth = openAuth(service, deps);
  const [app] = auth.apps({ action: 'list' }).apps;
  if (!app) throw new Error('expected the dedicated app, got none');
  // One transaction: each alone would wait for the disk.
  const tokens = service.write('fill', () =>
    Array.from({ length: TOKENS }, (_, i) => {
      const name = `user${i % 100}`;
      return auth.issueUserToken({ name, limited: true, oauth1: i % 10 === 0 });
    }),
  );
  const guard = async (authorization: string): Promise<void> => {
    const headers = { authorization, host: '127.0.0.1:4319' };
    const c = new Context(new Request(ADDRESS, { headers }));
    const caller = await callerOf(c, { authentication: AUTHENTICATION }, { auth, control: null });
    if (!caller) throw new Error('expected a caller, got none');
    checkAccess(caller, {});
    checkKind(caller, { authentication: AUTHENTICATION, scopes: ['users.read'], level: 'read' });
  };
  const timed = async (headers: readonly string[]) => {
    const times: number[] = [];
    for (const header of headers) times.push(await milliseconds(() => guard(header)));
    return timing(times.slice(headers.length >> 2));
  };
  const some = Array.from({ length: rounds }, (_, i) => tokens[(i * 7919) % TOKENS]!);
  const bearer = await timed(
    some.filter(({ signing }) => !signing).map(({ token }) => `Bearer ${token}`),
  );
  const [signer] = tokens;
  const signature = await timed(
    some.map(() => {
      const { api_key = '', api_key_secret = '', access_token_secret } = signer?.signing ?? {};
      const secret = access_token_secret ?? '';
      const key = { api_key, api_key_secret, token: signer?.token ?? '', secret };
      return signed(ADDRESS, key);
    }),
  );
  service.close();
  table(`The guard with ${TOKENS} tokens, ms per request`, [
    ['by', 'median', 'p95', 'p99'],
    ['bearer token', shown(bearer), digits(bearer.p95), digits(bearer.p99)],
    ['OAuth 1.0a signature', shown(signature), digits(signature.p95), digits(signature.p99)],
  ]);
  goal('guard with a bearer token, median', bearer.median, '≤', 0.1, ' ms');
  goal('guard with a signature, median', signature.median, '≤', 0.3, ' ms');
}
