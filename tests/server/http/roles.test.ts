import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOBS, orderEndpoint, type JobName } from '#contract/control/control.ts';
import { MONITORING } from '#contract/control/monitoring.ts';
import type { Endpoint } from '#contract/endpoint.ts';
import { NO_ACCOUNT, ACCOUNT_HEADER } from '#contract/accounts/session.ts';
import { SOURCE_PREFIX } from '#contract/counts/source.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { readBlock } from '#server/http/forwarded.ts';
import { startPlatform } from '#tests/support/service/platform.ts';
import { CHEAP, startService } from '#tests/support/service/service.ts';

// Every route is asked once by each role. What it answers follows from its entry in the contract, so that a new route is
// asked too, and one that is served without an entry fails.

const NAME = 'dash.example.org';
const platform = await startPlatform();
const { url, token } = platform;
const service = startService({
  platform: { url, token },
  imports: {},
  network: { kind: 'network', names: [NAME], proxies: [readBlock('10.0.0.0/8')] },
});

type Headers = Readonly<Record<string, string>>;

const PAGE: Headers = {
  host: '10.0.0.5:4319',
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': NAME,
  origin: `https://${NAME}`,
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
};

const ROLES = [
  'nobody',
  'an app',
  'a user',
  'a member',
  'a member who names an account',
  'an administrator',
  'an administrator who acts as an account',
] as const;
type Role = (typeof ROLES)[number];

/** The credentials that each role sends. */
const sent = new Map<Role, Headers>([['nobody', {}]]);
beforeAll(async () => {
  const { auth, logins } = service;
  const password = await openPasswords((n) => randomBytes(n), CHEAP).hash('correct horse battery');
  const alice = auth.issueUserToken({ name: 'alice', limited: false });
  const bearer = (of: string): Headers => ({ authorization: `Bearer ${of}` });
  sent.set('an app', bearer(auth.issueToken({ access: 'enterprise', limited: false })));
  sent.set('a user', bearer(alice.token));
  for (const role of ['member', 'administrator'] as const) {
    logins.order({ action: 'add', name: role, role, password, budget: null });
    const signedIn = await service.app.request(
      '/sign-in',
      {
        method: 'POST',
        headers: { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          do: 'in',
          name: role,
          password: 'correct horse battery',
        }).toString(),
      },
      from('10.0.0.2'),
    );
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const as = { cookie, [ACCOUNT_HEADER]: alice.account.id };
    sent.set(role === 'member' ? 'a member' : 'an administrator', { cookie });
    if (role === 'member') sent.set('a member who names an account', as);
    else sent.set('an administrator who acts as an account', as);
  }
});
afterAll(async () => {
  await service.close();
  await platform.close();
});

const from = (remoteAddress: string) => ({
  incoming: { socket: { remoteAddress, remotePort: 1, remoteFamily: 'IPv4' } },
});

/** All endpoints among what a module of the contract exports. */
function endpointsIn(value: unknown): Endpoint[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if ('method' in value && 'path' in value && 'authentication' in value) return [value as Endpoint];
  // A schema has no endpoints, and may contain itself.
  return 'kind' in value ? [] : Object.values(value).flatMap(endpointsIn);
}

