import { describe, expect, it } from 'vitest';
import { chooseEncoding } from '#server/routes/encoding.ts';

describe('the encoding of an answer', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['GZIP ; q=0.2, BR;q=0.9', 'br'],
    ['gzip;q=0, br;q=0', null],
    ['*', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=0, *', 'br'],
    ['zstd, deflate', null],
  ])('for %j is %s', (accept, encoding) => {
    expect(chooseEncoding(accept)).toBe(encoding);
  });
});
