/** Address of the platform, and the token for it. */
export interface PlatformAccess {
  /** Base address without a trailing slash. */
  readonly base: string;
  readonly host: string;
  readonly token: string;
}

export const PLATFORM_URL = 'https://api.x.com';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Characters of a bearer token (RFC 6750 section 2.1), and the escapes in the platform's tokens. */
const TOKEN = /^[\w.~+/%-]+=*$/;

/** The environment variable with the token. */
export const TOKEN_VARIABLE = 'GROUNDSWELL_PLATFORM_TOKEN';

/**
 * Reads the platform's address from the environment.
 *
 * @param url - {@link PLATFORM_URL} if undefined or empty.
 * @returns The base address without a trailing slash, and its host.
 * @throws {@link RangeError} for an address that is not http or https, has a name or password, a query
 *   or a fragment, or is http to another machine; the message does not contain a password.
 */
export function platformAddress(url: string | undefined): Omit<PlatformAccess, 'token'> {
  const wrong = (why: string): RangeError =>
    new RangeError(`GROUNDSWELL_PLATFORM_URL ${why}, such as ${PLATFORM_URL}.`);
  const read = URL.canParse(url?.trim() || PLATFORM_URL)
    ? new URL(url?.trim() || PLATFORM_URL)
    : null;
  if (!read) throw wrong('is not an address: expected a complete one');
  const { protocol, username, password, hostname, host, origin, pathname, search, hash } = read;
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw wrong(`begins with ${protocol}: expected an address of https`);
  }
  if (username !== '' || password !== '') {
    throw wrong('has a name or a password: expected only an address');
  }
  if (search !== '' || hash !== '') throw wrong('has more than a path: expected only an address');
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
    throw wrong(`would send the token to ${host} unencrypted: expected an address of https`);
  }
  return { base: origin + pathname.replace(/\/+$/, ''), host };
}

/**
 * Checks a token for the platform.
 *
 * @param name - The name that the message gives it.
 * @returns The token without space around it; null if it is empty.
 * @throws {@link RangeError} for a token that cannot be sent; the message does not contain it.
 */
export function platformToken(token: string | undefined, name: string): string | null {
  const shown = token?.trim() ?? '';
  if (shown === '') return null;
  if (TOKEN.test(shown)) return shown;
  throw new RangeError(
    `${name} is not a bearer token: expected only letters, digits and - . _ ~ + / % =.`,
  );
}
