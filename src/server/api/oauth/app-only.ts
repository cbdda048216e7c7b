import type { Context } from 'hono';
import { OAUTH } from '#contract/accounts/oauth.ts';
import type { StoredApp } from '#server/auth/app-table.ts';
import { appOnlyToken } from '#server/auth/apps.ts';
import { hashOf, isSameSecret } from '#server/auth/hash.ts';
import { openSignatures } from '#server/auth/oauth1.ts';
import { readForm, signedRequest } from '#server/http/form.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { countWrong, v1Error } from './answers.ts';
import { basicCredentials } from './basic.ts';

/** Recorded for wrong credentials and for a wrong grant (platform-facts-additions, section 12). */
const UNVERIFIED = {
  code: 99,
  label: 'authenticity_token_error',
  message: 'Unable to verify your credentials',
};
/** Recorded (platform-facts-additions, section 12). */
const INVALID_TOKEN = { message: 'Invalid or expired token', code: 89 };

/** `POST /oauth2/token` and `/oauth2/invalidate_token`: the app-only token of an app. */
export function appOnly(deps: ServiceContext): Route[] {
  const { http, auth, service, secrets, now } = deps;
  const signatures = openSignatures(deps);
  /** The app whose API key and secret a request carries. @throws {@link Fault} 429 after many failures. */
  const appOf = (c: Context): StoredApp | null => {
    const { name, secret } = basicCredentials(c) ?? { name: '', secret: '' };
    const app = service.apps.byApiKey(name);
    const pool = app ? `api key of ${app.id}` : 'unknown api key';
    if (app && isSameSecret(secret, secrets.apiKeySecret(app))) return app;
    countWrong(c, auth.failures, pool);
    return null;
  };

  /** The app whose keys signed a request (RFC 5849). @throws {@link Fault} 429 after many failures. */
  const signerOf = async (c: Context): Promise<StoredApp | null> => {
    const signature = signatures.verify(await signedRequest(c));
    if (signature) return signature.app;
    countWrong(c, auth.failures, 'signature for an app-only token');
    return null;
  };

  return [
    http.serve(OAUTH.appToken, async ({ c }) => {
      const form = new Map(await readForm(c));
      const app = appOf(c);
      if (!app || form.get('grant_type') !== 'client_credentials')
        return v1Error(c, 403, UNVERIFIED);
      const access_token = appOnlyToken({ service, secrets, now }, app);
      return { token_type: 'bearer', access_token };
    }),
    http.serve(OAUTH.invalidateAppToken, async ({ c }) => {
      // The platform's reference signs the request, with the token in the query; its guide uses the app's credentials.
      const sent = new Map([...new URL(c.req.url).searchParams, ...(await readForm(c))]);
      const isSigned = /^oauth\s/i.test(c.req.header('authorization') ?? '');
      const app = isSigned ? await signerOf(c) : appOf(c);
      if (!app) return v1Error(c, 403, UNVERIFIED);
      const access_token = secrets.bearerToken(app);
      const isKnown = service.tokens.find(hashOf(access_token)) !== undefined;
      if (!isKnown || !isSameSecret(sent.get('access_token') ?? '', access_token)) {
        return v1Error(c, 401, INVALID_TOKEN);
      }
      service.write('invalidate', () => {
        service.tokens.remove(hashOf(access_token));
        service.apps.put({ ...app, bearer: app.bearer + 1 });
      });
      return { access_token };
    }),
  ];
}
