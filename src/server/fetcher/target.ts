import { isIP } from 'node:net';
import { neverAllowed, rangeOf } from './address.ts';
import { FetchError } from './fetch-error.ts';

/** Scheme, credentials, host and the rest of an address, as written. */
const FORM = /^(https?):\/\/([^/?#]*)([^#]*)$/i;

/** The rules on which addresses of receivers are accepted. */
export interface TargetRules {
  /** True if http and ports are. */
  readonly plain: boolean;
  /** The name of the range of an IP address that is not; null for one that is. */
  readonly rangeOf: (address: string) => string | null;
}

/** Only https without a port, at public addresses. */
export const PUBLIC_ONLY: TargetRules = { plain: false, rangeOf };
/** Public addresses, also by http and with a port, as merchants have their feeds. */
export const PUBLIC_PLAIN: TargetRules = { plain: true, rangeOf };
/** Also this machine and its network, as with `--allow-private`; link-local addresses and those of cloud metadata belong to neither. */
export const ANYWHERE: TargetRules = { plain: true, rangeOf: neverAllowed };

function refused(why: string): FetchError {
  return new FetchError('address', why);
}

/** The host of an authority, with the brackets of IPv6, and whether a port follows. */
function hostOf(authority: string): { host: string; port: boolean } {
  const end = authority.startsWith('[') ? authority.indexOf(']') + 1 : authority.indexOf(':');
  const host = end <= 0 ? authority : authority.slice(0, end);
  return { host, port: host.length < authority.length };
}

/**
 * Reads the address of a receiver, before its name is resolved.
 *
 * @throws {@link FetchError} `address` for a scheme, port or IP address that the rules refuse; for credentials; for an IP
 *   address that is not in its usual spelling, such as `https://0x7f.1`; for a fragment, white space, backslashes
 *   and control characters, which programs read in different ways.
 */
export function readTarget(text: string, rules: TargetRules): URL {
  // Characters outside of ASCII are not refused: names may have them, and the URL parser encodes them.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text)) {
    throw refused('The URL must not contain white space, control characters or backslashes.');
  }
  const [, scheme = '', authority = ''] = FORM.exec(text) ?? [];
  if (!URL.canParse(text) || authority === '') {
    throw refused(
      'The URL must be an absolute one, such as https://example.com/file, without a fragment.',
    );
  }
  const url = new URL(text);
  if (scheme.toLowerCase() !== 'https' && !rules.plain)
    throw refused('The URL must begin with https.');
  if (authority.includes('@')) throw refused('The URL must not contain a username or password.');
  const { host, port } = hostOf(authority);
  if (port && !rules.plain) throw refused('The URL must not contain a port.');
  // Names that never leave the machine (RFC 6761, section 6.3).
  if (/(?:^|\.)localhost\.?$/.test(url.hostname)) checkTarget('127.0.0.1', rules);
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0) {
    if (host.toLowerCase() !== url.hostname) {
      throw refused(`The URL must spell its IP address as ${url.hostname}.`);
    }
    checkTarget(bare, rules);
  }
  return url;
}

/**
 * @throws {@link FetchError} `address` if requests may not go to an IP address. The message does not say where a name
 *   led to, so that it reveals nothing about this network.
 */
export function checkTarget(address: string, rules: TargetRules): void {
  const range = rules.rangeOf(address);
  if (range === null) return;
  const hint =
    ANYWHERE.rangeOf(address) === null
      ? ' The option --allow-private allows your own machine and network.'
      : '';
  throw refused(`The URL leads to an address that is not public (${range}).${hint}`);
}
