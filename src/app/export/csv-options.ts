import type { Separator } from './csv.ts';

/** What a user's spreadsheet wants of a CSV. */
export interface CsvOptions {
  readonly separator: Separator;
  /** Whether a byte-order mark comes first. */
  readonly mark: boolean;
}

/** What keeps a few words for the next visit. */
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
    // A full or closed storage: the choice holds for this visit.
  }
}
