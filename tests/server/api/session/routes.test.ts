import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startPlatform } from '#tests/support/service/platform.ts';
import { SESSION_SECONDS } from '#server/auth/sealed-sessions.ts';
import { SIGN_IN_MS } from '#server/auth/sign-ins.ts';
import { DATA_LINK } from '#contract/links/links.ts';
import { MONITORING } from '#contract/control/monitoring.ts';
import { JOB_RESULT } from '#contract/ads/ad-jobs.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { startService } from '#tests/support/service/service.ts';

const platform = await startPlatform();
const { url, token } = platform;
const BEGAN = Date.now();
let now = BEGAN;
afterEach(() => {
  now = BEGAN;
});
const service = startService({
  now: () => now,
  platform: { url, token },
  imports: {},
});
afterAll(async () => {
  await service.close();
  await platform.close();
});

async function ask(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return await service.request('/session', {
    method: 'POST',
    headers: { cookie: '', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}
const signIn = (headers: Record<string, string> = {}): Promise<Response> =>
  ask({ secret: service.signIns.issue() }, headers);
const use = async (cookie: string): Promise<number> =>
  (await service.request('/sources', { headers: { cookie } })).status;
const cookieOf = (answer: Response): string =>
  (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

/** Status and body of an answer, and whether it sets a cookie. */
async function outcome(
  answer: Response,
): Promise<[status: number, signedIn: unknown, set: boolean]> {
  const { signedIn } = await answer.json();
  return [answer.status, signedIn, answer.headers.has('set-cookie')];
}

describe('POST /session', () => {
  it('sets a session cookie that scripts and other sites cannot read', async () => {
    const answer = await signIn({ origin: 'http://localhost', 'sec-fetch-site': 'same-origin' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^groundswell-80=[\w.-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(answer);
    expect(await use(cookie)).toBe(200);
    await service.restart();
    expect(await use(cookie)).toBe(200);
  });

  it('sets no cookie without a secret or a session', async () => {
    const forged = 'groundswell-80=9999999999.AAAAAAAAAAAAAAAAAAAAAA.' + 'A'.repeat(43);
    for (const [body, headers] of [
      [{}, {}],
      [{ secret: 'A'.repeat(43) }, {}],
      [{ secret: '' }, {}],
      [{}, { cookie: forged }],
      [{}, { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }],
      [
        {},
        {
          authorization: `Bearer ${service.auth.issueToken({ access: 'enterprise', limited: false })}`,
        },
      ],
    ] as const) {
      expect(await outcome(await ask(body, headers))).toEqual([200, false, false]);
    }
    for (const init of [{}, { body: 'secret=a' }, { body: '[]' }]) {
      const answer = await service.request('/session', {
        method: 'POST',
        headers: { cookie: '' },
        ...init,
      });
      expect([answer.status, answer.headers.has('set-cookie')]).toEqual([400, false]);
    }
  });

  it('accepts a secret once, and only until it expires', async () => {
    const secret = service.signIns.issue();
    expect(await outcome(await ask({ secret }))).toEqual([200, true, true]);
    expect(await outcome(await ask({ secret }))).toEqual([200, false, false]);
    const late = service.signIns.issue();
    now += SIGN_IN_MS;
    expect(await outcome(await ask({ secret: late }))).toEqual([200, false, false]);
  });

  it('renews the session of a returning browser, so that regular use never ends it', async () => {
    let cookie = cookieOf(await signIn());
    for (let i = 0; i < 4; i++) {
      now += (SESSION_SECONDS - 60) * 1000;
      const answer = await ask({}, { cookie });
      expect(await outcome(answer.clone())).toEqual([200, true, true]);
      cookie = cookieOf(answer);
    }
    now += SESSION_SECONDS * 1000;
    expect(await outcome(await ask({}, { cookie }))).toEqual([200, false, false]);
    expect(await use(cookie)).toBe(401);
  });

  it('keeps a valid session when the secret was used before', async () => {
    const secret = service.signIns.issue();
    const cookie = cookieOf(await ask({ secret }));
    expect(await outcome(await ask({ secret }, { cookie }))).toEqual([200, true, true]);
  });

  it.each([
    { origin: 'http://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'https://localhost' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('refuses %o, and so does a session', async (headers) => {
    const answer = await signIn(headers as Record<string, string>);
    expect(answer.status).toBe(403);
    expect(answer.headers.has('set-cookie')).toBe(false);
    expect((await service.request('/sources', { headers })).status).toBe(403);
  });

  it('does not apply these rules to bearer tokens, which no page sends', async () => {
    const token = service.auth.issueToken({ access: 'enterprise', limited: true });
    const headers = { authorization: `Bearer ${token}`, origin: 'http://evil.example' };
    const answer = await service.request('/sources', { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('every route', () => {
  const routes = service.app.routes.filter(({ method }) => method !== 'ALL');
  const isOpen = (path: string): boolean =>
    path.startsWith('/view/') ||
    [
      '/*',
      '/session',
      '/media/:file',
      DATA_LINK.path,
      JOB_RESULT.path,
      ...Object.values(MONITORING).map(({ path }) => path),
    ].includes(path);

  // Orders of the command line need a secret of their own.
  const refusal = (path: string, status: number) => (path.startsWith('/control/') ? 401 : status);

  async function refuses(
    of: readonly (typeof routes)[number][],
    callers: readonly Record<string, string>[],
    status: number,
  ): Promise<void> {
    expect(of.length).toBeGreaterThan(25);
    for (const { method, path } of of) {
      // So slowly that forged tokens are not refused as too many.
      now += 60_000;
      for (const headers of callers) {
        const answer = await service.request(path.replaceAll(/:\w+/g, '1'), {
          method,
          headers,
          ...(method !== 'GET' && { body: '{}' }),
        });
        expect([method, path, answer.status]).toEqual([method, path, refusal(path, status)]);
      }
    }
  }

  it('except the page, media, links, signing in and the description refuses missing and forged credentials', async () => {
    const unchecked = OPERATIONS.filter(({ authentication }) =>
      authentication.some((each) => each === 'none' || each === 'client' || each === 'consent'),
    ).flatMap(({ path, aliases = [] }) => [path, ...aliases]);
    await refuses(
      routes.filter(({ path }) => !isOpen(path) && !unchecked.includes(path)),
      [
        { cookie: '' },
        { cookie: `groundswell-80=9999999999.AAAAAAAAAAAAAAAAAAAAAA.${'A'.repeat(43)}` },
        { cookie: '', authorization: `Bearer ${'A'.repeat(64)}` },
      ],
      401,
    );
  });

  it('that is not for programs refuses their tokens, and the session in pages of other origins', async () => {
    const programs = OPERATIONS.flatMap(({ path, aliases = [] }) => [path, ...aliases]);
    const others = [
      '/sources',
      '/changes',
      '/breakdown',
      '/causes',
      '/related',
      '/rising',
      '/similar',
    ];
    const forPrograms = new Set([...programs, ...others]);
    const bearer = (token: string) => ({ cookie: '', authorization: `Bearer ${token}` });
    await refuses(
      routes.filter(
        ({ path }) => !isOpen(path) && !forPrograms.has(path.replace(/^\/(?:sample|platform)/, '')),
      ),
      [
        bearer(service.auth.issueToken({ access: 'enterprise', limited: false })),
        bearer(service.auth.issueUserToken({ name: 'alice', limited: false }).token),
        { origin: 'http://evil.example' },
      ],
      403,
    );
  });
});

describe('a session whose cookie a browser attaches', () => {
  const READ = [
    '/2/tweets/counts/recent?query=tea',
    '/2/tweets/counts/all?query=tea',
    '/2/tweets/search/all?query=tea',
    '/sample/2/tweets/counts/all?query=tea',
    '/sample/2/tweets/search/recent?query=tea',
    '/sample/changes?since=0',
    '/changes?since=0',
    '/sources',
    '/platform/2/tweets/counts/all?query=tea',
    '/platform/2/tweets/counts/recent?query=tea',
    '/platform/2/tweets/search/all?query=tea',
    '/platform/2/tweets/search/recent?query=tea',
    '/platform/settings',
    '/platform/spending',
    '/platform/held?query=tea&granularity=hour',
  ].map((path) => ['GET', path] as const);
  const WRITE = [
    ['PUT', '/platform/settings'],
    ['POST', '/import?name=posts.csv'],
    ['POST', '/import/stop'],
    ['POST', '/accounts'],
    ['POST', '/apps'],
    ['POST', '/apps/tokens'],
    ['POST', '/2/tweets'],
    ['DELETE', '/2/posts/1'],
  ] as const;
  const opened = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const own = { 'sec-fetch-site': 'same-origin' };
  const script = { ...own, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
  const OTHER_THAN_SCRIPTS: [string, Record<string, string>][] = [
    ['an address opened from a mail or chat', { ...opened, 'sec-fetch-site': 'none' }],
    ['a link on a page of this service', { ...opened, ...own }],
    ['a navigation with only its mode', { 'sec-fetch-mode': 'navigate' }],
    ['a frame', { ...own, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['an embedded object', { ...own, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'embed' }],
    ['an image', { ...own, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['an image with CORS', { ...own, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'image' }],
    ['a script element', { ...own, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
    ['a beacon', { ...own, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }],
    ['a prefetch', { ...script, 'sec-purpose': 'prefetch' }],
    ['a prerendering', { ...script, 'sec-purpose': 'prefetch;prerender' }],
    ['a prefetch of an older browser', { 'x-moz': 'prefetch' }],
    ['a prefetch of an older browser', { purpose: 'prefetch' }],
    ['a navigation of an older browser', { 'upgrade-insecure-requests': '1' }],
    ['a navigation of an older browser', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
  ];

  it.each(OTHER_THAN_SCRIPTS)('serves nothing to %s: %j', async (_, headers) => {
    for (const [method, path] of [...READ, ...WRITE]) {
      const answer = await service.request(path, {
        method,
        headers: { 'x-ask': 'ask-0001', ...headers },
      });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expect((await answer.json()).detail).toContain('cannot be opened as a page');
    }
    expect(platform.sent).toEqual([]);
  });

  it.each([
    ['a script', script],
    ['a script in mode same-origin', { ...script, 'sec-fetch-mode': 'same-origin' }],
    ['a client without those headers', {}],
  ])('serves %s', async (_, headers) => {
    for (const [, path] of READ.filter(([, path]) => !path.startsWith('/platform/2/'))) {
      const served = path.includes('/changes') ? 410 : 200;
      expect([path, (await service.request(path, { headers })).status]).toEqual([path, served]);
    }
  });

  it('does not limit bearer tokens, which browsers never attach', async () => {
    const bearer = service.auth.issueToken({ access: 'enterprise', limited: true });
    const headers = { ...opened, authorization: `Bearer ${bearer}`, cookie: '' };
    expect((await service.request('/sources', { headers })).status).toBe(200);
  });

  it('lets the page itself be opened', async () => {
    const headers = { ...opened, 'sec-fetch-site': 'none', accept: 'text/html' };
    expect((await service.request('/', { headers })).status).toBe(503);
    expect((await service.request('/board/x', { headers })).status).toBe(503);
  });
});
