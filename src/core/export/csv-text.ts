/**
 * Characters that some program takes for the end of a cell, whatever this file's separator is: in other locales,
 * programs split a CSV at semicolons or tabs, and quotes inside a cell do not protect their content.
 */
const CELL_ENDS = /([,;|\t\n\v\f\r\u0085\u2028\u2029])/u;
/** Characters that spreadsheets ignore before a formula. */
const UNSEEN = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]+/u;
/** The same after a separator, where a quote may open a cell. */
const UNSEEN_OR_QUOTE = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}"]+/u;
/** First characters of a formula, checked after normalization because full-width forms count too. */
const FORMULA = /^[=+\-@\u2212]/;

/** True if a part needs an apostrophe: it may be taken for a formula, or {@link plainText} would remove its own. */
function needsApostrophe(part: string, first: boolean): boolean {
  if (part.startsWith("'")) return true;
  const seen = part.replace(first ? UNSEEN : UNSEEN_OR_QUOTE, '');
  return (
    seen !== '' && FORMULA.test(String.fromCodePoint(seen.codePointAt(0) ?? 0).normalize('NFKC'))
  );
}

/**
 * Escapes a text so that spreadsheets take no part of it for a formula, whatever their separator. A leading apostrophe
 * is added to each part that begins with an apostrophe or, after any invisible characters, with `=`, `+`, `-`, `@` or a
 * variant of these. Parts are divided by commas, semicolons, tabs, bars and line breaks. A text that begins with a tab
 * or a line break gets an apostrophe too. {@link plainText} removes exactly these.
 */
export function safeText(text: string): string {
  const parts = text.split(CELL_ENDS);
  // Parts and separators alternate.
  if (parts.length === 1) return needsApostrophe(text, true) ? `'${text}` : text;
  const begins = /^[\t\n\r]/.test(text);
  return parts
    .map((part, i) =>
      i % 2 === 0 && ((i === 0 && begins) || needsApostrophe(part, i === 0)) ? `'${part}` : part,
    )
    .join('');
}

/** Reverses {@link safeText}: removes one leading apostrophe from each part. */
export function plainText(safe: string): string {
  if (!safe.includes("'")) return safe;
  const parts = safe.split(CELL_ENDS);
  return parts.map((part) => (part.startsWith("'") ? part.slice(1) : part)).join('');
}

/** Formats a {@link safeText} as a CSV cell (RFC 4180), quoted if any program may find a separator in it. */
export function textCell(text: string): string {
  const safe = safeText(text);
  const plain = !CELL_ENDS.test(safe) && !safe.includes('"') && safe.trim() === safe;
  return plain ? safe : `"${safe.replaceAll('"', '""')}"`;
}
