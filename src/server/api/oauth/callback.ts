/** The address of a callback with further parameters. What the callback has stays as it is. */
export function withParameters(
  callback: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const { href } = new URL(callback);
  return `${href}${href.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`;
}

/** Where a callback leads, in words. */
export function placeOf(callback: string): string {
  const { host, protocol } = new URL(callback);
  return host === '' ? protocol : host;
}

/**
 * The source of a content security policy that a callback matches. The grammar of sources has no IPv6 addresses and no
 * paths of other schemes: for these it is the scheme.
 */
export function sourceOf(callback: string): string {
  const { origin, protocol, hostname } = new URL(callback);
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin;
}
