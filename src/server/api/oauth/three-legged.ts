import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Permission } from '#contract/accounts/apps.ts';
import { OAUTH } from '#contract/accounts/oauth.ts';
import { invalidRequest } from '#contract/fault.ts';
import type { Account } from '#server/auth/account-table.ts';
import type { StoredApp } from '#server/auth/app-table.ts';
import { hashOf } from '#server/auth/hash.ts';
import { openSignatures, protocolOf, type Signature } from '#server/auth/oauth1.ts';
import { includesPermission, permissionOf } from '#server/auth/permission.ts';
import { revoking } from '#server/auth/revocation.ts';
import { signedRequest } from '#server/http/form.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { countWrong, formAnswer, v1Error } from './answers.ts';
import { withParameters } from './callback.ts';
import type { Consent, Outcome, ReadConsent } from './consent.ts';
import { OUT_OF_BAND, requestTokens } from './request-tokens.ts';

/** Errors of the platform's list of codes for version 1.1. */
const UNAUTHENTICATED = { code: 32, message: 'Could not authenticate you.' };
const NO_CALLBACK = { code: 38, message: 'oauth_callback parameter is missing.' };
const WRONG_CALLBACK = {
  code: 415,
  message:
    'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
};

const READS = ['Read Posts, lists and accounts that you can see.'];
const WRITES = [
  ...READS,
  'Create, edit and delete Posts for you, and follow, like and bookmark for you.',
];
const POWERS: Readonly<Record<Permission, readonly string[]>> = {
  read: READS,
  'read-write': WRITES,
  'read-write-dm': [...WRITES, 'Read and send your direct messages.'],
};

/** The three steps of OAuth 1.0a (RFC 5849 section 2), and the end of its tokens. */
export function threeLegged(deps: ServiceContext, consent: Consent): Route[] {
  const { http, auth, service, secrets, now } = deps;
  const signatures = openSignatures(deps);
  const tokens = requestTokens(deps);

  /** The signer of a request, or the answer that refuses it. @throws {@link Fault} 429 after many failures. */
  const signerOf = async (c: Context): Promise<Signature | Response> => {
    const request = await signedRequest(c);
    const signature = signatures.verify(request);
    if (signature) return signature;
    const key = protocolOf(request)?.get('oauth_consumer_key') ?? '';
    const pool = `signature of ${service.apps.byApiKey(key)?.id ?? 'an unknown key'}`;
    countWrong(c, auth.failures, pool);
    return v1Error(c, 401, UNAUTHENTICATED);
  };

  /** The only account that has allowed an app access; null if it has allowed less than a permission. */
  const rememberedBy = (app: StoredApp, permission: Permission): Account | null => {
    const [only, another] = service.accounts().flatMap((account) => {
      const given = permissionOf(service, app, account.id);
      return given === null ? [] : [{ account, given }];
    });
    return only && !another && includesPermission(only.given, permission) ? only.account : null;
  };

  const reader =
    (remembers: boolean) =>
    (query: URLSearchParams): ReadConsent => {
      const shown = query.get('oauth_token');
      const found = tokens.find(shown);
      if (shown === null || !found || found.asked.account !== null) {
        const message = 'The oauth_token of the address is unknown, expired or used.';
        return { kind: 'error', message };
      }
      const { asked, app } = found;
      const isPin = asked.callback === OUT_OF_BAND;
      const allow = (account: Account): Outcome => {
        const verifier = tokens.allow(asked, account);
        if (!isPin) {
          const sent = { oauth_token: shown, oauth_verifier: verifier };
          return { redirect: withParameters(asked.callback, sent) };
        }
        const body = html`<p>Enter this PIN in ${app.name} to finish signing in:</p>
          <output aria-label="PIN">${verifier}</output>
          <p class="note">It works once, within 15 minutes.</p>`;
        return { title: 'Your PIN', body };
      };
      const refuse = (): Outcome => {
        tokens.refuse(asked);
        if (!isPin) return { redirect: withParameters(asked.callback, { denied: shown }) };
        const body = html`<p>${app.name} has no access. You can close this page.</p>`;
        return { title: 'Refused', body };
      };
      return {
        kind: 'request',
        app: app.name,
        powers: POWERS[asked.permission],
        callback: isPin ? null : asked.callback,
        remembered: remembers ? rememberedBy(app, asked.permission) : null,
        allow,
        refuse,
      };
    };
  const [authorize, authenticate] = [reader(false), reader(true)];

  return [
    http.serve(OAUTH.requestToken, async ({ c }) => {
      const signer = await signerOf(c);
      if (signer instanceof Response) return signer;
      const { app, token, parameters } = signer;
      if (token !== null) return v1Error(c, 401, UNAUTHENTICATED);
      const callback = parameters.get('oauth_callback');
      if (!callback) return v1Error(c, 403, NO_CALLBACK);
      if (callback !== OUT_OF_BAND && !app.settings.callbacks.includes(callback)) {
        return v1Error(c, 403, WRONG_CALLBACK);
      }
      const access = parameters.get('x_auth_access_type') ?? 'write';
      if (access !== 'read' && access !== 'write') {
        const rule = `The \`x_auth_access_type\` parameter value [${access}] is not one of [read,write]`;
        throw invalidRequest('x_auth_access_type', access, rule);
      }
      const permission = access === 'read' ? access : app.settings.permission;
      const issued = tokens.issue(app, callback, permission);
      return formAnswer(c, {
        oauth_token: issued,
        oauth_token_secret: secrets.tokenSecret(issued),
        oauth_callback_confirmed: 'true',
      });
    }),
    http.serve(OAUTH.authorize, ({ c }) => consent.show(c, authorize)),
    http.serve(OAUTH.decideAuthorize, ({ c }) => consent.decide(c, authorize)),
    http.serve(OAUTH.authenticate, ({ c }) => consent.show(c, authenticate)),
    http.serve(OAUTH.decideAuthenticate, ({ c }) => consent.decide(c, authenticate)),
    http.serve(OAUTH.accessToken, async ({ c }) => {
      const signer = await signerOf(c);
      if (signer instanceof Response) return signer;
      const issued = tokens.exchange(signer);
      if (!issued) return v1Error(c, 401, UNAUTHENTICATED);
      return formAnswer(c, {
        oauth_token: issued.token,
        oauth_token_secret: secrets.tokenSecret(issued.token),
        user_id: issued.account.id,
        screen_name: issued.account.username,
      });
    }),
    http.serve(OAUTH.invalidateToken, async ({ c }) => {
      const access_token = protocolOf(await signedRequest(c))?.get('oauth_token') ?? '';
      const hash = hashOf(access_token);
      const account = service.tokens.find(hash)?.grant?.account.id ?? null;
      revoking(service, account, now(), () => service.tokens.remove(hash));
      return { access_token };
    }),
  ];
}
