/**
 * The way texts are compared: search and counts ignore accents, the rules of a stream distinguish them
 * (docs.x.com, filtered-stream/integrate/build-a-rule, "Punctuation, diacritics, and case
 * sensitivity").
 */
export type TextMode = 'search' | 'stream';

/**
 * Marks that are dropped after a letter of the Latin or Greek script; other scripts keep theirs (й, が,
 * हि).
 */
const ACCENTS = /((?=\p{L})[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

const SLOW = 1;
const SHARP_S = 2;

/**
 * Folded unit of each UTF-16 unit, filled on demand: 0 if not met yet, {@link SLOW} if the result
 * depends on the neighbours, {@link SHARP_S} if it becomes `ss`.
 */
const FOLDED = new Uint16Array(0x10000);

let scratch = new Uint16Array(1024);

function foldWhole(text: string, mode: TextMode = 'search'): string {
  const lower = text.normalize('NFD').toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  return (mode === 'stream' ? lower : lower.replace(ACCENTS, '$1')).normalize('NFC');
}

function learn(unit: number): number {
  const char = String.fromCharCode(unit);
  let folded: number;
  if (unit <= SHARP_S) {
    folded = SLOW; // Their own values are the markers.
  } else if (unit >= 0xd800 && unit <= 0xdfff) {
    // Planes of emoji and of mathematical letters have no case and no decomposition; low halves follow
    // their high half.
    folded = unit >= 0xdc00 || unit === 0xd835 || (unit >= 0xd83c && unit <= 0xd83e) ? unit : SLOW;
  } else if (unit >= 0x1100 && unit <= 0x11ff) {
    folded = SLOW; // Hangul letters compose with their neighbours.
  } else if (unit === 0xfe0f || unit === 0x20e3) {
    folded = unit; // Marks that neither compose nor move.
  } else if (/\p{M}/u.test(char)) {
    folded = SLOW;
  } else {
    const whole = foldWhole(char);
    if (whole === 'ss') folded = SHARP_S;
    else folded = whole.length === 1 ? whole.charCodeAt(0) : SLOW;
  }
  FOLDED[unit] = folded;
  return folded;
}

/**
 * The form in which texts and queries are compared: lower case, without accents of Latin and Greek
 * letters, composed (NFC), `ss` for ß and one sigma. Nothing is decoded and nothing else removed.
 *
 * `fold(fold(x)) === fold(x)`.
 *
 * @param mode - `stream` keeps the accents.
 */
export function fold(text: string, mode: TextMode = 'search'): string {
  const n = text.length;
  let i = 0;
  while (i < n && text.charCodeAt(i) < 0x80) i++;
  if (i === n) return text.toLowerCase();
  if (mode === 'stream') return foldWhole(text, mode);

  if (scratch.length < 2 * n) scratch = new Uint16Array(4 * n);
  const out = scratch;
  let o = 0;
  for (i = 0; i < n; i++) {
    const unit = text.charCodeAt(i);
    const folded = FOLDED[unit] || learn(unit);
    if (folded > SHARP_S) {
      out[o++] = folded;
    } else if (folded === SHARP_S) {
      out[o++] = 0x73;
      out[o++] = 0x73;
    } else {
      return foldWhole(text);
    }
  }
  // A call puts its arguments on the stack, so long texts go in parts.
  if (o <= 4096) return String.fromCharCode.apply(null, out.subarray(0, o) as unknown as number[]);
  let whole = '';
  for (let at = 0; at < o; at += 4096) {
    whole += String.fromCharCode.apply(
      null,
      out.subarray(at, Math.min(at + 4096, o)) as unknown as number[],
    );
  }
  return whole;
}
