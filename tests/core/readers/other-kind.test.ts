import { describe, expect, it } from 'vitest';
import { otherKind } from '#core/readers/other-kind.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  new Uint8Array(
    parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : part)),
  );
const OLE2 = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const wide = (name: string): number[] => [...Buffer.from(name, 'utf16le')];
const padded = (sign: number[], ...more: (string | number[])[]): Uint8Array =>
  bytes(
    sign,
    Array.from({ length: 600 }, () => 0),
    ...more,
  );

describe('a file of another kind', () => {
  it.each([
    ['a PDF', bytes('%PDF-1.7\n', [0x25, 0xe2, 0xe3], '\n')],
    [
      'a PNG image',
      padded([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], [0, 0, 0, 13], 'IHDR'),
    ],
    ['a JPEG image', padded([0xff, 0xd8, 0xff, 0xe0])],
    ['an Excel 97 workbook (.xls)', padded(OLE2, wide('Workbook'))],
    ['an old Word document (.doc)', padded(OLE2, wide('WordDocument'))],
    ['an Office document with a password', padded(OLE2, wide('EncryptedPackage'))],
    ['a Parquet file', padded([...Buffer.from('PAR1')])],
    ['an SQLite database', padded([...Buffer.from('SQLite format 3\0')])],
    ['a text in UTF-32', bytes([0xff, 0xfe, 0, 0], 'i\0\0\0d\0\0\0')],
    ['a text in UTF-32', bytes([0, 0, 0xfe, 0xff], '\0\0\0i\0\0\0d')],
    ['an HTML or XML page', bytes('<!doctype html>\n<title>x</title>')],
  ])('is %s', async (name, head) => {
    expect(await otherKind(head)).toMatchObject({ name, advice: expect.stringMatching(/\.$/) });
  });

  it.each([
    ['CSV', bytes('id,text\n1,tea\n')],
    [
      'UTF-16 with a mark, which some audio files begin with',
      bytes([0xff, 0xfe], wide('id,text\n')),
    ],
    ['Windows-1252', bytes('id;text\n1;caf', [0xe9], '\n')],
    ['JSON', bytes('{"id":"1"}\n')],
    ['a header that begins like a compressed file', bytes('BZhed,text\n1,tea\n')],
  ])('is not %s', async (_, head) => {
    expect(await otherKind(head)).toBeNull();
  });
});
