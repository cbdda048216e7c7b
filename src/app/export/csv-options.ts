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

/** The options as they were last chosen; commas and no mark where they never were, or cannot be read. */
export function loadOptions(storage: Storage | null): CsvOptions {
  const words = (storage?.getItem(KEY) ?? '').split(' ');
  return { separator: words.includes('semicolons') ? ';' : ',', mark: words.includes('mark') };
}

/** Keeps the options for the next visit, where the browser lets it. */
export function storeOptions(storage: Storage | null, { separator, mark }: CsvOptions): void {
  const words = [...(separator === ';' ? ['semicolons'] : []), ...(mark ? ['mark'] : [])];
  try {
    storage?.setItem(KEY, words.join(' '));
  } catch {
    // Storage is full or blocked: the choice lasts for this visit.
  }
}
