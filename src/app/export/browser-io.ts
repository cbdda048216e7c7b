import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import type { OptionsPlace } from './csv-options.ts';
import type { CopiedTable } from './table.ts';

/** Browser functions that exports use. */
export interface BrowserIo extends OptionsPlace {
  /**
   * Copies a text, or a table in its two formats, once it is made. Called in the click itself: Safari lets a page write to
   * the clipboard only then, but waits for what it was promised.
   */
  copy(made: Promise<Copied>, kind: 'text' | 'table'): Promise<void>;
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

/** The content for the clipboard: a text, and a table also as HTML. */
export type Copied = Pick<CopiedTable, 'text'> & Partial<CopiedTable>;

type Picker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;

export function browserIo(
  inventory: InventoryClient,
  { storage, locale }: OptionsPlace,
): BrowserIo {
  const picker = (window as { showSaveFilePicker?: Picker }).showSaveFilePicker?.bind(window);
  return {
    copy: async (made, kind) => {
      const part = (of: 'text' | 'html', type: string): Promise<Blob> =>
        made.then((copied) => new Blob([copied[of] ?? ''], { type }));
      const text = { 'text/plain': part('text', 'text/plain') };
      const html = kind === 'table' && { 'text/html': part('html', 'text/html') };
      await navigator.clipboard.write([new ClipboardItem({ ...text, ...html })]);
    },
    place: picker ? (name) => picker({ suggestedName: name }) : null,
    storage,
    locale,
    receipts: (series) => inventory.receipts(series),
    exportPages: (series) => inventory.export(series),
    importPages: async (pages) => void (await inventory.import(pages)),
    print: () => window.print(),
  };
}
