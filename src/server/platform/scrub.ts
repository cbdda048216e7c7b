const REPLACEMENT = '[token]';

/** This many consecutive characters of a secret are a long part of it. */
const LONG_PART = 12;
/** A part with fewer different characters is a run such as `AAAAAAAAAAAA`, with which many tokens begin. */
const MIN_DIFFERENT = 5;
/** Number of nested encodings that are undone. */
const DEPTH = 3;

/**
 * Base64 of a text at any position in a longer one: the characters that do not depend on their
 * neighbours, for each alignment.
 */
function alignedBase64(text: string): string[] {
  return [0, 1, 2].map((skip) => {
    const bytes = Buffer.concat([Buffer.alloc(skip), Buffer.from(text)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
    return whole.slice(skip === 0 ? 0 : 4);
  });
}

/** The forms in which a text may come back. */
function formsOf(secret: string): string[] {
  let plain = secret;
  try {
    plain = decodeURIComponent(secret);
  } catch {
    // Not escaped, then.
  }
  const texts = [secret, plain, encodeURIComponent(secret)];
  const forms = texts.flatMap((text) => [
    text,
    text.replaceAll('/', String.raw`\/`),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
    ...alignedBase64(text),
    ...alignedBase64(text).map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('hex').toUpperCase(),
  ]);
  // At some alignments, too little of a short text remains to identify it.
  const long = forms.filter((form) => form.length >= Math.min(secret.length, LONG_PART) / 2);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

const ESCAPE =
  /\\u\{?([\da-f]{2,6})\}?|(?:\\x|%u00|%|=|0x|U\+00)([\da-f]{2})[,;]?|&#x0*([\da-f]{1,6});?|&#0*(\d{1,7});?|\\([0-7]{3})|\\(.)|&[a-z]{2,8};/gi;

/**
 * Undoes JSON and C escapes, percent, quoted-printable, HTML entities; `%25` and the like need another
 * round.
 */
function unescaped(text: string): string {
  return text.replace(
    ESCAPE,
    (_, wide?: string, hex?: string, entity?: string, decimal?: string, octal?: string) => {
      const code =
        octal !== undefined
          ? parseInt(octal, 8)
          : decimal !== undefined
            ? Number(decimal)
            : parseInt(wide ?? hex ?? entity ?? '', 16);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ' ';
    },
  );
}

/** Only readable stretches: text that was not encoded decodes to noise. */
function readable(bytes: Buffer): string {
  return (
    bytes
      .toString('latin1')
      .replaceAll('\0', '')
      .match(/[ -~]{4,}/g) ?? []
  ).join(' ');
}

/** Everything that a text may be an encoding of, in one step; base64 and hex at every alignment. */
function* decodings(text: string): Generator<string> {
  yield unescaped(text);
  const base64 = text.replaceAll(/[^\w+/-]+/g, '');
  for (let skip = 0; skip < 4; skip += 1) {
    yield readable(Buffer.from(base64.slice(skip), 'base64'));
  }
  yield text.replaceAll(/[\w+/-]{2,}={0,2}/g, (run) => readable(Buffer.from(run, 'base64')));
  for (const [run] of text.replaceAll(/[^\da-z]+/gi, '').matchAll(/[\da-f]{16,}/gi)) {
    yield readable(Buffer.from(run, 'hex'));
    yield readable(Buffer.from(run.slice(1), 'hex'));
  }
  for (const [list] of text.matchAll(/\d{2,3}(?:\D{1,4}\d{2,3}){7,}/g)) {
    yield readable(Buffer.from((list.match(/\d+/g) ?? []).map(Number)));
  }
}

/** Letters and digits alone, so that quotes, commas or line ends separate nothing. */
function squeezed(text: string): string {
  return text.replaceAll(/[^\da-z]+/gi, '');
}

/** The strings of a JSON value, without the names between them. */
function stringsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(stringsOf).join('');
}

function jsonStrings(text: string): string {
  try {
    return stringsOf(JSON.parse(text));
  } catch {
    return '';
  }
}

/** True if a text contains a long part of a secret, undecoded. */
function partFinder(secret: string): (text: string) => boolean {
  const whole = squeezed(secret);
  const length = Math.min(LONG_PART, whole.length);
  const parts = new Set<string>();
  for (let at = 0; at + length <= whole.length; at += 1) {
    const part = whole.slice(at, at + length);
    if (new Set(part).size >= Math.min(MIN_DIFFERENT, new Set(whole).size)) parts.add(part);
  }
  return (text) => {
    const packed = squeezed(text);
    for (let at = 0; at + length <= packed.length; at += 1) {
      if (parts.has(packed.slice(at, at + length))) return true;
    }
    return false;
  };
}

/** Removes a secret from texts, in whatever form it comes back. */
export function scrubOf(secret: string) {
  const forms = formsOf(secret);
  const finders = [...new Set([secret, unescaped(secret)])].map(partFinder);
  const clean = (text: string): string =>
    forms.reduce((rest, form) => rest.replaceAll(form, REPLACEMENT), text);
  return {
    text: clean,
    /** The same bytes if they do not contain the secret. */
    bytes: (body: Uint8Array): Uint8Array => {
      const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      if (!forms.some((form) => view.includes(form))) return body;
      return Buffer.from(clean(view.toString('latin1')), 'latin1');
    },
    /** True if a text contains a long part of the secret in any decoding, and so must not be passed on. */
    holdsPart: (text: string): boolean => {
      const seen = new Set<string>();
      let layer = [text, jsonStrings(text)];
      for (let depth = 0; depth <= DEPTH; depth += 1) {
        const fresh = layer.filter((each) => each.length > 0 && !seen.has(each));
        for (const each of fresh) {
          seen.add(each);
          if (finders.some((found) => found(each))) return true;
        }
        if (depth < DEPTH) layer = fresh.flatMap((each) => [...decodings(each)]);
      }
      return false;
    },
  };
}
