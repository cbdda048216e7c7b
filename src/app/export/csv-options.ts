import type { Separator } from './csv.ts';

/** Options of a CSV file for the user's spreadsheet. */
export interface CsvOptions {
  readonly separator: Separator;
  /** Whether the file begins with a byte-order mark. */
  readonly mark: boolean;
}

/** The part of `localStorage` that the options use. */
export type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>;

const KEY = 'groundswell-csv';

/** The options that were last chosen; commas and no mark if none were, or if they cannot be read. */
export function loadOptions(storage: Storage | null): CsvOptions {
  const words = (storage?.getItem(KEY) ?? '').split(' ');
  return { separator: words.includes('semicolons') ? ';' : ',', mark: words.includes('mark') };
}

/** Stores the options for the next visit, if the browser allows it. */
export function storeOptions(storage: Storage | null, { separator, mark }: CsvOptions): void {
  const words = [...(separator === ';' ? ['semicolons'] : []), ...(mark ? ['mark'] : [])];
  try {
    storage?.setItem(KEY, words.join(' '));
  } catch {
    // Storage is full or blocked, so the choice lasts only for this visit.
  }
}
