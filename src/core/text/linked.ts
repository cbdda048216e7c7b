/** Hosts of shortened addresses of the platform, which do not say where they lead. */
const SHORTENED: ReadonlySet<string> = new Set(['t.co', 'pic.twitter.com', 'pic.x.com']);

/** Scheme, `www.`, host, port, rest. */
const PARTS =
  /^(?:https?:\/\/)?(?:www\.)?((?:[^\s/?#:@.]+\.)+[^\s/?#:@.]{2,})((?::\d{1,5})?)(.*)$/u;
/** The punctuation of a sentence after an address, and the slash of an empty path. */
const AFTER = /[^\p{L}\p{M}\p{N}=&%_~#$+-]+$/u;
/** Ends that {@link AFTER} would not change: most of them. */
const PLAIN_END = /[a-z0-9]$/u;

/** Most characters of a listed address: one clause of a query takes so many. */
const LONGEST = 300;

/** Prefixes of the terms of what a Post links to. */
export const DOMAIN = 'domain:';
export const ADDRESS = 'address:';

/** The target of an address. */
export interface Linked {
  /** The host without `www.`. */
  readonly domain: string;
  /** Host, port and rest without scheme, `www.` and a last slash; null if that is very long. */
  readonly address: string | null;
}

/**
 * Reads an address as the breakdown of links lists it.
 *
 * @param folded - A folded address, with or without its scheme; from a text, perhaps with punctuation after it.
 * @returns null if it is a shortened address of the platform, or none.
 */
export function linkedBy(folded: string): Linked | null {
  const [, domain, port = '', rest = ''] = PARTS.exec(folded) ?? [];
  if (domain === undefined) return null;
  const host = rest === '' && port === '' ? domain.replace(AFTER, '') : domain;
  if (SHORTENED.has(host) || !host.includes('.')) return null;
  const whole = host + port + rest;
  const address = PLAIN_END.test(whole) ? whole : whole.replace(AFTER, '');
  return { domain: host, address: address.length <= LONGEST ? address : null };
}
