const INSTEAD = '[token]';

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
  ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

/** Takes a secret out of what is told, in whatever form it comes back. */
export interface Scrub {
  text(text: string): string;
  /** The same bytes where they do not hold the secret. */
  bytes(body: Uint8Array): Uint8Array;
}

export function scrubOf(secret: string): Scrub {
  const forms = formsOf(secret);
  const clean = (text: string): string =>
    forms.reduce((left, form) => left.replaceAll(form, INSTEAD), text);
  return {
    text: clean,
    bytes: (body) => {
      const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      if (!forms.some((form) => view.includes(form))) return body;
      return Buffer.from(clean(view.toString('latin1')), 'latin1');
    },
  };
}
