import { createHmac, timingSafeEqual } from 'node:crypto';
import OAuth from 'oauth-1.0a';

/** Names and values in the order sent, decoded. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** What a signature of OAuth 1.0a covers (RFC 5849 section 3.4.1). */
export interface SignedParts {
  readonly method: string;
  /** Addresses without query that the client may have signed. */
  readonly addresses: readonly string[];
  /** Parameters of the `Authorization` header, apart from `realm` and `oauth_signature`. */
  readonly header: ReadonlyMap<string, string>;
  /** Parameters of the query and of a form body. */
  readonly parameters: Pairs;
}

export interface SigningSecrets {
  readonly key: string;
  readonly secret: string;
  /** Empty for a request without a token. */
  readonly tokenSecret: string;
}

const SHA1_BYTES = 20;

/** One parameter of an `Authorization` header, as RFC 5849 section 3.5.1 writes it. */
const PARAMETER = /\s*([\w.~%-]+)="([^"]*)"\s*(?:,|$)/y;

/**
 * Reads an `Authorization` header of OAuth 1.0a.
 *
 * @returns Its parameters, decoded, without the realm; null if it is malformed or repeats one.
 */
export function readAuthorization(header: string): ReadonlyMap<string, string> | null {
  const text = /^oauth\s+(.*)$/is.exec(header)?.[1];
  if (text === undefined) return null;
  const found = new Map<string, string>();
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < text.length) {
    const [, name, value] = PARAMETER.exec(text) ?? [];
    if (name === undefined || value === undefined) return null;
    try {
      const decoded = decodeURIComponent(name);
      if (found.has(decoded)) return null;
      found.set(decoded, decodeURIComponent(value));
    } catch {
      return null;
    }
  }
  found.delete('realm');
  return found;
}

/**
 * The parameter strings that a client may have signed: RFC 5849 section 3.4.1.3 lists a parameter as often as it is
 * sent; some clients send an `oauth_…` parameter in the header and elsewhere, and sign it once.
 */
function parameterStrings(oauth: OAuth, { header, parameters }: SignedParts): string[] {
  const stringOf = (pairs: Pairs): string => {
    const values = new Map<string, string[]>();
    for (const [name, value] of pairs) {
      const same = values.get(name);
      if (same) same.push(value);
      else values.set(name, [value]);
    }
    // The library's type has one value for a name; its code takes an array for several.
    const data = Object.fromEntries(values) as unknown as OAuth.Data;
    return oauth.getParameterString({ url: '', method: '' }, data);
  };
  const others = [...header].filter(([name]) => name !== 'oauth_signature');
  const repeated = parameters.filter(([name, value]) => header.get(name) === value);
  const all = stringOf([...others, ...parameters]);
  if (repeated.length === 0) return [all];
  return [all, stringOf([...others, ...parameters.filter((pair) => !repeated.includes(pair))])];
}

/**
 * Whether a request has the signature that its secrets give, by HMAC-SHA1, for any of its addresses. The time taken
 * says nothing about the expected signature.
 */
export function isSigned(parts: SignedParts, secrets: SigningSecrets): boolean {
  const shown = Buffer.from(parts.header.get('oauth_signature') ?? '', 'base64');
  if (shown.length !== SHA1_BYTES) return false;
  const oauth = new OAuth({
    consumer: { key: secrets.key, secret: secrets.secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const key = oauth.getSigningKey(secrets.tokenSecret);
  const method = parts.method.toUpperCase();
  // Ends at the first match, which reveals only what the answer does: that there is one.
  return parameterStrings(oauth, parts).some((parameters) => {
    const end = oauth.percentEncode(parameters);
    return parts.addresses.some((address) => {
      const base = `${method}&${oauth.percentEncode(address)}&${end}`;
      return timingSafeEqual(createHmac('sha1', key).update(base).digest(), shown);
    });
  });
}