// Not by a pattern of the bundler, whose result is stored with this file and knows no module that is added later.
const CONTRACT = fileURLToPath(new URL('../../../src/contract/', import.meta.url));
const MODULES: object[] = await Promise.all(
  readdirSync(CONTRACT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map(async (file) => (await import(CONTRACT + file)) as object),
);
const ENDPOINTS: Endpoint[] = [
  ...MODULES.flatMap((module) => Object.values(module).flatMap(endpointsIn)),
  ...(Object.keys(JOBS) as JobName[]).map(orderEndpoint),
];
const nameOf = (method: string, path: string): string => `${method} ${path}`;
const BY_NAME = new Map(
  ENDPOINTS.flatMap((endpoint) =>
    [endpoint.path, ...(endpoint.aliases ?? [])].map(
      (path) => [nameOf(endpoint.method, path), endpoint] as const,
    ),
  ),
);

/** The endpoint of a route, which may be that of another source. */
function endpointOf(method: string, path: string): Endpoint | undefined {
  const prefixes = Object.values(SOURCE_PREFIX).filter((each) => path.startsWith(`${each}/`));
  const paths = [path, ...prefixes.map((each) => path.slice(each.length))];
  return paths.map((each) => BY_NAME.get(nameOf(method, each))).find((found) => found);
}

/** Pages and files, which have rules of their own. */
const PAGES = new Set([
  'GET /sign-in',
  'POST /*',
  'GET /media/:file',
  'GET /view/:secret/*',
  'GET /*',
]);

const ROUTES = service.app.routes
  .filter(({ method }) => method !== 'ALL')
  .map(({ method, path }) => ({ method, path, name: nameOf(method, path) }))
  .filter(({ name }) => !PAGES.has(name));

const isOrder = ({ authentication }: Endpoint): boolean => authentication.includes('control');

/** True if the contract lets a role in. Null where the endpoint checks credentials of its own. */
function admits({ authentication, method, path, ownData }: Endpoint, role: Role): boolean | null {
  const takes = (...kinds: Endpoint['authentication'][number][]): boolean =>
    kinds.some((kind) => authentication.includes(kind));
  if (takes('client', 'consent', 'link') || path === MONITORING.metrics.path) return null;
  if (takes('page')) return true;
  if (takes('control') || role === 'nobody') return false;
  if (takes('none')) return true;
  switch (role) {
    case 'an app':
      return takes('app');
    case 'a user':
      return takes('oauth2');
    case 'a member':
      return takes('session') && (method === 'GET' || ownData === true);
    case 'a member who names an account':
      return false;
    case 'an administrator':
      return takes('session');
    case 'an administrator who acts as an account':
      return takes('session', 'oauth2');
  }
}

/** The refusals of the caller, not of what it asks for, in bodies of the platform, its version 1.1 and advertisers. */
const REFUSED = [
  NO_ACCOUNT,
  '/unsupported-authentication',
  'UNAUTHORIZED_CLIENT_APPLICATION',
  '"code":220',
  'Only an administrator',
  'Only the session',
];

async function refuses(answer: Response): Promise<boolean> {
  const { status } = answer;
  if (![403, 404].includes(status)) {
    // A stream would go on.
    await answer.body?.cancel();
    return status === 401;
  }
  const body = await answer.text();
  return REFUSED.some((part) => body.includes(part));
}

describe('a route', () => {
  it('is in the contract', () => {
    const unknown = ROUTES.filter(({ method, path }) => !endpointOf(method, path));
    expect(unknown.map(({ name }) => name)).toEqual([]);
    expect(ROUTES.length).toBeGreaterThan(200);
  });

  it.each(ROLES)('lets %s in where its endpoint says so', async (role) => {
    const wrong: string[] = [];
    let admitted = 0;
    for (const { method, path, name } of ROUTES) {
      const endpoint = endpointOf(method, path);
      const expected = endpoint && admits(endpoint, role);
      if (endpoint === undefined || expected === null) continue;
      const body = method === 'GET' ? {} : { body: '{}' };
      const headers = { ...PAGE, 'content-type': 'application/json', ...sent.get(role) };
      const at = path.replaceAll(/:\w+/g, '1');
      const answer = await service.app.request(at, { method, headers, ...body }, from('10.0.0.2'));
      // To other machines the routes of the command line are not there.
      const isRefused = (await refuses(answer)) || (isOrder(endpoint) && answer.status === 404);
      if (isRefused === expected) wrong.push(`${name}: ${answer.status}, expected ${expected}`);
      if (!isRefused) admitted += 1;
    }
    expect(wrong).toEqual([]);
    expect(admitted > 20).toBe(!['nobody', 'a member who names an account'].includes(role));
  });
});
