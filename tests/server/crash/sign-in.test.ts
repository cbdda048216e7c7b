import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { openOAuth2, type TokenAnswer, type OAuth2TokenRequest } from '#server/auth/oauth2.ts';
import { derivedSecrets } from '#server/auth/secrets.ts';
import { openService, SERVICE_KIND } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openDb } from '#server/db/driver.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import {
  addAccount,
  addApp,
  basic,
  challengeOf,
  VERIFIER,
} from '#tests/support/service/signing-in.ts';
import { runChild } from './child-process.ts';
import type { SignInJob } from './sign-in-child.ts';

const CALLBACK = 'http://127.0.0.1:9/back';
const deps = { now: Date.now, random: (n: number) => randomBytes(n) };
const file = temporaryFolder();

/** Opens a file, for as long as `work` takes. */
async function within<T>(
  name: string,
  work: (of: {
    auth: ReturnType<typeof openAuth>;
    service: ReturnType<typeof openService>;
    oauth2: ReturnType<typeof openOAuth2>;
  }) => T | Promise<T>,
): Promise<T> {
  const service = openService(file(name), deps);
  const secrets = derivedSecrets(service.secret('apps'));
  try {
    const auth = openAuth(service, deps);
    return await work({ auth, service, oauth2: openOAuth2({ service, secrets, ...deps }) });
  } finally {
    service.close();
  }
}

/** Exchanges in another process, which kills itself or prints the answer. */
const inProcess = (job: SignInJob) => runChild('sign-in-child', job);

/** Number of tokens of each kind. */
function tokensIn(name: string): Record<string, number> {
  const db = openDb(file(name), { application: SERVICE_KIND.application });
  const rows = db.prepare(
    'SELECT kind, count(*) FROM token WHERE family IS NOT NULL GROUP BY kind',
  );
  const found = rows.all().map(([kind, count]) => [String(kind), Number(count)]);
  db.close();
  return Object.fromEntries(found);
}

let exchange: OAuth2TokenRequest;
let refresh: OAuth2TokenRequest;
let first: TokenAnswer;
beforeAll(async () => {
  await within('coded', ({ auth, service, oauth2 }) => {
    const app = addApp({ auth }, 'Writer', { callbacks: [CALLBACK] });
    const account = addAccount({ auth }, 'alice');
    const code = oauth2.issueCode({
      app: service.apps.byId(app.id)!,
      account,
      scopes: ['users.read', 'offline.access'],
      redirect: CALLBACK,
      challenge: challengeOf(VERIFIER),
      method: 'S256',
    });
    const headers = {
      authorization: basic(app.client_id, app.client_secret ?? ''),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
    };
    const fields = { code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
    exchange = { headers, body: { grant_type: 'authorization_code', ...fields } };
  });
  copyFileSync(file('coded'), file('signed-in'));
  first = await within('signed-in', ({ oauth2 }) => oauth2.exchange(exchange));
  const refresh_token = first.refresh_token ?? '';
  const body = { grant_type: 'refresh_token', refresh_token };
  refresh = { headers: exchange.headers, body };
});

/** Kills a process that exchanges at a point, on a copy of a file. @returns The copy. */
async function killed(
  from: string,
  request: OAuth2TokenRequest,
  kill: NonNullable<SignInJob['kill']>,
): Promise<string> {
  const copy = `${from}-${kill.step}-${kill.at}`;
  copyFileSync(file(from), file(copy));
  const outcome = await inProcess({ file: file(copy), request, kill });
  expect(outcome).toEqual({ signal: 'SIGKILL', done: [] });
  return copy;
}

it('without a kill, both exchanges succeed in one process', async () => {
  copyFileSync(file('coded'), file('whole'));
  const coded = await inProcess({ file: file('whole'), request: exchange, kill: null });
  const { refresh_token } = JSON.parse(coded.done[0] ?? '') as TokenAnswer;
  const body = { ...refresh.body, refresh_token: refresh_token ?? '' };
  const request = { ...refresh, body };
  const renewed = await inProcess({ file: file('whole'), request, kill: null });
  expect(JSON.parse(renewed.done[0] ?? '')).toMatchObject({ token_type: 'bearer' });
  expect(tokensIn('whole')).toEqual({ bearer: 2, refresh: 1, spent: 1 });
});

describe('a refresh token, when the process is killed', () => {
  it.each(['begin', 'commit'] as const)('at the %s of its rotation, still works', async (at) => {
    const copy = await killed('signed-in', refresh, { step: 'issue', at });
    expect(tokensIn(copy)).toEqual({ bearer: 1, refresh: 1 });
    const next = await within(copy, ({ oauth2 }) => oauth2.exchange(refresh));
    await within(copy, ({ auth }) => {
      expect(auth.bearer(next.access_token)?.user?.username).toBe('alice');
      expect(auth.bearer(first.access_token)?.user?.username).toBe('alice');
    });
  });

  it('after its rotation, is spent, and its return ends the family', async () => {
    const copy = await killed('signed-in', refresh, { step: 'issue', at: 'done' });
    expect(tokensIn(copy)).toEqual({ bearer: 2, refresh: 1, spent: 1 });
    await within(copy, ({ oauth2 }) => expect(oauth2.exchange(refresh)).rejects.toThrow());
    expect(tokensIn(copy)).toEqual({});
  });
});

describe('a code, when the process is killed', () => {
  it.each([
    ['code', 'begin', true, {}],
    ['code', 'commit', true, {}],
    ['code', 'done', false, {}],
    ['issue', 'commit', false, {}],
    ['issue', 'done', false, { bearer: 1, refresh: 1 }],
  ] as const)('in the step %s at %s, is whole or used', async (step, at, works, tokens) => {
    const copy = await killed('coded', exchange, { step, at });
    expect(tokensIn(copy)).toEqual(tokens);
    await within(copy, async ({ oauth2 }) => {
      const again = oauth2.exchange(exchange);
      if (works) expect(await again).toMatchObject({ token_type: 'bearer' });
      else await expect(again).rejects.toThrow();
    });
    expect(tokensIn(copy)).toEqual(works ? { bearer: 1, refresh: 1 } : {});
  });
});

it('a nonce that a killed process recorded does not work again', async () => {
  copyFileSync(file('signed-in'), file('nonce'));
  const job = { file: file('nonce'), request: refresh, kill: null, nonce: 'once' };
  expect((await inProcess(job)).signal).toBe('SIGKILL');
  await within('nonce', ({ service }) => {
    expect(service.nonces.take('token', 'once', 1_790_000_000)).toBe(false);
    expect(service.nonces.take('token', 'twice', 1_790_000_000)).toBe(true);
  });
});
