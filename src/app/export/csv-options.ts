import type { Separator } from '#core/export/csv.ts';
import { dateOrder } from '#core/format/date-text.ts';
import { decimalSign } from '#core/format/number-text.ts';

/** Options of a CSV file for the user's spreadsheet. */
export interface CsvOptions {
  readonly separator: Separator;
  /** True if the file begins with a byte-order mark. */
  readonly mark: boolean;
}

/** The part of `localStorage` that the options use. */
export type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

/** The storage of the options, and the locale of the usual ones. */
export interface OptionsPlace {
  readonly storage: Storage | null;
  readonly locale: string | undefined;
}

const KEY = 'groundswell-csv';

/**
 * The options that the spreadsheets of a locale expect: semicolons where the comma is the decimal sign, and a
 * byte-order mark where texts are not English, because without it they are read as Latin letters of an older encoding.
 */
function usualOptions(locale: string | undefined): CsvOptions {
  const comma = decimalSign(locale) === ',';
  return { separator: comma ? ';' : ',', mark: comma || dateOrder(locale).english === null };
}

/** The options that were last chosen; without a choice, what the locale's spreadsheets expect. */
export function loadOptions({ storage, locale }: OptionsPlace): CsvOptions {
  const chosen = storage?.getItem(KEY) ?? null;
  if (chosen === null) return usualOptions(locale);
  const words = chosen.split(' ');
  return { separator: words.includes('semicolons') ? ';' : ',', mark: words.includes('mark') };
}

/** Stores the options for the next visit, if the browser allows it. */
export function storeOptions(
  { storage }: Pick<OptionsPlace, 'storage'>,
  { separator, mark }: CsvOptions,
): void {
  const words = [...(separator === ';' ? ['semicolons'] : []), ...(mark ? ['mark'] : [])];
  try {
    storage?.setItem(KEY, words.join(' '));
  } catch {
    // Storage is full or blocked, so the choice lasts only for this visit.
  }
}
