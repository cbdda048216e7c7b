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

/** Loads the options chosen last; commas and no mark if there are none or they cannot be read. */
export function keptOptions(storage: Storage | null): CsvOptions {
  const words = (storage?.getItem(KEY) ?? '').split(' ');
  return { separator: words.includes('semicolons') ? ';' : ',', mark: words.includes('mark') };
}

/** Saves the options for the next visit, if the browser allows it. */
export function keepOptions(storage: Storage | null, { separator, mark }: CsvOptions): void {
  const words = [...(separator === ';' ? ['semicolons'] : []), ...(mark ? ['mark'] : [])];
  try {
    storage?.setItem(KEY, words.join(' '));
  } catch {
    // Storage is full or blocked: the choice lasts for this visit.
  }
}
