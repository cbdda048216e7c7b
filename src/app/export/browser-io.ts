import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { OptionsPlace } from './csv-options.ts';
import type { CopiedTable } from './table.ts';

/** Browser functions that exports use. */
export interface BrowserIo extends OptionsPlace {
  copy(text: string): Promise<void>;
  copyTable(table: CopiedTable): Promise<void>;
  /**
   * Lets the user choose where to save a file that is written as it is made; null if the browser does not support it.
   * Rejects with an `AbortError` if the user cancels.
   */
  readonly place: ((name: string) => Promise<FileSystemFileHandle>) | null;
  receipts(series: string): Promise<readonly StoredReceipt[]>;
  /** Backs up these series of the cache. */
  exportPages(series: readonly string[]): Promise<Blob>;
  /** Imports the pages of such a backup into the cache. Never replaces better ones. */
  importPages(pages: Blob): Promise<void>;
  print(): void;
}

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;

export function browserIo(
  copy: (text: string) => Promise<void>,
  inventory: InventoryClient,
  { storage, locale }: OptionsPlace,
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
    locale,
    receipts: (series) => inventory.receipts(series),
    exportPages: (series) => inventory.export(series),
    importPages: async (pages) => void (await inventory.import(pages)),
    print: () => window.print(),
  };
}
