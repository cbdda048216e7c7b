const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
};

/** Reverses {@link escaped}. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity);
}

/**
 * Escapes a text for XML and HTML, also inside an attribute in double quotes, and removes characters that XML does not
 * allow.
 */
export function escaped(text: string): string {
  return [...text]
    .filter((sign) => {
      const code = sign.codePointAt(0) ?? 0;
      const control = code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d;
      return !control && code !== 0xfffe && code !== 0xffff && (code < 0xd800 || code > 0xdfff);
    })
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
