import * as v from 'valibot';
import { Authorization, OAUTH, SCOPE_TEXTS } from '#contract/accounts/oauth.ts';
import { scopeNamed } from '#contract/accounts/scopes.ts';
import type { OAuth2 } from '#server/auth/oauth2.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { withParameters } from './callback.ts';
import type { Consent, ReadConsent } from './consent.ts';

/** Error codes by parameter; others are `invalid_request` (RFC 6749 section 4.1.2.1). */
const CODES: Readonly<Record<string, string>> = {
  response_type: 'unsupported_response_type',
  scope: 'invalid_scope',
};

/** `/i/oauth2/authorize`: asks for consent, and issues an authorization code. */
export function authorize(
  { http, service }: ServiceContext,
  oauth2: OAuth2,
  consent: Consent,
): Route[] {
  const read = (query: URLSearchParams): ReadConsent => {
    const error = (message: string): ReadConsent => ({ kind: 'error', message });
    const repeated = [...query.keys()].find((name) => query.getAll(name).length > 1);
    if (repeated !== undefined) return error(`The parameter ${repeated} is given more than once.`);
    const app = service.apps.byClientId(query.get('client_id') ?? '');
    if (!app) return error('No app of this service has the client_id of the address.');
    const redirect = query.get('redirect_uri') ?? '';
    if (!app.settings.callbacks.includes(redirect)) {
      return error(`The redirect_uri of the address is not exactly a callback of ${app.name}.`);
    }
    const read = v.safeParse(Authorization, Object.fromEntries(query));
    const state = query.get('state');
    if (!read.success) {
      const [{ path, message }] = read.issues;
      const error = CODES[String(path?.[0].key)] ?? 'invalid_request';
      const sent = { error, error_description: message, ...(state && { state }) };
      return { kind: 'redirect', redirect: withParameters(redirect, sent) };
    }
    const asked = read.output;
    const back = (sent: Record<string, string>) => ({
      redirect: withParameters(redirect, { ...sent, state: asked.state }),
    });
    return {
      kind: 'request',
      app: app.name,
      powers: asked.scope.flatMap((name) => {
        const scope = scopeNamed(name);
        return scope ? [SCOPE_TEXTS[scope]] : [];
      }),
      callback: redirect,
      remembered: null,
      allow: (account) => {
        const { scope: scopes, code_challenge: challenge, code_challenge_method: method } = asked;
        const grant = { app, account, scopes, redirect, challenge, method };
        return back({ code: oauth2.issueCode(grant) });
      },
      refuse: () => back({ error: 'access_denied' }),
    };
  };

  return [
    http.serve(OAUTH.consent, ({ c }) => consent.show(c, read)),
    http.serve(OAUTH.decide, ({ c }) => consent.decide(c, read)),
  ];
}
