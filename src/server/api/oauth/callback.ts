/** The address of a callback with further parameters. What the callback has stays as it is. */
export function withParameters(
  callback: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const { href } = new URL(callback);
  return `${href}${href.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`;
}

/** The place to which a callback leads, in words. */
export function callbackPlace(callback: string): string {
  const { host, protocol } = new URL(callback);
  return host === '' ? protocol : host;
}

/**
 * Sources of a content security policy for what the form of consent may lead to. Browsers check every redirect that
 * follows a form, and a callback may redirect to another origin, such as from a program's service to its pages: so they
 * name the callback's scheme, and not its origin.
 */
export function sourcesOf(callback: string): string {
  const { protocol } = new URL(callback);
  return protocol === 'http:' || protocol === 'https:' ? 'http: https:' : protocol;
}
