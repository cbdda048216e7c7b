import { createHash, createHmac, randomBytes } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { AppInfo, AppSecrets, AppSettings } from '#contract/accounts/apps.ts';
import type { TestService } from './service.ts';

/** An app of a test with its secrets. */
export type TestApp = AppInfo & AppSecrets;

/** Adds an app to a service. */
export function addApp(
  service: Pick<TestService, 'auth'>,
  name: string,
  settings: Partial<AppSettings> = {},
): TestApp {
  const { apps, secrets } = service.auth.apps({ action: 'add', name, settings });
  const [app] = apps;
  if (!app || !secrets) throw new Error(`expected the app ${name}, got none`);
  return { ...app, ...secrets };
}

/** Adds an account to a service. */
export function addAccount(
  service: Pick<TestService, 'auth'>,
  username: string,
  profile: { email?: string } = {},
) {
  const [account] = service.auth.accounts({ action: 'add', username, profile });
  if (!account) throw new Error(`expected the account ${username}, got none`);
  return account;
}

export interface Signer {
  readonly api_key: string;
  readonly api_key_secret?: string;
  readonly token?: string;
  readonly secret?: string;
}

export interface SigningOptions {
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
  /** Members of the header that differ from what a client would send. */
  readonly over?: Readonly<Record<string, string | number>>;
}

/** Value of the `authorization` header that a client by the library oauth-1.0a sends. */
export function signed(url: string, signer: Signer, options: SigningOptions = {}): string {
  const oauth = new OAuth({
    consumer: { key: signer.api_key, secret: signer.api_key_secret ?? '' },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const data = {
    oauth_consumer_key: signer.api_key,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: Math.floor(Date.now() / 1000),
    oauth_version: '1.0',
    ...(signer.token !== undefined && { oauth_token: signer.token }),
    ...options.over,
  };
  const request = { url, method: options.method ?? 'GET', data: { ...options.form } };
  const oauth_signature = oauth.getSignature(request, signer.secret, { ...data });
  return oauth.toHeader({ oauth_signature, ...data }).Authorization;
}

/** A form as the body of a request. */
export function form(fields: Readonly<Record<string, string>>): RequestInit {
  return { method: 'POST', body: new URLSearchParams(fields) };
}

/** Value of the `authorization` header of a client with a name and a secret. */
export function basic(name: string, secret: string): string {
  const text = `${encodeURIComponent(name)}:${encodeURIComponent(secret)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

export const VERIFIER = 'a-verifier-of-43-characters-at-the-very-least';

/** The challenge of a verifier by S256 (RFC 7636 section 4.2). */
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

/** The address of the page of consent of OAuth 2.0, without the host. */
export function consentPath(
  app: Pick<TestApp, 'client_id' | 'callbacks'>,
  over: Readonly<Record<string, string | null>> = {},
): string {
  const query = Object.entries({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: app.callbacks[0] ?? '',
    scope: 'tweet.read users.read offline.access',
    state: 'the state',
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    ...over,
  }).filter((pair): pair is [string, string] => pair[1] !== null);
  return `/i/oauth2/authorize?${new URLSearchParams(query).toString()}`;
}

/**
 * Decides on a page of consent as a signed-in browser does.
 *
 * @param account - Id of the account to choose.
 * @returns The answer to the form.
 */
export async function decide(
  service: Pick<TestService, 'request' | 'cookie'>,
  path: string,
  account: string,
  decision: 'allow' | 'refuse' = 'allow',
): Promise<Response> {
  const headers = { cookie: service.cookie };
  const page = await (await service.request(path, { headers })).text();
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1];
  if (proof === undefined) throw new Error(`expected a page of consent, got ${page}`);
  return await service.request(path, { ...form({ proof, account, decision }), headers });
}

/** The parameters of the address that an answer redirects to. */
export function sentTo(answer: Response): URLSearchParams {
  return new URL(answer.headers.get('location') ?? '').searchParams;
}
