const INSTEAD = '[token]';

/** Characters in a row of a secret that are a long part of it. */
const LONG_PART = 12;
/** A part of fewer different characters is a run such as `AAAAAAAAAAAA`, which many tokens begin with. */
const LEAST_DIFFERENT = 5;
/** Encodings inside each other that are undone. */
const DEPTH = 3;

/** Base64 of a text wherever it lies in a longer one: the characters that are the same at each alignment. */
function alignedBase64(text: string): string[] {
  return [0, 1, 2].map((skip) => {
    const bytes = Buffer.concat([Buffer.alloc(skip), Buffer.from(text)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64');
    return whole.slice(skip === 0 ? 0 : 4);
  });
}

/** The forms in which a text may be told again. */
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
    ...alignedBase64(text).map((one) => one.replaceAll('+', '-').replaceAll('/', '_')),
    Buffer.from(text).toString('hex'),
    Buffer.from(text).toString('hex').toUpperCase(),
  ]);
  // What is left of a short text at an alignment is too little to be told by.
  const long = forms.filter((form) => form.length >= Math.min(secret.length, LONG_PART) / 2);
  return [...new Set(long)].sort((a, b) => b.length - a.length);
}

const ESCAPE =
  /\\u\{?([\da-f]{2,6})\}?|(?:\\x|%u00|%|=|0x|U\+00)([\da-f]{2})[,;]?|&#x0*([\da-f]{1,6});?|&#0*(\d{1,7});?|\\([0-7]{3})|\\(.)|&[a-z]{2,8};/gi;

/** JSON and C escapes, percent, quoted-printable, HTML entities; `%25` and the like leave some to the next round. */
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

/** Only readable stretches: what was not encoded decodes to noise. */
function readable(bytes: Buffer): string {
  return (
    bytes
      .toString('latin1')
      .replaceAll('\0', '')
      .match(/[ -~]{4,}/g) ?? []
  ).join(' ');
}

/** Everything that a text may be an encoding of, in one step; of base64 and hex at every alignment. */
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

/** Letters and digits alone: whatever else stands between them, quotes, commas or line ends, divides nothing. */
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

/** Whether a text holds a long part of a secret as it stands. */
function partFinder(secret: string): (text: string) => boolean {
  const whole = squeezed(secret);
  const least = Math.min(LONG_PART, whole.length);
  const parts = new Set<string>();
  for (let at = 0; at + least <= whole.length; at += 1) {
    const part = whole.slice(at, at + least);
    if (new Set(part).size >= Math.min(LEAST_DIFFERENT, new Set(whole).size)) parts.add(part);
  }
  return (text) => {
    const packed = squeezed(text);
    for (let at = 0; at + least <= packed.length; at += 1) {
      if (parts.has(packed.slice(at, at + least))) return true;
    }
    return false;
  };
}

/** Takes a secret out of what is told, in whatever form it comes back. */
export interface Scrub {
  text(text: string): string;
  /** The same bytes where they do not hold the secret. */
  bytes(body: Uint8Array): Uint8Array;
  /** Whether a text holds a long part of the secret in any decoding; for what is not to be passed on then. */
  holdsPart(text: string): boolean;
}

export function scrubOf(secret: string): Scrub {
  const forms = formsOf(secret);
  const finders = [...new Set([secret, unescaped(secret)])].map(partFinder);
  const clean = (text: string): string =>
    forms.reduce((left, form) => left.replaceAll(form, INSTEAD), text);
  return {
    text: clean,
    bytes: (body) => {
      const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      if (!forms.some((form) => view.includes(form))) return body;
      return Buffer.from(clean(view.toString('latin1')), 'latin1');
    },
    holdsPart: (text) => {
      const seen = new Set<string>();
      let layer = [text, jsonStrings(text)];
      for (let depth = 0; depth <= DEPTH; depth += 1) {
        const fresh = layer.filter((one) => one.length > 0 && !seen.has(one));
        for (const one of fresh) {
          seen.add(one);
          if (finders.some((found) => found(one))) return true;
        }
        if (depth < DEPTH) layer = fresh.flatMap((one) => [...decodings(one)]);
      }
      return false;
    },
  };
}
