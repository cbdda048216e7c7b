import { describe, expect, it } from 'vitest';
import { chooseEncoding } from '#server/http/encoding.ts';

describe('the encoding of an answer', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['br, gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['GZIP ; q=0.2, BR;q=0.9', 'br'],
    ['gzip;Q=0.5\t,\tbr ; q=0.499', 'gzip'],
    ['gzip;q=0, br;q=0', 'identity'],
    ['gzip;q=0.000', 'identity'],
    ['gzip;q=0.001', 'gzip'],
    ['zstd, deflate', 'identity'],
    // A listed encoding takes precedence over `*`.
    ['*', 'gzip'],
    ['*;q=0.5, br', 'br'],
    ['gzip;q=0, *', 'br'],
    ['gzip;q=0, br;q=0, *', 'identity'],
    ['*;q=0, br;q=0.1', 'br'],
    ['*;q=0, identity;q=0.1', 'identity'],
    // Identity is acceptable without being listed, and may be preferred.
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=0.4, br;q=0.6', 'br'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, br;q=0.1', 'br'],
    ['identity;q=0', null],
    ['identity;q=0, zstd', null],
    ['identity;q=0, gzip;q=0, br;q=0', null],
    ['*;q=0', null],
    // A malformed member is ignored.
    ['gzip;q=2, br', 'br'],
    ['gzip;q=1.001, br;q=0.1', 'br'],
    ['gzip;q=0.1234, br;q=0.1', 'br'],
    ['gzip;q=-1', 'identity'],
    ['gzip;q=', 'identity'],
    ['gzip;q=high', 'identity'],
    ['gzip;q = 0.5, br;q=0.4', 'gzip'],
    [', ,gzip,', 'gzip'],
    [';q=1', 'identity'],
    ['gzip;q=1.000', 'gzip'],
    ['gzip;level=9;q=0.3, br;q=0.2', 'gzip'],
  ])('for %j is %s', (accept, encoding) => {
    expect(chooseEncoding(accept)).toBe(encoding);
  });

  it.each([
    ['gzip', 'identity'],
    ['gzip, br, identity;q=0.1', 'identity'],
    ['gzip;q=0.2, br;q=0.3, *;q=0', 'br'],
    ['gzip, identity;q=0', 'gzip'],
    ['identity;q=0', null],
  ])(
    'of an answer too short to compress is identity if %j allows it; here: %s',
    (accept, encoding) => {
      expect(chooseEncoding(accept, false)).toBe(encoding);
    },
  );
});
