import { escapedText, wholeLength } from './utf8.ts';

/** The encoding of the bytes of a table, by its WHATWG name. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
  'windows-1250',
  'windows-1251',
  'windows-1254',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Bytes of a file that suffice to recognise its encoding, its header and its columns. */
export const SAMPLE_BYTES = 256 * 1024;

/** Bytes whose zeros are counted; UTF-16 of Latin letters shows at once. */
const PROBED = 4096;

/** UTF-16 without a mark: nearly every second byte of Latin text is zero. */
function wideOrder(bytes: Uint8Array): Encoding | null {
  const end = Math.min(bytes.length, PROBED) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < end; at += 2) {
    if (bytes[at] === 0) even += 1;
    if (bytes[at + 1] === 0) odd += 1;
  }
  const most = end / 2;
  if (most < 4) return null;
  if (odd > 0.6 * most && even < 0.1 * most) return 'utf-16le';
  return even > 0.6 * most && odd < 0.1 * most ? 'utf-16be' : null;
}

/** Escaped bytes, as `escapedText` marks them, and characters beyond ASCII. */
const ESCAPED = /[\udc80-\udcff]/gu;
const BEYOND_ASCII = /[^\0-\x7f\ud800-\udfff]/gu;

const KANA = /[\u3040-\u30ff]/gu;

/** Japanese in Shift_JIS: no byte is invalid, and kana are frequent, which few texts of other encodings have by chance. */
function isShiftJis(sample: Uint8Array): boolean {
  try {
    const text = new TextDecoder('shift_jis', { fatal: true }).decode(sample, { stream: true });
    const kana = text.match(KANA)?.length ?? 0;
    return kana > 0.1 * (text.match(BEYOND_ASCII)?.length ?? 0);
  } catch {
    return false;
  }
}

/**
 * The encoding of a text by its first bytes: a byte-order mark decides; else UTF-16 by its zeros, UTF-8 where most of
 * what is not ASCII is valid, Shift_JIS where it reads as Japanese, and Windows-1252, as old exports and spreadsheets
 * write it, for the rest.
 */
export function guessEncoding(sample: Uint8Array): Encoding {
  const [a, b] = sample;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  const wide = wideOrder(sample);
  if (wide) return wide;
  const text = escapedText(sample.subarray(0, wholeLength(sample)));
  const wrong = text.match(ESCAPED)?.length ?? 0;
  if (wrong === 0) return 'utf-8';
  const right = text.match(BEYOND_ASCII)?.length ?? 0;
  if (right > wrong) return 'utf-8';
  return isShiftJis(sample) ? 'shift_jis' : 'windows-1252';
}

/**
 * Decodes the first bytes of a text, without its byte-order mark; bytes that are not UTF-8 are marked (see
 * `unreadable`).
 *
 * @param whole - Whether these are all bytes; otherwise a character that is cut off at the end is left out.
 */
export function decodeSample(sample: Uint8Array, encoding: Encoding, whole: boolean): string {
  const end = whole || encoding !== 'utf-8' ? sample.length : wholeLength(sample);
  const text =
    encoding === 'utf-8'
      ? escapedText(sample.subarray(0, end))
      : new TextDecoder(encoding, { ignoreBOM: true }).decode(sample, { stream: !whole });
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
