import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unreadable } from '#core/readers/utf8.ts';
import { TextReader } from '#server/readers/decode.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';

function read(bytes: Buffer, size = bytes.length): string {
  const reader = new TextReader();
  let text = '';
  for (let at = 0; at < bytes.length; at += size)
    text += reader.push(bytes.subarray(at, at + size));
  return text + reader.end();
}

describe('decoded text', () => {
  it('equals the original, wherever blocks are cut', () => {
    const texts = unicodeText({ maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), (text, size) => {
        expect(read(Buffer.from(text), size)).toBe(text);
        expect(unreadable(text)).toBeNull();
      }),
    );
  });

  it.each([
    ['Latin-1', Buffer.from('caf\u00e9 au lait', 'latin1'), '0xE9'],
    ['a character cut off at the end', Buffer.from('a😀').subarray(0, 4), '0xF0'],
    ['a surrogate written as UTF-8', Buffer.from([0x61, 0xed, 0xa0, 0x80]), '0xED'],
    ['an overlong form', Buffer.from([0xc0, 0xaf]), '0xC0'],
  ])('is recognised as not UTF-8, with the reason: %s', (_, bytes, byte) => {
    for (const size of [1, 2, 3, bytes.length]) {
      expect(unreadable(read(bytes, size))).toBe(
        `is not UTF-8 (byte ${byte}); save the file as UTF-8`,
      );
    }
  });

  it('keeps valid text around invalid bytes', () => {
    const text = read(Buffer.concat([Buffer.from('é😀'), Buffer.from([0xff]), Buffer.from('漢')]));
    expect(text).toBe('é😀\udcff漢');
  });

  it('may contain the replacement character, if the file does', () => {
    expect(unreadable(read(Buffer.from('a\ufffd')))).toBeNull();
  });
});
