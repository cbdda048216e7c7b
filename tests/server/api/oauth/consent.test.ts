import { afterAll, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service/service.ts';
import {
  addAccount,
  addApp,
  consentPath,
  decide,
  form,
  sentTo,
} from '#tests/support/service/signing-in.ts';

const CALLBACK = 'http://127.0.0.1:9/back';

let now = 1_790_000_000_000;
let alice: string;
const service = startService({ now: () => now });
afterAll(() => service.close());
const app = addApp(service, 'Tea & <b>Co</b>', { callbacks: [CALLBACK, 'tea.app:/back'] });

const open = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await service.request(path, { headers });
  return { answer, text: await answer.text() };
};
const location = (answer: Response): string => answer.headers.get('location') ?? '';

describe('the page of consent', () => {
  it('says how to add an account where there is none, and can only be refused', async () => {
    const { answer, text } = await open(consentPath(app));
    expect(answer.status).toBe(200);
    expect(text).toContain('groundswell user add USERNAME');
    expect(text).toContain('value="refuse"');
    expect(text).not.toContain('value="allow"');
  });

  it('names the app and its powers in plain words, escaped', async () => {
    alice = addAccount(service, 'alice').id;
    addAccount(service, 'bob');
    const { text } = await open(consentPath(app));
    expect(text).toContain('Tea &amp; &lt;b&gt;Co&lt;/b&gt; will be able to:');
    expect(text).toContain('Stay signed in until you or the app ends it');
    expect(text).toContain('@alice');
    expect(text).toContain('@bob');
    expect(text).not.toContain('<b>');
    const odd = consentPath(app, { state: `"><script>alert(1)</script>` });
    expect((await open(odd)).text).not.toContain('<script');
  });

  it('has no script, cannot be framed or cached, and sends its form only here', async () => {
    const { answer, text } = await open(consentPath(app));
    const header = (name: string): string => answer.headers.get(name) ?? '';
    const policy = header('content-security-policy').split('; ');
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).toContain(`form-action 'self' http: https:`);
    expect(policy.some((rule) => rule.startsWith('script-src'))).toBe(false);
    // Else a browser asks for /favicon.ico, which is not there.
    expect(text).toContain('<link rel="icon" href="/icon.svg"');
    expect(header('x-frame-options')).toBe('DENY');
    expect(header('referrer-policy')).toBe('same-origin');
    expect(header('cache-control')).toContain('no-store');
    expect(text).not.toContain('<script');
    const other = await open(consentPath(app, { redirect_uri: 'tea.app:/back' }));
    expect(other.answer.headers.get('content-security-policy')).toContain(
      `form-action 'self' tea.app:;`,
    );
  });

  it.each<[string, Record<string, string | null>, string]>([
    ['an unknown app', { client_id: 'x' }, 'No app of this service has the client_id'],
    ['no app', { client_id: null }, 'No app of this service has the client_id'],
    ['another callback', { redirect_uri: `${CALLBACK}/` }, 'is not exactly a callback of Tea'],
    ['no callback', { redirect_uri: null }, 'is not exactly a callback'],
  ])('is an error and never a redirect with %s', async (_, over, message) => {
    const { answer, text } = await open(consentPath(app, over));
    expect(answer.status).toBe(400);
    expect(location(answer)).toBe('');
    expect(text).toContain(message);
  });

  it('is an error if a parameter is repeated', async () => {
    const { answer } = await open(`${consentPath(app)}&state=other`);
    expect(answer.status).toBe(400);
  });

  it.each<[Record<string, string | null>, string, string]>([
    [{ response_type: 'token' }, 'unsupported_response_type', 'response_type must be code'],
    [{ scope: null }, 'invalid_scope', 'Missing required parameter [scope].'],
    [{ scope: 'tweet.reed' }, 'invalid_scope', 'scope [tweet.reed] names a scope that does not'],
    [{ state: null }, 'invalid_request', 'Missing required parameter [state].'],
    [{ state: 'x'.repeat(501) }, 'invalid_request', 'state may have at most 500 characters'],
    [{ code_challenge: null }, 'invalid_request', 'Missing required parameter [code_challenge].'],
    [{ code_challenge: 'x' }, 'invalid_request', 'code_challenge must have 43 to 128'],
    [{ code_challenge_method: 'S512' }, 'invalid_request', 'code_challenge_method must be S256'],
  ])('sends the error of another parameter to the callback: %o', async (over, error, message) => {
    const { answer } = await open(consentPath(app, over));
    expect(answer.status).toBe(303);
    expect(location(answer).startsWith(`${CALLBACK}?`)).toBe(true);
    const sent = sentTo(answer);
    expect(sent.get('error')).toBe(error);
    expect(sent.get('error_description')).toContain(message);
    expect(sent.get('code')).toBeNull();
  });

  it('accepts a state of 500 characters, and is also at /2/oauth2/authorize', async () => {
    const path = consentPath(app, { state: 'ü'.repeat(500) }).replace('/i/', '/2/');
    expect(sentTo(await decide(service, path, alice)).get('state')).toBe('ü'.repeat(500));
  });
});

