import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

/**
 * Bytes that are not UTF-8 are decoded to half surrogates, U+DC00 plus the byte, as Python's
 * `surrogateescape` does: a replacement character may be in the file itself, these cannot.
 */
const ESCAPE = 0xdc00;

/** Finds the marker of a byte that is not UTF-8. */
const UNREADABLE = /[\udc80-\udcff]/u;

/** Why a text from {@link TextReader} is refused: the first byte in it that is not UTF-8, or null. */
export function unreadable(text: string): string | null {
  const found = UNREADABLE.exec(text)?.[0];
  if (found === undefined) return null;
  const byte = (found.charCodeAt(0) - ESCAPE).toString(16).toUpperCase();
  return `is not UTF-8 (byte 0x${byte}); save the file as UTF-8`;
}

/** Length of the character with a given first byte; 1 if it begins none. */
function lengthBy(first: number): number {
  if (first >= 0xf0 && first <= 0xf4) return 4;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xc2 && first < 0xe0 ? 2 : 1;
}

/** Where a character begins that continues beyond the end, or the length. */
function wholeLength(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) return at + lengthBy(byte) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

function decode(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    const length = lengthBy(byte);
    if (byte < 0x80 || (length > 1 && isUtf8(bytes.subarray(at, at + length)))) {
      at += length;
      continue;
    }
    text += bytes.toString('utf8', from, at) + String.fromCharCode(ESCAPE + byte);
    at += 1;
    from = at;
  }
  return text + bytes.toString('utf8', from);
}

/** Swaps the two bytes of every UTF-16 unit, so that big-endian text becomes little-endian. */
function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

/** Decodes bytes that arrive in blocks: UTF-8, or UTF-16 of either order with a byte-order mark. */
export class TextReader {
  #pending: Buffer = Buffer.alloc(0);
  #wide: StringDecoder | null = null;
  #bigEndian = false;
  #begun = false;

  push(block: Buffer): string {
    const bytes = this.#pending.length === 0 ? block : Buffer.concat([this.#pending, block]);
    if (!this.#begun) {
      // A mark has two bytes, and the first block of compressed data may be a single one.
      if (bytes.length < 2) {
        this.#pending = Buffer.from(bytes);
        return '';
      }
      this.#begun = true;
      const mark = bytes.readUInt16BE(0);
      this.#bigEndian = mark === 0xfeff;
      if (mark === 0xfffe || this.#bigEndian) this.#wide = new StringDecoder('utf16le');
    }
    const end = this.#wide ? bytes.length & ~1 : wholeLength(bytes);
    this.#pending = Buffer.from(bytes.subarray(end));
    const whole = bytes.subarray(0, end);
    if (this.#wide) return this.#wide.write(this.#bigEndian ? swapped(whole) : whole);
    return decode(whole);
  }

  end(): string {
    if (!this.#wide) return decode(this.#pending);
    // Half a unit is as unreadable as a lone surrogate.
    return this.#wide.end() + (this.#pending.length > 0 ? '\ufffd' : '');
  }
}
