import { createHmac, timingSafeEqual } from 'node:crypto';
import OAuth from 'oauth-1.0a';

/** Names and values in the order sent, decoded. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** The parts that a signature of OAuth 1.0a covers (RFC 5849 section 3.4.1). */
export interface SignedParts {
  readonly method: string;
  /** Addresses without query that the client may have signed. */
  readonly addresses: readonly string[];
  /** Parameters of the protocol, apart from `realm`, where the request has them (RFC 5849 section 3.5). */
  readonly protocol: ReadonlyMap<string, string>;
  /** Other parameters of the query and of a form body. */
  readonly parameters: Pairs;
}

export interface SigningSecrets {
  readonly key: string;
  readonly secret: string;
  /** Empty for a request without a token. */
  readonly tokenSecret: string;
}

const SHA1_BYTES = 20;

/**
 * One parameter of an `Authorization` header, as RFC 5849 section 3.5.1 writes it, with the spaces and the quoted pairs
 * that HTTP allows (RFC 9110, sections 5.6.4 and 11.2).
 */
const PARAMETER = /\s*([\w.~%-]+)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)/y;

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
      // The realm is text for people; only the protocol's own parameters are encoded.
      if (decoded !== 'realm') found.set(decoded, decodeURIComponent(value));
    } catch {
      return null;
    }
  }
  return found;
}

/** True if a parameter belongs to OAuth 1.0a, wherever a request has it. */
export function isProtocolParameter(name: string): boolean {
  return name.startsWith('oauth_');
}

/**
 * Reads the parameters of OAuth 1.0a from the query or the form of a request without an `Authorization` header
 * (RFC 5849 sections 3.5.2 and 3.5.3).
 *
 * @returns Null if there is no signature, or a parameter is repeated.
 */
export function readProtocol(parameters: Pairs): ReadonlyMap<string, string> | null {
  const pairs = parameters.filter(([name]) => isProtocolParameter(name));
  const found = new Map(pairs);
  return found.size === pairs.length && found.has('oauth_signature') ? found : null;
}

/**
 * The parameter strings that a client may have signed: RFC 5849 section 3.4.1.3 lists a parameter as often as it is
 * sent; some clients send an `oauth_…` parameter in the header and elsewhere, and sign it once.
 */
function parameterStrings(oauth: OAuth, { protocol, parameters }: SignedParts): string[] {
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
  const others = [...protocol].filter(([name]) => name !== 'oauth_signature');
  const repeated = parameters.filter(([name, value]) => protocol.get(name) === value);
  const all = stringOf([...others, ...parameters]);
  if (repeated.length === 0) return [all];
  return [all, stringOf([...others, ...parameters.filter((pair) => !repeated.includes(pair))])];
}

/**
 * True if a request has the signature that its secrets give, by HMAC-SHA1, for any of its addresses. The time taken
 * says nothing about the expected signature.
 */
export function isSigned(parts: SignedParts, secrets: SigningSecrets): boolean {
  const shown = Buffer.from(parts.protocol.get('oauth_signature') ?? '', 'base64');
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
    // As bytes, because a form may have millions of them, which each address would encode again.
    const end = Buffer.from(oauth.percentEncode(parameters));
    return parts.addresses.some((address) => {
      const start = `${method}&${oauth.percentEncode(address)}&`;
      const digest = createHmac('sha1', key).update(start).update(end).digest();
      return timingSafeEqual(digest, shown);
    });
  });
}
