/**
 * Bytes that are not UTF-8 are decoded to half surrogates, U+DC00 plus the byte, as Python's
 * `surrogateescape` does: a replacement character may be in the file itself, these cannot.
 */
const ESCAPE = 0xdc00;

/** Finds the marker of a byte that is not UTF-8. */
const UNREADABLE = /[\udc80-\udcff]/u;

/** The reason a text from {@link TextReader} is refused: the first byte in it that is not UTF-8, or null. */
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

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function strictText(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** Decodes UTF-8; bytes that are not UTF-8 are marked for {@link unreadable}. */
export function escapedText(bytes: Uint8Array): string {
  const all = strictText(bytes);
  if (all !== null) return all;
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    const length = lengthBy(byte);
    if (
      byte < 0x80 ||
      (length > 1 &&
        at + length <= bytes.length &&
        strictText(bytes.subarray(at, at + length)) !== null)
    ) {
      at += length;
      continue;
    }
    text += (strictText(bytes.subarray(from, at)) ?? '') + String.fromCharCode(ESCAPE + byte);
    at += 1;
    from = at;
  }
  return text + (strictText(bytes.subarray(from)) ?? '');
}

/** Length of the bytes without a character at their end that continues beyond it. */
export function wholeLength(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) return at + lengthBy(byte) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}