describe('a decision', () => {
  it('to refuse sends the error and the state', async () => {
    const answer = await decide(service, consentPath(app), alice, 'refuse');
    expect(location(answer)).toBe(`${CALLBACK}?error=access_denied&state=the+state`);
  });

  it('to allow needs an account of this service', async () => {
    for (const account of ['', '99']) {
      const answer = await decide(service, consentPath(app), account);
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('Choose an account first.');
    }
  });

  const proofOf = async (path: string, cookie: string): Promise<string> =>
    /name="proof" value="([^"]+)"/.exec((await open(path, { cookie })).text)?.[1] ?? '';
  const post = (path: string, proof: string, headers: Record<string, string>) =>
    service.request(path, {
      ...form({ proof, account: alice, decision: 'allow' }),
      headers,
    });

  it('counts only with the proof of the same session and request, within an hour', async () => {
    const path = consentPath(app);
    const cookie = service.cookie;
    const proof = await proofOf(path, cookie);
    const other = consentPath(app, { scope: 'dm.read' });
    const refused: readonly (readonly [string, string, string])[] = [
      [path, '', cookie],
      [path, 'x.y', cookie],
      [path, proof.replace(/^\d/, '9'), cookie],
      [path, proof, service.cookie],
      [other, proof, cookie],
    ];
    for (const [to, shown, who] of refused) {
      const answer = await post(to, shown, { cookie: who });
      expect([answer.status, location(answer)]).toEqual([403, '']);
      expect(await answer.text()).toContain('This page was out of date.');
    }
    now += 3_599_999;
    expect((await post(path, proof, { cookie })).status).toBe(303);
    now += 1;
    expect((await post(path, proof, { cookie })).status).toBe(403);
  });

  it.each([
    { origin: 'http://127.0.0.1:9' },
    { origin: 'null' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ])('is refused from another origin: %o', async (headers) => {
    const path = consentPath(app);
    const cookie = service.cookie;
    const proof = await proofOf(path, cookie);
    expect((await post(path, proof, { cookie, ...headers })).status).toBe(403);
    const own = { cookie, origin: 'http://localhost', 'sec-fetch-site': 'same-origin' };
    expect((await post(path, proof, own)).status).toBe(303);
  });
});

describe('a browser', () => {
  it('without a session is asked to sign in, and cannot decide', async () => {
    const path = consentPath(app);
    const { answer, text } = await open(path, { cookie: '' });
    expect(answer.status).toBe(401);
    expect(text).toContain('groundswell link');
    expect(text).not.toContain('name="proof"');
    const posted = await service.request(path, {
      ...form({ proof: 'x', account: alice, decision: 'allow' }),
      headers: { cookie: '' },
    });
    expect(posted.status).toBe(401);
  });

  it('that another site sent, without its cookie, is offered to continue', async () => {
    const { answer, text } = await open(consentPath(app), {
      cookie: '',
      'sec-fetch-site': 'cross-site',
    });
    expect(answer.status).toBe(200);
    expect(text).toMatch(/href="http:\/\/127\.0\.0\.1\/i\/oauth2\/authorize\?[^"]*">\s*Continue/);
  });

  it('may open the page from anywhere, but not frame or prefetch it', async () => {
    for (const site of ['none', 'same-origin', 'same-site', 'cross-site']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': 'document' };
      expect((await open(consentPath(app), headers)).answer.status).toBe(200);
    }
    for (const headers of [
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-dest': 'image' },
      { 'sec-purpose': 'prefetch' },
    ]) {
      expect((await open(consentPath(app), headers)).answer.status).toBe(403);
    }
  });
});
