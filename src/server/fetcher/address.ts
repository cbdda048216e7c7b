import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast addresses of IPv6; all others are special or unassigned (IANA, IPv6 address space). */
const GLOBAL = ipaddr.parseCIDR('2000::/3');

/**
 * The reason requests may not go to an IP address: the name of its range, such as `private`; null for a public one.
 *
 * Public are only global unicast addresses. Everything that reaches this machine, its network, a group, or another
 * address in disguise (IPv4-mapped, NAT64, 6to4, Teredo) has a range (IANA registries of special-purpose addresses).
 *
 * @param text - An address without brackets. Anything else is `malformed`.
 */
export function rangeOf(text: string): string | null {
  // An address with a zone, such as fe80::1%eth0, is a local one.
  if (isIP(text) === 0 || text.includes('%')) return 'malformed';
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range !== 'unicast') return range;
  return address.kind() === 'ipv4' || address.match(GLOBAL) ? null : 'reserved';
}

/** The bytes of IPv4 addresses in IPv6 ones: where they begin by prefix, and what they are combined with (exclusive or). */
const EMBEDDED: readonly (readonly [prefix: string, at: number, xor: number])[] = [
  // Mapped, compatible and translated ones (RFC 4291, sections 2.5.5.1 and 2.5.5.2; RFC 2765).
  ['::ffff:0:0/96', 12, 0],
  ['::/96', 12, 0],
  ['::ffff:0:0:0/96', 12, 0],
  // NAT64 (RFC 6052; RFC 8215), 6to4 (RFC 3056) and the client of Teredo (RFC 4380).
  ['64:ff9b::/96', 12, 0],
  ['64:ff9b:1::/48', 12, 0],
  ['2002::/16', 2, 0],
  ['2001::/32', 12, 0xff],
];

/** All addresses that one names: itself, and the IPv4 ones that it may contain. */
function namedBy(address: ipaddr.IPv4 | ipaddr.IPv6): (ipaddr.IPv4 | ipaddr.IPv6)[] {
  if (address.kind() === 'ipv4') return [address];
  const bytes = address.toByteArray();
  const inside = EMBEDDED.filter(([prefix]) => address.match(ipaddr.parseCIDR(prefix)));
  return [
    address,
    ...inside.map(([, at, xor]) =>
      ipaddr.fromByteArray(bytes.slice(at, at + 4).map((byte) => byte ^ xor)),
    ),
  ];
}

/** Addresses outside link-local ones where clouds hand out the credentials of a machine: AWS and Alibaba Cloud. */
const METADATA = ['fd00:ec2::254/128', '100.100.100.200/32'].map((text) => ipaddr.parseCIDR(text));

/** The range of {@link neverAllowed} that an address is in; null if none. */
function metadataRange(address: ipaddr.IPv4 | ipaddr.IPv6): string | null {
  if (address.range() === 'linkLocal') return 'linkLocal';
  const isMetadata = METADATA.some(
    (block) => block[0].kind() === address.kind() && address.match(block),
  );
  return isMetadata ? 'metadata' : null;
}

/**
 * The reason why no option allows requests to an IP address; null if there is none. `linkLocal` and `metadata` are where
 * clouds hand out the credentials of a machine (169.254.169.254), also in disguise as an IPv6 address; the other reason is
 * `malformed`.
 *
 * @param text - As for {@link rangeOf}.
 */
export function neverAllowed(text: string): string | null {
  const range = rangeOf(text);
  if (range === 'malformed') return range;
  for (const address of namedBy(ipaddr.parse(text))) {
    const metadata = metadataRange(address);
    if (metadata !== null) return metadata;
  }
  return null;
}
