/** Computes the seal of a text: deterministic, and not to be guessed without the key. */
export type Seal = (text: string) => Uint8Array;

/** Bytes of a seal in a cursor; 128 bits cannot be guessed. */
const SEAL_BYTES = 16;

/** No cursor of ours is longer, even after a name of 255 characters; a longer one is refused without decoding it. */
const MAX_LENGTH = 4096;

/** Base 32 in the order of its digits (RFC 4648, "extended hex"), which the platform's tokens use too. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv';

function toText(bytes: Uint8Array): string {
  let out = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += DIGITS[(buffer >> bits) & 31];
    }
  }
  return bits > 0 ? out + DIGITS[(buffer << (5 - bits)) & 31] : out;
}

function toBytes(text: string): Uint8Array | null {
  const out = new Uint8Array(Math.floor((text.length * 5) / 8));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (const digit of text) {
    const value = DIGITS.indexOf(digit);
    if (value < 0) return null;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = (buffer >> bits) & 0xff;
    }
  }
  return out;
}

/** Compares every byte, so that the time taken reveals nothing. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

function sealOf(payload: string, bound: string, seal: Seal): Uint8Array {
  return seal(`${payload}\n${bound}`).subarray(0, SEAL_BYTES);
}

/**
 * Packs the position of a listing into an opaque text of digits and lower-case letters.
 *
 * @param fields - The keys of the position; anyone with the cursor can read them, but not change them.
 * @param bound - The request for which the cursor is valid (the request's query); needed again to unpack it.
 * @param seal - Keyed hash of at least {@link SEAL_BYTES} bytes.
 */
export function packCursor(fields: readonly string[], bound: string, seal: Seal): string {
  const payload = JSON.stringify(fields);
  const text = new TextEncoder().encode(payload);
  const bytes = new Uint8Array(SEAL_BYTES + text.length);
  bytes.set(sealOf(payload, bound, seal));
  bytes.set(text, SEAL_BYTES);
  return toText(bytes);
}

/**
 * Reads a cursor made by {@link packCursor}.
 *
 * @returns The fields, or null if the cursor is malformed, was changed, or was made for another `bound`
 *   or with another key.
 */
export function unpackCursor(cursor: string, bound: string, seal: Seal): string[] | null {
  if (cursor.length > MAX_LENGTH) return null;
  const bytes = toBytes(cursor);
  if (!bytes || bytes.length <= SEAL_BYTES || toText(bytes) !== cursor) return null;
  const payload = new TextDecoder().decode(bytes.subarray(SEAL_BYTES));
  if (!same(bytes.subarray(0, SEAL_BYTES), sealOf(payload, bound, seal))) return null;
  return JSON.parse(payload) as string[];
}
