import { fold } from '#core/text/fold.ts';

/** Codes of the languages that exports name in English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  arabic: 'ar',
  bengali: 'bn',
  bulgarian: 'bg',
  catalan: 'ca',
  chinese: 'zh',
  croatian: 'hr',
  czech: 'cs',
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  estonian: 'et',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  greek: 'el',
  hebrew: 'iw',
  hindi: 'hi',
  hungarian: 'hu',
  icelandic: 'is',
  indonesian: 'in',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  latvian: 'lv',
  lithuanian: 'lt',
  norwegian: 'no',
  persian: 'fa',
  polish: 'pl',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  serbian: 'sr',
  slovenian: 'sl',
  spanish: 'es',
  swedish: 'sv',
  tamil: 'ta',
  thai: 'th',
  turkish: 'tr',
  ukrainian: 'uk',
  urdu: 'ur',
  vietnamese: 'vi',
};

/** Languages, other than English, in which files name languages; those of {@link LOCAL_NAMES}. */
const NAMING = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'ja'];

/** Codes by the names that the languages have in {@link NAMING} and in themselves. */
let localLanguages: ReadonlyMap<string, string> | null = null;

function localLanguagesOf(): ReadonlyMap<string, string> {
  const codes = [...new Set(Object.values(LANGUAGES))];
  return new Map(
    codes.flatMap((code) =>
      [...NAMING, code].flatMap((locale): [string, string][] => {
        const name = new Intl.DisplayNames(locale, { type: 'language' }).of(code);
        return name === undefined ? [] : [[fold(name), code]];
      }),
    ),
  );
}

/** The code of a language that a file names in English, in one of {@link NAMING} or in itself; other values unchanged. */
export function languageCode(value: string): string {
  const name = value.trim().toLowerCase();
  if (name.length <= 3 && !/[^a-z]/.test(name)) return value;
  const english = LANGUAGES[name];
  if (english !== undefined) return english;
  localLanguages ??= localLanguagesOf();
  return localLanguages.get(fold(name)) ?? value;
}
