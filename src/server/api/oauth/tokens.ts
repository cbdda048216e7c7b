import {
  InvalidClientError,
  InvalidGrantError,
  InvalidScopeError,
  OAuthError,
} from '@node-oauth/oauth2-server';
import type { Context } from 'hono';
import * as v from 'valibot';
import { OAUTH, RevokeForm, TokenForm } from '#contract/accounts/oauth.ts';
import type { StoredApp } from '#server/auth/app-table.ts';
import type { OAuth2 } from '#server/auth/oauth2.ts';
import { readForm } from '#server/http/form.ts';
import { MAX_BODY, readObject } from '#server/http/json-body.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { countWrong, oauth2Error } from './answers.ts';
import { basicCredentials } from './basic.ts';

/** Recorded, by grant (platform-facts-additions, section 12). */
const REFUSED = {
  authorization_code: 'Value passed for the authorization code was invalid.',
  refresh_token: 'Value passed for the token was invalid.',
} as const;

type Fields = Readonly<Record<string, string>>;

/**
 * The fields of a form, of a JSON object, which twitter-api-v2 sends instead, or of the address, where twitter-api-sdk
 * puts them; a message if one is repeated (RFC 6749 section 3.2) or no text.
 *
 * @throws {@link Fault} 400 for malformed JSON.
 */
async function fieldsOf(c: Context): Promise<Fields | string> {
  const isJson = /^application\/json\b/i.test(c.req.header('content-type') ?? '');
  const sent = isJson ? Object.entries(await readObject(c, MAX_BODY)) : await readForm(c);
  const pairs = sent.length > 0 ? sent : [...new URL(c.req.url).searchParams];
  const names = pairs.map(([name]) => name);
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) return `The parameter [${repeated}] may be given only once.`;
  const texts = pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const other = pairs.find(([, value]) => typeof value !== 'string');
  return other ? `The parameter [${other[0]}] must be a text.` : Object.fromEntries(texts);
}

/** Recorded for a client without its secret, or with a wrong one. */
function unauthorized(c: Context): Response {
  c.header('www-authenticate', 'Basic realm="Service"');
  return oauth2Error(c, 401, 'unauthorized_client', 'Missing valid authorization header');
}

/** `POST /2/oauth2/token` and `/2/oauth2/revoke`. */
export function oauthTokens({ http, auth, service }: ServiceContext, oauth2: OAuth2): Route[] {
  /** Credentials in the header, or else in the form. */
  const credentials = (c: Context, { client_id, client_secret }: Fields) =>
    basicCredentials(c) ?? { name: client_id ?? '', secret: client_secret };
  const poolOf = (id: string): string => {
    const app = service.apps.byClientId(id);
    return app ? `client ${app.id}` : 'unknown client';
  };
  /** The app that a request comes from, by its credentials. @throws {@link Fault} 429 after many failures. */
  const clientOf = (c: Context, form: Fields): StoredApp | null => {
    const { name, secret } = credentials(c, form);
    const app = oauth2.clientOf(name, secret);
    if (!app) countWrong(c, auth.failures, poolOf(name));
    return app;
  };

  return [
    http.serve(OAUTH.token, async ({ c }) => {
      const form = await fieldsOf(c);
      if (typeof form === 'string') return oauth2Error(c, 400, 'invalid_request', form);
      const grant = form['grant_type'] ?? '';
      if (grant !== '' && !Object.hasOwn(REFUSED, grant)) {
        return oauth2Error(
          c,
          400,
          'unsupported_grant_type',
          `grant_type [${grant}] is not one of [authorization_code, refresh_token].`,
        );
      }
      const read = v.safeParse(TokenForm, form);
      if (!read.success) return oauth2Error(c, 400, 'invalid_request', read.issues[0].message);
      if (!clientOf(c, form)) return unauthorized(c);
      // The library does not decode what the header has, which clients may percent-encode.
      const { name, secret } = credentials(c, form);
      const body = {
        ...form,
        client_id: name,
        ...(secret !== undefined && { client_secret: secret }),
      };
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': '1',
      };
      try {
        return await oauth2.exchange({ headers, body });
      } catch (error) {
        if (!(error instanceof OAuthError) || error.code >= 500) throw error;
        if (error instanceof InvalidClientError) return unauthorized(c);
        const isRefused = error instanceof InvalidGrantError;
        const refused = REFUSED[read.output.grant_type];
        const code = error instanceof InvalidScopeError ? 'invalid_scope' : 'invalid_request';
        return oauth2Error(c, 400, code, isRefused ? refused : error.message);
      }
    }),
    http.serve(OAUTH.revoke, async ({ c }) => {
      const form = await fieldsOf(c);
      if (typeof form === 'string') return oauth2Error(c, 400, 'invalid_request', form);
      const read = v.safeParse(RevokeForm, form);
      if (!read.success) return oauth2Error(c, 400, 'invalid_request', read.issues[0].message);
      const app = clientOf(c, form);
      if (!app) return unauthorized(c);
      oauth2.revoke(app, read.output.token);
      return { revoked: true };
    }),
  ];
}
