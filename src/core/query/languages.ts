import { nearest } from './nearest.ts';

/**
 * The codes by which the platform classifies Posts (platform-facts 2.1: its newest page and an older one), `und` for
 * Posts without a language, and `zh`, which covers both Chinese codes.
 */
const CODES: ReadonlySet<string> = new Set(
  (
    'am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu iw hi hu in it ja kn ko lv lt ml mr no fa pl pt ro ru sr ' +
    'zh-cn sk sl es sv ta te th zh-tw tr uk ur vi bs my ht hi-latn is km lo dv ne or pa ps ckb tl bo ug und zh'
  ).split(' '),
);

/** Codes that the platform replaces by an older or a wider one. */
const REPLACED: Readonly<Record<string, string>> = {
  id: 'in',
  he: 'iw',
  nb: 'no',
  nn: 'no',
  fil: 'tl',
};

/** True if the platform classifies Posts by a code. */
export function isLanguage(code: string): boolean {
  return CODES.has(code.toLowerCase());
}

/** The language most spoken in a country, by its code of two letters: `ja` of `jp`. */
function languageOf(country: string): string | undefined {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  // ZZ is the region of what has none.
  const known = /^[a-z]{2}$/.test(country) && names.of(country.toUpperCase()) !== undefined;
  if (!known || country === 'zz') return undefined;
  return new Intl.Locale(`und-${country}`).maximize().language;
}

/**
 * The code that was probably meant by one that the platform does not have: its replacement, its language without a
 * region, the language of a country, or the most similar one. Undefined if there is none.
 */
export function languageFor(code: string): string | undefined {
  const folded = code.toLowerCase();
  const [base = ''] = folded.split('-');
  const country = languageOf(folded);
  // Of three letters in two: `ger` and `deu` are `de`.
  const canonical = /^[a-z]{2,3}$/.test(base) ? new Intl.Locale(base).language : undefined;
  const likely = [REPLACED[base], base, canonical, country, nearest(folded, CODES)];
  return likely.find((each) => each !== undefined && each !== folded && CODES.has(each));
}
