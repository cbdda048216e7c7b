import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast addresses of IPv6; all others are special or unassigned (IANA, IPv6 address space). */
const GLOBAL = ipaddr.parseCIDR('2000::/3');

/**
 * Why requests may not go to an IP address: the name of its range, such as `private`; null for a public one.
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
