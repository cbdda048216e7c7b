/** Where the platform is, and the token that opens it. */
export interface PlatformAccess {
  /** Base address without a slash at its end. */
  readonly base: string;
  readonly host: string;
  readonly token: string;
}

export const PLATFORM_URL = 'https://api.x.com';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** What a bearer token can hold (RFC 6750 section 2.1), and the escapes that the platform's have. */
const TOKEN = /^[\w.~+/%-]+=*$/;

/**
 * Reads the platform's address and token as the environment has them.
 *
 * @param url - {@link PLATFORM_URL} where it is undefined or empty.
 * @returns Null where there is no token: the platform is not connected.
 * @throws {@link RangeError} for an address that is not http or https, bears a name or password, a query or
 *   a fragment, or is http to another machine, and for a token that cannot be sent; the message holds
 *   neither password nor token.
 */
export function platformAccess(
  token: string | undefined,
  url: string | undefined,
): PlatformAccess | null {
  const shown = token?.trim() ?? '';
  if (shown === '') return null;
  if (!TOKEN.test(shown)) {
    throw new RangeError(
      'GROUNDSWELL_PLATFORM_TOKEN is no bearer token: expected letters, digits and - . _ ~ + / % = alone.',
    );
  }
  const wrong = (why: string): RangeError =>
    new RangeError(`GROUNDSWELL_PLATFORM_URL ${why}, such as ${PLATFORM_URL}.`);
  const read = URL.canParse(url?.trim() || PLATFORM_URL)
    ? new URL(url?.trim() || PLATFORM_URL)
    : null;
  if (!read) throw wrong('is no address: expected a whole one');
  const { protocol, username, password, hostname, host, origin, pathname, search, hash } = read;
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw wrong(`begins with ${protocol}: expected an address of https`);
  }
  if (username !== '' || password !== '') {
    throw wrong('bears a name or a password: expected an address alone');
  }
  if (search !== '' || hash !== '') throw wrong('has more than a path: expected an address alone');
  if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
    throw wrong(`would send the token to ${host} unencrypted: expected an address of https`);
  }
  return { base: origin + pathname.replace(/\/+$/, ''), host, token: shown };
}
