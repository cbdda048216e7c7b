import type { Context } from 'hono';

/** The name and the secret of a client. */
export interface Credentials {
  readonly name: string;
  readonly secret: string;
}

/**
 * The credentials in an `Authorization: Basic …` header, each of which may be percent-encoded (RFC 6749 section 2.3.1).
 *
 * @returns Null if there are none, or they are malformed.
 */
export function basicCredentials(c: Context): Credentials | null {
  const encoded = /^basic +([\w+/-]+=*)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 1) return null;
  try {
    const [name, secret] = [text.slice(0, colon), text.slice(colon + 1)].map(decodeURIComponent);
    return { name: name ?? '', secret: secret ?? '' };
  } catch {
    return null;
  }
}
