import { describe, expect, it, test } from 'vitest';
import {
  isSigned,
  readAuthorization,
  type SignedParts,
  type SigningSecrets,
} from '#server/auth/signature.ts';

interface Vector {
  readonly source: string;
  readonly parts: SignedParts;
  readonly secrets: SigningSecrets;
}

const header = (members: Record<string, string>): Map<string, string> =>
  new Map(Object.entries({ oauth_signature_method: 'HMAC-SHA1', ...members }));

const VECTORS: readonly Vector[] = [
  {
    source: 'RFC 5849 section 1.2, the request for a photo',
    parts: {
      method: 'GET',
      addresses: ['http://photos.example.net/photos'],
      protocol: header({
        oauth_consumer_key: 'dpf43f3p2l4k3l03',
        oauth_token: 'nnch734d00sl2jdk',
        oauth_timestamp: '137131202',
        oauth_nonce: 'chapoH',
        oauth_signature: 'MdpQcU8iPSUjWoN/UDMsK2sui9I=',
      }),
      parameters: [...new URLSearchParams('file=vacation.jpg&size=original')],
    },
    secrets: {
      key: 'dpf43f3p2l4k3l03',
      secret: 'kd94hf93k423kf44',
      tokenSecret: 'pfkkdhi9sl3r4s00',
    },
  },
  {
    source: 'RFC 5849 sections 3.1 and 3.4.1.1, with the signature of erratum 2550',
    parts: {
      method: 'post',
      addresses: ['http://example.com/request'],
      protocol: header({
        oauth_consumer_key: '9djdj82h48djs9d2',
        oauth_token: 'kkk9d7dh3k39sjv7',
        oauth_timestamp: '137131201',
        oauth_nonce: '7d8f3e4a',
        oauth_signature: 'r6/TJjbCOr97/+UU0NsvSne7s5g=',
      }),
      parameters: [
        ...new URLSearchParams('b5=%3D%253D&a3=a&c%40=&a2=r%20b'),
        ...new URLSearchParams('c2&a3=2+q'),
      ],
    },
    secrets: { key: '9djdj82h48djs9d2', secret: 'j49sk3j29djd', tokenSecret: 'dh893hdasih9' },
  },
  {
    source: 'developer.x.com, Creating a signature: the Post at api.x.com',
    parts: {
      method: 'POST',
      addresses: [
        'http://127.0.0.1:4319/1.1/statuses/update.json',
        'https://api.x.com/1.1/statuses/update.json',
      ],
      protocol: header({
        oauth_consumer_key: 'xvz1evFS4wEEPTGEFPHBog',
        oauth_nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
        oauth_timestamp: '1318622958',
        oauth_token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
        oauth_version: '1.0',
        oauth_signature: 'Ls93hJiZbQ3akF3HF3x1Bz8/zU4=',
      }),
      parameters: [
        ['include_entities', 'true'],
        ['status', 'Hello Ladies + Gentlemen, a signed OAuth request!'],
      ],
    },
    secrets: {
      key: 'xvz1evFS4wEEPTGEFPHBog',
      secret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
      tokenSecret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
    },
  },
];

describe('a documented signature', () => {
  test.each(VECTORS)('is recognised: $source', ({ parts, secrets }) => {
    expect(isSigned(parts, secrets)).toBe(true);
  });

  test.each(VECTORS)('covers every part of its request: $source', ({ parts, secrets }) => {
    const [[name = '', value = ''] = [], ...others] = parts.parameters;
    const wrong: readonly (readonly [SignedParts, SigningSecrets])[] = [
      [{ ...parts, method: 'DELETE' }, secrets],
      [{ ...parts, addresses: ['http://other.example/'] }, secrets],
      [{ ...parts, addresses: [] }, secrets],
      [{ ...parts, parameters: others }, secrets],
      [{ ...parts, parameters: [...parts.parameters, ['more', '']] }, secrets],
      [{ ...parts, parameters: [[name, `${value}x`], ...others] }, secrets],
      [{ ...parts, protocol: new Map([...parts.protocol, ['oauth_nonce', 'other']]) }, secrets],
      [{ ...parts, protocol: new Map([...parts.protocol, ['oauth_signature', '']]) }, secrets],
      [parts, { ...secrets, secret: 'x' }],
      [parts, { ...secrets, tokenSecret: '' }],
    ];
    for (const [each, by] of wrong) expect(isSigned(each, by)).toBe(false);
  });
});

test('a parameter that the header and the request share may be signed once', () => {
  const [{ parts, secrets }] = VECTORS as [Vector];
  const shared: SignedParts = {
    ...parts,
    parameters: [...parts.parameters, ['oauth_token', 'nnch734d00sl2jdk']],
  };
  expect(isSigned(shared, secrets)).toBe(true);
  const other: SignedParts = { ...parts, parameters: [...parts.parameters, ['oauth_token', 'x']] };
  expect(isSigned(other, secrets)).toBe(false);
});

describe('an authorization header', () => {
  it('is read with its values decoded, whatever its spaces and the case of its scheme', () => {
    const text = 'oAuth realm="a, b", oauth_nonce="a%20b",oauth_token=""  , oauth_version="1.0"';
    expect(readAuthorization(text)).toEqual(
      new Map([
        ['oauth_nonce', 'a b'],
        ['oauth_token', ''],
        ['oauth_version', '1.0'],
      ]),
    );
  });

  it('may have what HTTP allows: spaces around the sign, and quotation marks in a realm', () => {
    const text = String.raw`OAuth realm="100% \"a\", b" , oauth_nonce = "1"`;
    expect(readAuthorization(text)).toEqual(new Map([['oauth_nonce', '1']]));
  });

  it.each([
    '',
    'Bearer abc',
    'OAuth',
    'OAuth oauth_nonce',
    'OAuth oauth_nonce=abc',
    'OAuth oauth_nonce="abc',
    'OAuth oauth_nonce="%E0%A4%A"',
    'OAuth %zz="1"',
    'OAuth oauth_nonce="1", oauth_nonce="1"',
    'OAuth oauth_nonce="1" oauth_token="2"',
  ])('is refused if it is malformed: %s', (text) => {
    expect(readAuthorization(text)).toBeNull();
  });
});
