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

/**
 * Reads the platform's address and token from the environment.
 *
 * @param url - {@link PLATFORM_URL} if undefined or empty.
 * @returns Null without a token: the platform is not connected.
 * @throws {@link RangeError} for an address that is not http or https, has a name or password, a query
 *   or a fragment, or is http to another machine, and for a token that cannot be sent; the message
 *   contains neither password nor token.
 */
export function platformAccess(
  token: string | undefined,
  url: string | undefined,
): PlatformAccess | null {
  const shown = token?.trim() ?? '';
  if (shown === '') return null;
  if (!TOKEN.test(shown)) {
    throw new RangeError(
      'GROUNDSWELL_PLATFORM_TOKEN is not a bearer token: expected only letters, digits and - . _ ~ + / % =.',
    );
  }
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
  return { base: origin + pathname.replace(/\/+$/, ''), host, token: shown };
}
