import type { Chrono } from 'chrono-node';
import type { FindDates } from './range-words.ts';

/** Languages whose dates are read, each loaded when it is needed. */
const LANGUAGES: Readonly<Record<string, () => Promise<{ readonly casual: Chrono }>>> = {
  de: () => import('chrono-node/de'),
  es: () => import('chrono-node/es'),
  fi: () => import('chrono-node/fi'),
  fr: () => import('chrono-node/fr'),
  it: () => import('chrono-node/it'),
  ja: () => import('chrono-node/ja'),
  nl: () => import('chrono-node/nl'),
  pt: () => import('chrono-node/pt'),
  ru: () => import('chrono-node/ru'),
  sv: () => import('chrono-node/sv'),
  uk: () => import('chrono-node/uk'),
};

/**
 * Loads what finds dates in a language. English is understood in every language, with the month first only in the
 * United States.
 *
 * @param locale - BCP 47.
 */
export async function dateFinder(locale: string): Promise<FindDates> {
  const [language = ''] = locale.toLowerCase().split('-');
  const [english, own] = await Promise.all([import('chrono-node/en'), LANGUAGES[language]?.()]);
  const fallback = locale.toLowerCase() === 'en-us' ? english.casual : english.GB;
  return (text, reference) => {
    const found = own?.casual.parse(text, reference) ?? [];
    return found[0]?.text.length === text.length ? found : fallback.parse(text, reference);
  };
}
