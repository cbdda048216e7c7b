import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { Storage } from './csv-options.ts';
import type { CopiedTable } from './table.ts';

/** What exports need of the browser. */
export interface BrowserIo {
  copy(text: string): Promise<void>;
  copyTable(table: CopiedTable): Promise<void>;
  /**
   * Lets the user choose a place for a file that is written as it is made. Null where the browser cannot.
   * Rejects with an `AbortError` where the user does not want to.
   */
  readonly place: ((name: string) => Promise<FileSystemFileHandle>) | null;
  readonly storage: Storage | null;
  receipts(series: string): Promise<readonly StoredReceipt[]>;
  /** A backup of these series of the cache. */
  exportPages(series: readonly string[]): Promise<Blob>;
  /** Takes the pages of such a backup into the cache, never over better ones. */
  importPages(pages: Blob): Promise<void>;
  print(): void;
}

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;

export function browserIo(
  copy: (text: string) => Promise<void>,
  shelf: InventoryClient,
  storage: Storage | null,
): BrowserIo {
  const picker = (window as { showSaveFilePicker?: Picker }).showSaveFilePicker?.bind(window);
  return {
    copy,
    copyTable: ({ html, text }) =>
      navigator.clipboard.write([
        new ClipboardItem({
          'text/html': new Blob([html], { type: 'text/html' }),
          'text/plain': new Blob([text], { type: 'text/plain' }),
        }),
      ]),
    place: picker ? (name) => picker({ suggestedName: name }) : null,
    storage,
    receipts: (series) => shelf.receipts(series),
    exportPages: (series) => shelf.export(series),
    importPages: async (pages) => void (await shelf.import(pages)),
    print: () => window.print(),
  };
}
