import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { escapedText, wholeLength } from '#core/readers/utf8.ts';

function decode(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : escapedText(bytes);
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
  #begun: boolean;

  /** @param isInside - True if the first block continues UTF-8 text, and may not begin with a byte-order mark. */
  constructor(isInside = false) {
    this.#begun = isInside;
  }

  /** Bytes of a character that is not complete; null if the text is not UTF-8. */
  get pending(): number | null {
    return this.#wide ? null : this.#pending.length;
  }

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
