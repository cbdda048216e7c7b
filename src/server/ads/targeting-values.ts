// Languages and countries, with the names of the Unicode CLDR that Node has, and the categories of the IAB.

/** A value that can be targeted. */
export interface TargetingValue {
  /** Code of ISO 639-1 or ISO 3166-1. */
  readonly value: string;
  /** In English. */
  readonly name: string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Codes of two letters that have a name of their own, in the order of the alphabet. */
function named(
  type: 'language' | 'region',
  form: (code: string) => string,
  isOwn: (code: string) => boolean,
): TargetingValue[] {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' });
  return Array.from(LETTERS).flatMap((first) =>
    Array.from(LETTERS).flatMap((second) => {
      const value = form(first + second);
      const name = names.of(value);
      return name === undefined || !isOwn(value) ? [] : [{ value, name }];
    }),
  );
}

/** Codes of the CLDR that are no country of ISO 3166-1: parts of countries, unions, and for tests. Kosovo's is in use. */
const NO_COUNTRIES = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' ');

let languages: readonly TargetingValue[] | null = null;
let countries: readonly TargetingValue[] | null = null;

/** Languages, by code. */
export function targetingLanguages(): readonly TargetingValue[] {
  // A code that was replaced is another one in its canonical form.
  languages ??= named(
    'language',
    (code) => code,
    (code) => Intl.getCanonicalLocales(code)[0] === code,
  );
  return languages;
}

/** Countries and territories, by code. */
export function targetingCountries(): readonly TargetingValue[] {
  countries ??= named(
    'region',
    (code) => code.toUpperCase(),
    (code) => new Intl.Locale(`und-${code}`).region === code && !NO_COUNTRIES.includes(code),
  );
  return countries;
}

/** The first tier of the IAB Content Taxonomy 1.0 (OpenRTB 2.6, section 5.1), `IAB1` and so on. */
export const IAB_CATEGORIES: readonly string[] = [
  'Arts & Entertainment',
  'Automotive',
  'Business',
  'Careers',
  'Education',
  'Family & Parenting',
  'Health & Fitness',
  'Food & Drink',
  'Hobbies & Interests',
  'Home & Garden',
  "Law, Gov't & Politics",
  'News',
  'Personal Finance',
  'Society',
  'Science',
  'Pets',
  'Sports',
  'Style & Fashion',
  'Technology & Computing',
  'Travel',
  'Real Estate',
  'Shopping',
  'Religion & Spirituality',
  'Uncategorized',
  'Non-Standard Content',
  'Illegal Content',
];
