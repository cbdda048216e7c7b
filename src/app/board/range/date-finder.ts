import type { Chrono } from 'chrono-node';
import { dateNames, type DateNames } from './date-names.ts';
import { VOCABULARIES, type DateVocabulary } from './date-vocabulary.ts';

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

/** The parts that read dates in a language. */
export interface DateLanguage {
  readonly names: DateNames;
  readonly vocabulary: DateVocabulary;
  /** Reads dates that name a weekday or a time. */
  readonly chrono: Chrono;
}

/** The parts of a date of numbers, in the order in which a locale writes them. */
export type NumberOrder = 'day-month' | 'month-day';

/** The parts that read the dates of a locale. */
export interface DateLanguages {
  /** The locale's own language, then English; English alone where the own language is not read. */
  readonly languages: readonly DateLanguage[];
  readonly order: NumberOrder;
  /** True if the locale writes the year first, so that `3/4/2026` has no usual order. */
  readonly yearFirst: boolean;
  /** The name of the locale's language, in English, if its dates are not read. */
  readonly unread: string | null;
}

function ordersOf(locale: string): Pick<DateLanguages, 'order' | 'yearFirst'> {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(0).map(({ type }) => type);
  const [year, month, day] = [parts.indexOf('year'), parts.indexOf('month'), parts.indexOf('day')];
  return { order: month < day ? 'month-day' : 'day-month', yearFirst: year < month };
}

/**
 * Loads what reads dates in the language of a locale, and in English.
 *
 * @param locale - BCP 47.
 */
export async function dateFinder(locale: string): Promise<DateLanguages> {
  const { language } = new Intl.Locale(locale);
  const orders = ordersOf(locale);
  const [english, own] = await Promise.all([import('chrono-node/en'), LANGUAGES[language]?.()]);
  const reader = (code: string, chrono: Chrono): DateLanguage => {
    const vocabulary = VOCABULARIES[code];
    if (!vocabulary) throw new RangeError(`expected a vocabulary of ${code}`);
    return { names: dateNames(code), vocabulary, chrono };
  };
  const usual = reader('en', orders.order === 'month-day' ? english.casual : english.GB);
  if (own) return { languages: [reader(language, own.casual), usual], ...orders, unread: null };
  const name = new Intl.DisplayNames('en', { type: 'language' }).of(language);
  return { languages: [usual], ...orders, unread: language === 'en' ? null : (name ?? language) };
}
