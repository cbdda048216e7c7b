import { describe, expect, test } from 'vitest';
import { neverAllowed, rangeOf } from '#server/fetcher/address.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '172.32.0.1',
  '2001:4860:4860::8888',
  '2606:4700::1',
])('%s is public', (address) => {
  expect(rangeOf(address)).toBeNull();
});

// IANA registries of special-purpose addresses.
test.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['169.254.169.254', 'linkLocal'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['100.127.255.255', 'carrierGradeNat'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['0.0.0.0', 'unspecified'],
  ['255.255.255.255', 'broadcast'],
  ['192.0.2.1', 'reserved'],
  ['198.51.100.7', 'reserved'],
  ['203.0.113.9', 'reserved'],
  ['198.18.0.1', 'reserved'],
  ['240.0.0.1', 'reserved'],
  ['::1', 'loopback'],
  ['::', 'unspecified'],
  ['::ffff:127.0.0.1', 'ipv4Mapped'],
  ['::ffff:8.8.8.8', 'ipv4Mapped'],
  ['::127.0.0.1', 'ipv4Mapped'],
  ['::7f00:1', 'reserved'],
  ['64:ff9b::a00:1', 'rfc6052'],
  ['64:ff9b:1::a00:1', 'rfc6052'],
  ['2002:7f00:1::', '6to4'],
  ['2001::1', 'teredo'],
  ['fe80::1', 'linkLocal'],
  ['fec0::1', 'deprecatedSiteLocal'],
  ['fc00::1', 'uniqueLocal'],
  ['fd12:3456::1', 'uniqueLocal'],
  ['ff02::1', 'multicast'],
  ['2001:db8::1', 'reserved'],
  ['3fff::1', 'reserved'],
  ['4000::1', 'reserved'],
  ['fe80::1%eth0', 'malformed'],
  ['localhost', 'malformed'],
  ['0x7f.1', 'malformed'],
])('%s is %s', (address, range) => {
  expect(rangeOf(address)).toBe(range);
});

describe('allowed by no option', () => {
  // 169.254.0.1, 169.254.169.254 and 100.100.100.200, as they are and in every form of IPv6 that contains an address of IPv4.
  test.each([
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    'fe80::1',
    'febf:ffff::1',
    'fe80::1%eth0',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '::a9fe:1',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '2001:0:1:2:3:4:5601:5601',
    'fd00:ec2::254',
    '100.100.100.200',
    '::ffff:100.100.100.200',
    '64:ff9b::6464:64c8',
    'localhost',
  ])('%s', (address) => {
    expect(neverAllowed(address)).not.toBeNull();
  });

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '192.168.1.1',
    '::1',
    '::',
    'fd12:3456::1',
    'fd00:ec2::253',
    '100.100.100.201',
    'fec0::1',
    '::ffff:127.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    '2001::1',
    '2606:4700::1',
  ])('not %s', (address) => {
    expect(neverAllowed(address)).toBeNull();
  });
});
