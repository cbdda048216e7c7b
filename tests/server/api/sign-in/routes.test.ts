import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LOGIN_HEADER } from '#contract/accounts/login-names.ts';
import { hashOf } from '#server/auth/hash.ts';
import { openService } from '#server/auth/store.ts';
import { SESSION_MS } from '#server/auth/login-table.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { readBlock } from '#server/http/forwarded.ts';
import { addApp, consentPath } from '#tests/support/service/signing-in.ts';
import { startPlatform } from '#tests/support/service/platform.ts';
import { CHEAP, startService } from '#tests/support/service/service.ts';
import { randomBytes } from 'node:crypto';
import { runs } from '#tests/support/run/runs.ts';

const PROXY = '10.0.0.2';
const NAME = 'dash.example.org';
const ORIGIN = `https://${NAME}`;
const CLIENT = '203.0.113.9';
const PASSWORD = 'correct horse battery';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-sign-in-'));
const assets = join(folder, 'app');
mkdirSync(join(assets, 'assets'), { recursive: true });
for (const [file, content] of [
  ['index.html', '<!doctype html><title>The dashboard</title>'],
  ['sw.js', 'export {};'],
  ['icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['manifest.webmanifest', '{}'],
  ['assets/page-CRsm_45.js', 'export {};'],
] as const) {
  writeFileSync(join(assets, file), content);
}

const platform = await startPlatform();
const { url, token } = platform;
const BEGAN = Date.parse('2026-11-21T10:30:20Z');
let now = BEGAN;
const service = startService({
  now: () => now,
  assets,
  platform: { url, token },
  imports: {},
  network: { kind: 'network', names: [NAME, '[2001:db8::5]'], proxies: [readBlock('10.0.0.0/8')] },
});
beforeAll(async () => {
  const password = await openPasswords((n) => randomBytes(n), CHEAP).hash(PASSWORD);
  for (const [name, role] of [
    ['anna', 'administrator'],
    ['bob', 'member'],
    ['eve', 'member'],
  ] as const) {
    service.logins.order({ action: 'add', name, role, password, budget: null });
  }
});
afterEach(() => {
  // Failed attempts of one test are no concern of the next.
  now += 3_600_000;
});
afterAll(async () => {
  await service.close();
  await platform.close();
  rmSync(folder, { recursive: true });
});

type Headers = Readonly<Record<string, string>>;
interface Sent extends Omit<RequestInit, 'headers'> {
  readonly headers?: Headers;
  /** Address that the request comes from; by default the proxy's. */
  readonly remote?: string;
}

const FORWARDED = {
  host: '10.0.0.5:4319',
  'x-forwarded-for': CLIENT,
  'x-forwarded-proto': 'https',
  'x-forwarded-host': NAME,
};
/** The headers that browsers send when someone opens an address. */
const OPENED = {
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  accept: 'text/html',
};

async function send(path: string, { remote = PROXY, headers = {}, ...init }: Sent = {}) {
  return await service.app.request(
    path,
    { ...init, headers: { ...FORWARDED, ...headers } },
    { incoming: { socket: { remoteAddress: remote, remotePort: 1, remoteFamily: 'IPv4' } } },
  );
}

const form = (fields: Record<string, string>, headers: Headers = {}): Sent => ({
  method: 'POST',
  body: new URLSearchParams(fields).toString(),
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    origin: ORIGIN,
    'sec-fetch-site': 'same-origin',
    ...headers,
  },
});
const signIn = (
  name: string,
  over: Record<string, string> = {},
  headers: Headers = {},
  path = '/',
) => send(path, form({ do: 'in', name, password: PASSWORD, ...over }, headers));

/** The cookies that an answer sets, by name. */
function cookiesOf(answer: Response): Map<string, string> {
  return new Map(
    answer.headers.getSetCookie().map((line) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      return [name, value];
    }),
  );
}
const SESSION_COOKIE = '__Host-groundswell-443';
async function sessionOf(name: string): Promise<Headers> {
  const value = cookiesOf(await signIn(name)).get(SESSION_COOKIE) ?? '';
  return { cookie: `${SESSION_COOKIE}=${value}` };
}
const SCRIPT = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
};
const use = async (headers: Headers, path = '/sources'): Promise<number> =>
  (await send(path, { headers: { ...SCRIPT, ...headers } })).status;

