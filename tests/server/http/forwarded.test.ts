import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '#contract/fault.ts';
import { ipOf, isIn, readBlock, readForwarded } from '#server/http/forwarded.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

const TRUSTED = ['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.7'].map(readBlock);
type Headers = Readonly<Record<string, string>>;
const read = (headers: Headers, remote = '10.0.0.1') =>
  readForwarded((name) => headers[name], remote, TRUSTED);
const CLIENT = '203.0.113.9';

describe('a block of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '2001:db8::1', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['2001:db8::/32', '2001:DB8:0::5', true],
    ['2001:db8::1', '2001:db8::2', false],
    ['::ffff:192.0.2.7', '192.0.2.7', true],
    ['10.0.0.0/8', 'no address', false],
  ])('%s contains %s: %s', (block, address, contains) => {
    expect(isIn(address, [readBlock(block)])).toBe(contains);
  });

  it.each([
    '',
    'proxy',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '0x7f.1',
    '::/129',
  ])('%j is none', (text) => {
    expect(() => readBlock(text)).toThrow(`${text} is not an IP address or a block`);
  });

  it.each(['0.0.0.0/0', '::/0', '192.0.2.1/0'])('%s is refused: it contains everyone', (text) => {
    expect(() => readBlock(text)).toThrow('contains every address');
  });
});

describe('forwarded headers', () => {
  it.each<[string, Headers, object]>([
    ['none', {}, { client: '10.0.0.1', scheme: null, host: null }],
    [
      'of one proxy',
      {
        'x-forwarded-for': CLIENT,
        'x-forwarded-proto': 'HTTPS',
        'x-forwarded-host': 'dash.example',
      },
      { client: CLIENT, scheme: 'https', host: 'dash.example' },
    ],
    [
      'that the client began',
      {
        'x-forwarded-for': `10.0.0.9, 198.51.100.1, ${CLIENT}`,
        'x-forwarded-proto': 'https, http',
        'x-forwarded-host': 'evil.example, dash.example',
      },
      { client: CLIENT, scheme: 'http', host: 'dash.example' },
    ],
    [
      'of two proxies that append',
      {
        'x-forwarded-for': `1.2.3.4, ${CLIENT}, 10.9.9.9`,
        'x-forwarded-proto': 'http, https, http',
        'x-forwarded-host': 'evil.example, dash.example, inner:4319',
      },
      { client: CLIENT, scheme: 'https', host: 'dash.example' },
    ],
    [
      'of two proxies of which one sets the scheme',
      { 'x-forwarded-for': `${CLIENT}, 10.9.9.9`, 'x-forwarded-proto': 'https' },
      { client: CLIENT, scheme: 'https', host: null },
    ],
    [
      'from trusted proxies alone',
      { 'x-forwarded-for': '10.1.1.1, 10.2.2.2' },
      { client: '10.1.1.1', scheme: null, host: null },
    ],
    ['with a port', { 'x-forwarded-for': `${CLIENT}:51234` }, { client: CLIENT }],
    ['with IPv6', { 'x-forwarded-for': '2001:DB8::0:9' }, { client: '2001:db8::9' }],
    [
      'with IPv6 and a port',
      { 'x-forwarded-for': '[2001:db8::9]:4711' },
      { client: '2001:db8::9' },
    ],
    [
      'with garbage left of the client',
      { 'x-forwarded-for': `<x>, ${CLIENT}` },
      { client: CLIENT },
    ],
    [
      'of RFC 7239',
      {
        forwarded: `for=10.0.0.9;host="evil.example", For="${CLIENT}:80";Proto=HTTPS;host=dash.example;by=10.0.0.1`,
      },
      { client: CLIENT, scheme: 'https', host: 'dash.example' },
    ],
    [
      'of RFC 7239, by two proxies and with quotes',
      {
        forwarded: `for="[2001:db8::9]:4711";proto=https;host="dash.example:8443", for="[2001:db8:1::7]";proto=http`,
      },
      { client: '2001:db8::9', scheme: 'https', host: 'dash.example:8443' },
    ],
  ])('%s', (_, headers, expected) => {
    expect(read(headers)).toMatchObject(expected);
  });

  it.each<[string, Headers, string]>([
    ['a name', { 'x-forwarded-for': 'client' }, 'expected an IP address'],
    ['an empty value', { 'x-forwarded-for': '' }, 'expected an IP address'],
    ['a gap', { 'x-forwarded-for': `${CLIENT}, ` }, 'expected an IP address'],
    ['an address in another spelling', { 'x-forwarded-for': '0x7f.1' }, 'expected an IP address'],
    ['a hidden client', { forwarded: 'for=_hidden;proto=https' }, 'expected an IP address'],
    ['no client', { forwarded: 'proto=https' }, 'expected an IP address'],
    ['no pair', { forwarded: 'for' }, 'expected a pair'],
    ['an open quote', { forwarded: 'for="10.0.0.1' }, 'expected a pair'],
    ['too many', { 'x-forwarded-for': Array(33).fill(CLIENT).join() }, 'at most 32'],
    ['too many', { forwarded: Array(33).fill(`for=${CLIENT}`).join() }, 'at most 32'],
    ['both kinds', { forwarded: `for=${CLIENT}`, 'x-forwarded-for': CLIENT }, 'both Forwarded'],
    ['both kinds', { forwarded: `for=${CLIENT}`, 'x-forwarded-proto': 'https' }, 'both Forwarded'],
  ])('%s is refused', (_, headers, detail) => {
    expect(() => read(headers)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(detail) }),
    );
  });

  const sent = fc.array(
    fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ maxLength: 12 }).map((s) => s.replaceAll(',', '')),
    ),
    { maxLength: 6 },
  );
  const outside = fc
    .oneof(fc.ipV4(), fc.ipV6())
    .filter((address) => ipOf(address) !== null && !isIn(address, TRUSTED));

  it('law: whatever a client sends, it is known by the address that the outermost proxy saw', () => {
    fc.assert(
      fc.property(
        sent,
        sent,
        sent,
        outside,
        fc.array(fc.constantFrom('10.0.0.2', '2001:db8:1::3', '192.0.2.7'), { maxLength: 3 }),
        (addresses, schemes, hosts, client, inner) => {
          const rest = inner.map(() => 'http');
          const got = read({
            'x-forwarded-for': [...addresses, client, ...inner].join(', '),
            'x-forwarded-proto': [...schemes, 'https', ...rest].join(', '),
            'x-forwarded-host': [...hosts, 'dash.example', ...rest].join(', '),
          });
          expect(got).toEqual({ client: ipOf(client), scheme: 'https', host: 'dash.example' });
        },
      ),
    );
  });

  it('law: no headers whatever are an error of the service', () => {
    const value = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[ ,;="\\[\]:.\da-f]{0,40}$/),
      unicodeText(),
      fc.constantFrom('for=1.2.3.4', 'for="[::1]:1"', '1.2.3.4, 10.0.0.2', '"', '[', ',;,'),
    );
    const names = [
      'forwarded',
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
    ] as const;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (headers) => {
        try {
          expect(ipOf(read(headers).client)).toBe(read(headers).client);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          expect(error.status).toBe(400);
        }
      }),
    );
  });
});
