import ipaddr from 'ipaddr.js';
import { plainProblem } from '#contract/fault.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IP addresses that share their first bits. */
export type AddressBlock = readonly [first: Address, bits: number];

/** A request as the outermost trusted proxy received it. */
export interface Forwarded {
  /** IP address of the client, in its usual spelling. */
  readonly client: string;
  /** In lower case; null if the proxy does not say. */
  readonly scheme: string | null;
  /** Host and port as sent; null if the proxy does not say. */
  readonly host: string | null;
}

/** Most proxies that a request may have passed. */
const MOST_HOPS = 32;

/** An IP address in its usual spelling, with IPv4 for addresses that IPv6 maps; null for any other text. */
export function ipOf(text: string): string | null {
  return ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text)
    ? ipaddr.process(text).toString()
    : null;
}

/**
 * Reads an address or a block such as `10.0.0.0/8`.
 *
 * @throws {@link RangeError} if it is neither, or the block contains every address, so that any client could claim any
 *   address.
 */
export function readBlock(text: string): AddressBlock {
  const [address = '', bits, ...rest] = text.split('/');
  const known = ipOf(address);
  const wrong = `${text} is not an IP address or a block such as 10.0.0.0/8`;
  if (known === null || rest.length > 0) throw new RangeError(wrong);
  const parsed = ipaddr.parse(known);
  const all = parsed.kind() === 'ipv4' ? 32 : 128;
  const shared = bits === undefined ? all : /^\d{1,3}$/.test(bits) ? Number(bits) : NaN;
  if (!(shared <= all)) throw new RangeError(wrong);
  if (shared === 0) throw new RangeError(`${text} contains every address`);
  return [parsed, shared];
}

/** True if an address is in one of the blocks. */
export function isIn(text: string, blocks: readonly AddressBlock[]): boolean {
  const known = ipOf(text);
  if (known === null) return false;
  const address = ipaddr.parse(known);
  return blocks.some(
    ([first, bits]) => first.kind() === address.kind() && address.match(first, bits),
  );
}

function unreadable(name: string, value: string, expected: string): Error {
  const detail = `The reverse proxy sent ${name} with [${value.slice(0, 100)}]: expected ${expected}.`;
  return plainProblem(400, 'Bad Request', detail);
}

/** The address of a node, which may have brackets and a port. */
function nodeAddress(name: string, node: string): string {
  const [, bracketed, plain] =
    /^(?:\[([\d.a-f:]+)\](?::\d{1,5})?|([\d.]+)(?::\d{1,5})?)$/i.exec(node) ?? [];
  const address = ipOf(bracketed ?? plain ?? node);
  if (address === null) throw unreadable(name, node, 'an IP address');
  return address;
}

/** The values of a list, from the nearest proxy's to the client's. */
function listOf(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  const list = value.split(',').map((each) => each.trim());
  if (list.length > MOST_HOPS) throw unreadable(name, value, `at most ${MOST_HOPS} proxies`);
  return list.reverse();
}

type Pairs = Readonly<Record<string, string>>;

const PAIR = /^([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")$/;
/** Splits at a character that is not within quotes. */
const outsideQuotes = (text: string, separator: ',' | ';'): string[] =>
  text.match(
    separator === ',' ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g,
  ) ?? [];

/** The elements of a `Forwarded` header (RFC 7239), from the nearest proxy's to the client's. */
function elementsOf(value: string): Pairs[] {
  const elements = outsideQuotes(value, ',');
  if (elements.length > MOST_HOPS)
    throw unreadable('Forwarded', value, `at most ${MOST_HOPS} proxies`);
  return elements.reverse().map((element) =>
    Object.fromEntries(
      outsideQuotes(element, ';').map((pair) => {
        const [, name = '', token, quoted] = PAIR.exec(pair.trim()) ?? [];
        if (name === '') throw unreadable('Forwarded', pair, 'a pair such as for=192.0.2.1');
        return [name.toLowerCase(), token ?? (quoted ?? '').replace(/\\(.)/g, '$1')] as const;
      }),
    ),
  );
}

/** Number of the first address that no trusted proxy has; that of the last one if all do. */
function outermost(
  count: number,
  addressOf: (hop: number) => string,
  trusted: readonly AddressBlock[],
): number {
  let hop = 0;
  while (hop < count - 1 && isIn(addressOf(hop), trusted)) hop += 1;
  return hop;
}

/**
 * The facts that trusted proxies report about a request, from `X-Forwarded-For`, `-Proto` and `-Host`, or from
 * `Forwarded`. Values are read from the right: those to the left of the first address that is no trusted proxy's may
 * come from the client.
 *
 * @param get - Gives a header by its name in lower case, several of them joined with commas.
 * @param remote - Address that the request came from, which must be a trusted proxy's.
 * @throws {@link Fault} 400 for a value in the trusted part that cannot be read, for more than 32 proxies, and if both
 *   kinds of headers are there, of which one must come from the client.
 */
export function readForwarded(
  get: (name: string) => string | undefined,
  remote: string,
  trusted: readonly AddressBlock[],
): Forwarded {
  const standard = get('forwarded');
  const [addresses, schemes, hosts] = (['for', 'proto', 'host'] as const).map((name) =>
    listOf(`X-Forwarded-${name}`, get(`x-forwarded-${name}`)),
  ) as [string[], string[], string[]];
  const known = (text: string): string => ipOf(text) ?? text;
  if (standard === undefined) {
    const nameOf = (hop: number): string => nodeAddress('X-Forwarded-For', addresses[hop] ?? '');
    const hop = outermost(addresses.length, nameOf, trusted);
    const at = (list: readonly string[]): string | null => list[hop] ?? list.at(-1) ?? null;
    return {
      client: addresses.length > 0 ? nameOf(hop) : known(remote),
      scheme: at(schemes)?.toLowerCase() ?? null,
      host: at(hosts),
    };
  }
  if (addresses.length + schemes.length + hosts.length > 0) {
    const detail =
      'The request has both Forwarded and X-Forwarded headers: let the reverse proxy remove those that it does not set.';
    throw plainProblem(400, 'Bad Request', detail);
  }
  const elements = elementsOf(standard);
  const nameOf = (hop: number): string => nodeAddress('Forwarded', elements[hop]?.['for'] ?? '');
  const hop = outermost(elements.length, nameOf, trusted);
  const element = elements[hop] ?? {};
  return {
    client: elements.length > 0 ? nameOf(hop) : known(remote),
    scheme: element['proto']?.toLowerCase() ?? null,
    host: element['host'] ?? null,
  };
}
