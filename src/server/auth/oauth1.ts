import type { StoredApp } from './app-table.ts';
import {
  isProtocolParameter,
  isSigned,
  readAuthorization,
  readProtocol,
  type Pairs,
} from './signature.ts';
import type { IssuingDeps } from './secrets.ts';

/** The largest difference between a request's timestamp and the service's clock, seconds. */
export const MAX_SKEW_SECONDS = 300;

/** The time between two removals of nonces that no request can repeat, ms. */
const PRUNE_MS = 60_000;

/** Hosts of the platform. Clients whose host is replaced below their signing layer sign one of them. */
const PLATFORM_HOSTS = [
  'https://api.x.com',
  'https://api.twitter.com',
  'https://ads-api.x.com',
  'https://ads-api.twitter.com',
  'https://ads-api-sandbox.x.com',
  'https://ads-api-sandbox.twitter.com',
  'https://upload.x.com',
  'https://upload.twitter.com',
] as const;

/** A request that has the parameters of OAuth 1.0a in one of the places that RFC 5849 section 3.5 lists. */
export interface SignedRequest {
  readonly method: string;
  /** The address called, with its query. */
  readonly url: string;
  /** The header; null if the parameters are in the query or the form. */
  readonly authorization: string | null;
  /** The parameters of a form body; empty for any other body. */
  readonly form: Pairs;
}

/** The parameters of OAuth 1.0a of a request, which are not verified; null if they are malformed. */
export function protocolOf({
  url,
  authorization,
  form,
}: SignedRequest): ReadonlyMap<string, string> | null {
  if (authorization !== null) return readAuthorization(authorization);
  return readProtocol([...new URL(url).searchParams, ...form]);
}

/** The signer of a request. */
export interface Signature {
  readonly app: StoredApp;
  /** The request token or access token; null for a request that has none. It is not yet known to be valid. */
  readonly token: string | null;
  /** All `oauth_…` parameters, and the others of query and form. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Verifies requests signed by OAuth 1.0a (RFC 5849 section 3.2). */
export function openSignatures({ service, secrets, now }: Omit<IssuingDeps, 'random'>) {
  let pruned = 0;

  /** True if a timestamp is near enough and its nonce new. Called only for requests with a valid signature. */
  const isFresh = (who: string, nonce: string, at: number): boolean => {
    if (Math.abs(now() - pruned) >= PRUNE_MS) {
      pruned = now();
      service.nonces.prune(Math.floor(pruned / 1000) - 2 * MAX_SKEW_SECONDS);
    }
    return service.nonces.take(who, nonce, at);
  };

  return {
    /**
     * @returns The signer of the request; null if it is malformed, too old or early, not signed by an app, or repeated.
     */
    verify: (request: SignedRequest): Signature | null => {
      const protocol = protocolOf(request);
      if (!protocol) return null;
      const [key, nonce, stamp] = ['oauth_consumer_key', 'oauth_nonce', 'oauth_timestamp'].map(
        (name) => protocol.get(name) ?? '',
      );
      if (!key || !nonce || !stamp || !/^\d{1,12}$/.test(stamp)) return null;
      if (protocol.get('oauth_signature_method') !== 'HMAC-SHA1') return null;
      // The npm client `oauth`, and what is built on it, sends 1.0A.
      if (!/^1\.0a?$/i.test(protocol.get('oauth_version') ?? '1.0')) return null;
      const at = Number(stamp);
      if (Math.abs(Math.floor(now() / 1000) - at) > MAX_SKEW_SECONDS) return null;
      const app = service.apps.byApiKey(key);
      if (!app) return null;
      const token = protocol.get('oauth_token') || null;
      const { method, authorization, form } = request;
      const { origin, protocol: scheme, hostname, pathname, searchParams } = new URL(request.url);
      // Clients in Ruby and PHP leave out every port.
      const own = [origin, `${scheme}//${hostname}`];
      const sent: Pairs = [...searchParams, ...form];
      const parameters =
        authorization === null ? sent.filter(([name]) => !isProtocolParameter(name)) : sent;
      const signed = isSigned(
        {
          method,
          addresses: [...own, ...PLATFORM_HOSTS].map((host) => host + pathname),
          protocol,
          parameters,
        },
        {
          key,
          secret: secrets.apiKeySecret(app),
          tokenSecret: token === null ? '' : secrets.tokenSecret(token),
        },
      );
      if (!signed || !isFresh(token ?? key, nonce, at)) return null;
      return { app, token, parameters: new Map([...parameters, ...protocol]) };
    },
  };
}