describe('a browser of another machine', () => {
  it('gets no route without a session or a token, and no file but the icon', async () => {
    // These check an app's own credentials, or lead to signing in.
    const own = new Set(['/session', '/sign-in']);
    const clients = [/^\/2?\/?oauth2?\//, /^\/i\/oauth2?\//];
    const forged = [
      {},
      { cookie: `${SESSION_COOKIE}=${'A'.repeat(43)}` },
      { cookie: `groundswell-443=${service.auth.openSession()}` },
      { cookie: `${SESSION_COOKIE}=${service.auth.openSession()}` },
      { authorization: `Bearer ${'A'.repeat(64)}` },
    ];
    const routes = service.app.routes.filter(({ method }) => method !== 'ALL');
    expect(routes.length).toBeGreaterThan(200);
    for (const { method, path: pattern } of routes) {
      const path = pattern.replaceAll(/:\w+/g, '1').replace('*', 'index.html');
      if (own.has(path) || clients.some((form) => form.test(path))) continue;
      for (const headers of forged) {
        now += 60_000;
        const answer = await send(path, {
          method,
          headers,
          ...(method !== 'GET' && { body: '{}' }),
        });
        // The secret of a link is in its address.
        const isLink = /^\/(?:control|data|view)\//.test(path);
        // A mistake in the request comes first.
        const wrong = ['/view/:secret/open', '/view/:secret/counts', '/view/:secret/ranked'];
        const own =
          method === 'POST' && pattern === '/*' ? 405 : wrong.includes(pattern) ? 400 : null;
        const refused = own ?? (isLink ? 404 : 401);
        expect([method, path, answer.status]).toEqual([method, path, refused]);
        expect(await answer.text()).not.toContain('dashboard</title>');
      }
    }
    for (const path of [
      '/',
      '/index.html',
      '/sw.js',
      '/assets/page-CRsm_45.js',
      '/openapi.json',
      '/media/x.png',
    ]) {
      expect([path, (await send(path)).status]).toEqual([path, 401]);
      expect([path, (await send(path, { method: 'HEAD' })).status]).toEqual([path, 401]);
    }
    for (const path of ['/icon.svg', '/manifest.webmanifest']) {
      expect([path, (await send(path)).status]).toEqual([path, 200]);
    }
  });

  it('gets nothing about apps before someone signs in', async () => {
    const app = addApp(service, 'Reader', { callbacks: ['https://app.example/back'] });
    for (const path of [consentPath(app), consentPath({ ...app, client_id: 'none' })]) {
      const answer = await send(path, { headers: OPENED });
      expect(answer.status).toBe(401);
      expect(await answer.text()).toContain('This browser is not signed in');
    }
    const decided = await send(
      consentPath(app),
      form({ decision: 'allow', account: '1', proof: 'x' }),
    );
    expect(decided.status).toBe(401);
    expect(await use(await sessionOf('anna'), '/sources')).toBe(200);
    const seen = async (name: string): Promise<number> =>
      (await send(consentPath(app), { headers: { ...OPENED, ...(await sessionOf(name)) } })).status;
    expect([await seen('anna'), await seen('bob')]).toEqual([200, 401]);
    // The cookie comes along with an address that another site opened.
    const opened = { ...OPENED, ...(await sessionOf('anna')), 'sec-fetch-site': 'cross-site' };
    expect(await (await send(consentPath(app), { headers: opened })).text()).toContain('Continue');
  });

  it('gets the form at every address of a page, and the dashboard once signed in', async () => {
    for (const path of ['/', '/board/one', '/sign-in']) {
      const answer = await send(path, { headers: OPENED });
      const page = await answer.text();
      expect(page).toMatch(/<form method="post">[^]*autocomplete="username"[^]*"current-password"/);
      expect(answer.headers.get('cache-control')).toContain('no-store');
    }
    const session = await sessionOf('anna');
    const dashboard = await send('/', { headers: { ...OPENED, ...session } });
    expect(await dashboard.text()).toContain('The dashboard');
    const script = { ...session, 'sec-fetch-dest': 'script', 'sec-fetch-site': 'same-origin' };
    expect((await send('/assets/page-CRsm_45.js', { headers: script })).status).toBe(200);
  });

  it('gets every file with a token, too', async () => {
    const bearer = service.auth.issueToken({ access: 'enterprise', limited: true });
    const headers = { authorization: `Bearer ${bearer}` };
    expect((await send('/media/none.png', { headers })).status).toBe(404);
    expect((await send('/2/tweets/counts/recent?query=tea', { headers })).status).toBe(200);
  });
});

describe('a request', () => {
  it.each<[string, Sent, number, string]>([
    ['that bypasses the proxy', { remote: '203.0.113.9' }, 403, 'only through its reverse proxy'],
    ['from this machine', { remote: '127.0.0.1' }, 403, 'only through its reverse proxy'],
    ['without HTTPS', { headers: { 'x-forwarded-proto': 'http' } }, 403, 'reports [http]'],
    ['of an unknown scheme', { headers: { 'x-forwarded-proto': '' } }, 403, 'reports []'],
    ['for another host', { headers: { 'x-forwarded-host': 'evil.example' } }, 403, 'not known by'],
    [
      'for a part of the name',
      { headers: { 'x-forwarded-host': 'example.org' } },
      403,
      'not known by',
    ],
    [
      'for more than the name',
      { headers: { 'x-forwarded-host': `${NAME}.evil.example` } },
      403,
      'not known',
    ],
    [
      'for a name with a user',
      { headers: { 'x-forwarded-host': `${NAME}@evil.example` } },
      403,
      'not known',
    ],
    ['for this machine', { headers: { 'x-forwarded-host': '127.0.0.1' } }, 403, 'not known by'],
    [
      'with both kinds of headers',
      { headers: { forwarded: 'for=1.2.3.4' } },
      400,
      'both Forwarded',
    ],
    ['with a wrong address', { headers: { 'x-forwarded-for': 'x' } }, 400, 'X-Forwarded-For'],
  ])('%s is refused', async (_, sent, status, detail) => {
    const answer = await send('/sources', sent);
    expect([answer.status, (await answer.json()).detail]).toEqual([
      status,
      expect.stringContaining(detail),
    ]);
  });

  it('without a scheme says what the proxy must send', async () => {
    const { 'x-forwarded-proto': _, ...rest } = FORWARDED;
    const answer = await service.app.request(
      '/',
      { headers: rest },
      { incoming: { socket: { remoteAddress: PROXY } } },
    );
    expect([answer.status, (await answer.json()).detail]).toEqual([
      403,
      expect.stringContaining('X-Forwarded-Proto: https'),
    ]);
  });

  it.each([
    ['the host header', { host: NAME, 'x-forwarded-host': NAME.toUpperCase() }, ORIGIN],
    ['a port', { 'x-forwarded-host': `${NAME}:8443` }, `${ORIGIN}:8443`],
    ['the usual port', { 'x-forwarded-host': `${NAME}:443` }, ORIGIN],
    ['an IP address', { 'x-forwarded-host': '[2001:DB8:0::5]:8443' }, 'https://[2001:db8::5]:8443'],
  ])('for %s is known by its origin', async (_, headers, origin) => {
    const answer = await signIn('anna', {}, { ...headers, origin });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${origin}/`]);
  });

  it('law: whatever the headers are, no client gets past without a session', async () => {
    const value = fc.oneof(
      fc.constantFrom(
        'https',
        'http',
        NAME,
        CLIENT,
        '127.0.0.1',
        '10.0.0.9',
        'null',
        ORIGIN,
        'for=10.0.0.9;proto=https;host=dash.example.org',
      ),
      fc.stringMatching(/^[\x21-\x7e]{0,40}$/),
    );
    const names = [
      'host',
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-forwarded-port',
      'x-real-ip',
      'origin',
      'cookie',
      'authorization',
      'x-groundswell-login',
      'x-groundswell-account',
      'x-original-url',
      'x-http-method-override',
      'sec-fetch-site',
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom(...names), value),
        fc.constantFrom(PROXY, CLIENT, '127.0.0.1', '::1'),
        fc.constantFrom(
          '/sources',
          '/2/tweets?ids=1',
          '/index.html',
          '/control/link',
          '/platform/settings',
        ),
        async (headers, remote, path) => {
          now += 60_000;
          const { status } = await send(path, { headers, remote });
          expect([400, 401, 403, 404, 429]).toContain(status);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

describe('signing in', () => {
  it('sets cookies that scripts, other hosts and plain HTTP cannot use', async () => {
    const answer = await signIn('anna', {}, {}, '/board/one?x=1');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${ORIGIN}/board/one?x=1`,
    ]);
    const [session, login] = answer.headers.getSetCookie();
    expect(session).toMatch(
      /^__Host-groundswell-443=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(login).toMatch(
      /^__Host-groundswell-login-443=[\da-f]{12}; Max-Age=31536000; Path=\/; Secure; SameSite=Lax$/,
    );
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  it('leads to no other host', async () => {
    const answer = await signIn('anna', {}, {}, '//evil.example/x');
    expect(answer.headers.get('location')).toBe(`${ORIGIN}//evil.example/x`);
  });

  it('gives a new session, and ends the one that the browser had', async () => {
    const fixed = await sessionOf('eve');
    const answer = await signIn('anna', {}, fixed);
    const after = { cookie: `${SESSION_COOKIE}=${cookiesOf(answer).get(SESSION_COOKIE)}` };
    expect(after).not.toEqual(fixed);
    expect([await use(fixed), await use(after)]).toEqual([401, 200]);
  });

  it('does not take over an id that the browser was given', async () => {
    const given = { cookie: `${SESSION_COOKIE}=${'F'.repeat(43)}` };
    const answer = await signIn('anna', {}, given);
    expect(cookiesOf(answer).get(SESSION_COOKIE)).not.toBe('F'.repeat(43));
    expect(await use(given)).toBe(401);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://${NAME}` },
    { origin: `${ORIGIN}:8443` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('is not done by a form of another page: %o', async (headers) => {
    const session = await sessionOf('anna');
    for (const fields of [
      { do: 'in', name: 'anna', password: PASSWORD },
      { do: 'out-everywhere' },
    ]) {
      const answer = await send('/sign-in', form(fields, { ...session, ...(headers as Headers) }));
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    }
    expect(await use(session)).toBe(200);
  });

  it('can be done in no frame, and the page has no script', async () => {
    for (const path of ['/', '/sign-in']) {
      for (const headers of [OPENED, { ...OPENED, ...(await sessionOf('anna')) }]) {
        const answer = await send(path, { headers });
        const policy = answer.headers.get('content-security-policy') ?? '';
        expect(policy).toContain("frame-ancestors 'none'");
        expect(answer.headers.get('x-frame-options')).toBe('DENY');
        if (policy.includes('script-src')) expect(policy).toContain("script-src 'self';");
        else expect(policy).toContain("default-src 'none'");
      }
    }
  });

  it('says what is wrong, but not whether the name exists, and repeats no password', async () => {
    const answers = [
      await signIn('anna', { password: 'no' }),
      await signIn('nobody', { password: 'no<b>' }),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
      const page = await answer.text();
      expect(page).toContain('role="alert">The name or the password is wrong.');
      expect(page).not.toContain('no<b>');
    }
    const odd = await signIn('"><script>', { password: 'no' });
    expect(await odd.text()).toContain('value="&quot;&gt;&lt;script&gt;"');
  });

  it('is throttled, and says for how long', async () => {
    for (let i = 0; i < 10; i++) await signIn('eve', { password: `guess ${i}` });
    const [minutes, seconds] = [await signIn('eve'), ((now += 860_000), await signIn('eve'))];
    expect([minutes.status, minutes.headers.get('retry-after')]).toEqual([429, '900']);
    expect(await minutes.text()).toContain('Try again in 15 minutes.');
    expect([seconds.status, seconds.headers.get('retry-after')]).toEqual([429, '40']);
    expect(await seconds.text()).toContain('Try again in 40 seconds.');
    now += 40_000;
    expect((await signIn('eve')).status).toBe(303);
  });

  it('counts attempts by the address that the proxy reports, which clients cannot change', async () => {
    const attempt = (i: number) =>
      signIn(`name ${i}`, {}, { 'x-forwarded-for': `10.9.9.${i}, 198.51.100.7` });
    for (let i = 0; i < 100; i++) expect((await attempt(i)).status).toBe(401);
    expect((await attempt(100)).status).toBe(429);
    expect((await signIn('anna', {}, { 'x-forwarded-for': '198.51.100.8' })).status).toBe(303);
  });

  it('limits wrong tokens and secrets of programs by caller, and never the right ones', async () => {
    const app = addApp(service, 'Limited');
    const from = (address: string, authorization: string): Headers => ({
      authorization,
      'x-forwarded-for': address,
    });
    const [here, there] = ['198.51.100.20', '198.51.100.21'];
    const read = async (address: string, token: string) =>
      (
        await send('/2/tweets/counts/recent?query=tea', {
          headers: from(address, `Bearer ${token}`),
        })
      ).status;
    const basic = (secret: string): string =>
      `Basic ${Buffer.from(`${app.api_key}:${secret}`).toString('base64')}`;
    const exchange = async (address: string, secret: string) =>
      (
        await send(
          '/oauth2/token',
          form({ grant_type: 'client_credentials' }, from(address, basic(secret))),
        )
      ).status;
    for (let i = 0; i < 100; i++) await read(here, `wrong${i}`);
    for (let i = 0; i < 20; i++) await exchange(here, 'wrong');
    expect([await read(here, 'wrong'), await exchange(here, 'wrong')]).toEqual([429, 429]);
    expect([await read(there, 'wrong'), await exchange(there, 'wrong')]).toEqual([401, 403]);
    for (const address of [here, there]) {
      expect(await read(address, app.bearer_token ?? '')).toBe(200);
      expect(await exchange(address, app.api_key_secret)).toBe(200);
    }
  });

  it('counts no expired token as wrong: a client renews it after 401 only', async () => {
    const app = addApp(service, 'Renewing');
    const store = openService(join(service.folder, 'service.sqlite'), { random: randomBytes });
    const id = store.apps.byName(app.name)?.id ?? '';
    const token = { hash: hashOf('expired'), kind: 'bearer', app: id, grant: null } as const;
    const ended = { createdAt: now - 2000, expiresAt: now - 1000, family: null };
    store.tokens.add({ ...token, ...ended, access: null, limited: null });
    store.close();
    const read = async (shown: string) => {
      const authorization = `Bearer ${shown}`;
      const headers = { authorization, 'x-forwarded-for': '198.51.100.22' };
      return (await send('/2/tweets/counts/recent?query=tea', { headers })).status;
    };
    for (let i = 0; i < 110; i++) expect(await read('expired')).toBe(401);
    expect(await read('unknown')).toBe(401);
  });

  it.each([
    '',
    'do=in',
    'do=in&name=anna',
    'do=fly',
    `do=in&name=anna&password=${'x'.repeat(2000)}`,
  ])('refuses the form %s', async (body) => {
    const { headers } = form({});
    const answer = await send('/sign-in', { method: 'POST', body, headers: headers ?? {} });
    expect(answer.status).toBe(400);
  });

  it('is not done by JSON, by a secret of this machine, or by a session of this machine', async () => {
    const secret = service.signIns.issue();
    for (const body of [{ secret }, { name: 'anna', password: PASSWORD }, {}]) {
      const answer = await send('/session', {
        method: 'POST',
        headers: { ...SCRIPT, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
      if (answer.status === 200) expect(await answer.json()).toEqual({ signedIn: false });
    }
  });
});

describe('a session', () => {
  it('is used only by scripts of this origin, as on this machine', async () => {
    const session = await sessionOf('anna');
    expect(await use(session)).toBe(200);
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-dest': 'iframe' },
    ]) {
      expect(await use({ ...session, ...(headers as Headers) })).toBe(403);
    }
  });

  it('is not for a page that was opened as another login', async () => {
    const session = await sessionOf('anna');
    const [anna, bob] = service.logins.order({ action: 'list' });
    expect(await use({ ...session, [LOGIN_HEADER]: anna?.id ?? '' })).toBe(200);
    expect(await use({ ...session, [LOGIN_HEADER]: bob?.id ?? '' })).toBe(401);
    const ask = async (id: string) => {
      const answer = await send('/session', {
        method: 'POST',
        body: '{}',
        headers: { ...SCRIPT, ...session, 'content-type': 'application/json', [LOGIN_HEADER]: id },
      });
      return await answer.json();
    };
    expect(await ask(anna?.id ?? '')).toEqual({ signedIn: true });
    expect(await ask(bob?.id ?? '')).toEqual({ signedIn: false });
  });

  it('ends after a month', async () => {
    const session = await sessionOf('anna');
    now += SESSION_MS;
    expect(await use(session)).toBe(401);
    expect((await send('/', { headers: { ...OPENED, ...session } })).status).toBe(401);
  });

  it('of a member reads, and changes nothing that all share', async () => {
    const [member, administrator] = [await sessionOf('bob'), await sessionOf('anna')];
    for (const path of [
      '/sources',
      '/platform/settings',
      '/platform/spending',
      '/streams',
      '/usage',
    ]) {
      expect([path, await use(member, path)]).toEqual([path, 200]);
    }
    const order = (headers: Headers) =>
      send('/accounts', {
        method: 'POST',
        headers: { ...SCRIPT, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ action: 'list' }),
      });
    expect([(await order(member)).status, (await order(administrator)).status]).toEqual([403, 200]);
  });
});

describe('the page of a sign-in', () => {
  const act = (session: Headers, fields: Record<string, string>) =>
    send('/sign-in', form(fields, session));

  it('shows where the login is signed in, and signs out one browser, this one, or all', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0';
    const headers = { 'user-agent': agent, 'x-forwarded-for': '198.51.100.20' };
    const other = {
      cookie: `${SESSION_COOKIE}=${cookiesOf(await signIn('eve', {}, headers)).get(SESSION_COOKIE)}`,
    };
    const own = await sessionOf('eve');
    const page = await (await send('/sign-in', { headers: { ...OPENED, ...own } })).text();
    expect(page).toContain('<strong>eve</strong>');
    expect(page).toContain('Firefox on Linux');
    expect(page).toContain('198.51.100.20');
    const [, hash = ''] = /name="session" value="([^"]+)"/.exec(page) ?? [];
    await act(await sessionOf('bob'), { do: 'end', session: hash });
    expect(await use(other)).toBe(200);
    expect((await act(own, { do: 'end', session: hash })).status).toBe(303);
    expect([await use(other), await use(own)]).toEqual([401, 200]);
    const out = await act(own, { do: 'out' });
    expect([...cookiesOf(out).values()]).toEqual(['', '']);
    expect(await use(own)).toBe(401);
    const all = [await sessionOf('eve'), await sessionOf('eve')];
    await act(all[0] ?? {}, { do: 'out-everywhere' });
    expect(await Promise.all(all.map((each) => use(each)))).toEqual([401, 401]);
    expect((await act(own, { do: 'out' })).status).toBe(401);
  });

  it('changes the password, and signs all other browsers out', async () => {
    const [own, other] = [await sessionOf('bob'), await sessionOf('bob')];
    const change = (password: string, next: string) => act(own, { do: 'password', password, next });
    const short = await change(PASSWORD, 'short');
    expect([short.status, await short.text()]).toEqual([
      400,
      expect.stringContaining('at least 12'),
    ]);
    const wrong = await change('no', 'a quite different one');
    expect([wrong.status, await wrong.text()]).toEqual([
      400,
      expect.stringContaining('another one'),
    ]);
    const done = await change(PASSWORD, 'a quite different one');
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('is changed')]);
    const after = { cookie: `${SESSION_COOKIE}=${cookiesOf(done).get(SESSION_COOKIE)}` };
    expect([await use(own), await use(other), await use(after)]).toEqual([401, 401, 200]);
    expect((await signIn('bob')).status).toBe(401);
    expect((await signIn('bob', { password: 'a quite different one' })).status).toBe(303);
  });
});

it('on this machine there is no such page', async () => {
  const local = startService({ assets });
  const page = await local.request('/sign-in', { headers: { ...OPENED, cookie: '' } });
  expect(await page.text()).toContain('The dashboard');
  const posted = await local.request('/sign-in', { method: 'POST', body: 'do=in' });
  expect(posted.status).toBe(405);
  await local.close();
});
