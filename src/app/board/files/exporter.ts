import type { OpenedBundle } from '#app/export/bundle.ts';
import type { ExportJob } from '#app/export/csv.ts';
import { download } from '#app/export/download.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import type { JsonJob } from '#app/export/json.ts';
import type { BrowserIo } from '#app/export/browser-io.ts';
import type { Cells } from '#app/export/table.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { ExportActions } from './export-actions.svelte.ts';
import { plural, type Formatter } from '#app/format/formatter.ts';

/** From so many rows on a place on the disk is asked for, where the browser can write to one: about 30 MB. */
const LARGE_ROWS = 250_000;
/** Links beyond are cut by some programs that pass them on. */
const LONG_LINK = 8_000;

/** A file that was opened. */
type OpenedFile =
  | ({ readonly kind: 'bundle' } & OpenedBundle)
  | { readonly kind: 'csv'; readonly series: readonly FileSeries[] };

const inputs = (): Promise<typeof import('./export-input.ts')> => import('./export-input.ts');
const files = (): Promise<typeof import('#app/export/file.ts')> => import('#app/export/file.ts');
const tables = (): Promise<typeof import('#app/export/table.ts')> => import('#app/export/table.ts');

/** Makes files and copies of what is on screen, and opens files that come back. What goes wrong is told, never thrown. */
export class Exporter {
  readonly #exports: ExportActions;
  readonly #board: Board;
  readonly #toasts: Toasts;
  readonly #means: BrowserIo;

  constructor(exports: ExportActions, board: Board, toasts: Toasts, means: BrowserIo) {
    this.#exports = exports;
    this.#board = board;
    this.#toasts = toasts;
    this.#means = means;
  }

  async #write(rows: number, name: string, job: () => ExportJob | JsonJob): Promise<void> {
    await this.#exports.work('The file was not written', async (signal) => {
      const to = rows >= LARGE_ROWS ? ((await this.#means.place?.(name)) ?? null) : null;
      const { writeFile } = await files();
      const file = await writeFile(job(), this.#board.time.zone, to, signal, (rows, total) => {
        if (!signal.aborted) this.#exports.progress = { rows, total };
      });
      if (file) download(file, name);
      this.#toasts.show(`Saved ${to?.name ?? name}`);
    });
  }

  async csv(form: ExportJob['form']): Promise<void> {
    const rows =
      form === 'wide' ? this.#exports.buckets : this.#exports.buckets * this.#exports.series.length;
    const { csvJob, fileName } = await inputs();
    const name = `${fileName(this.#board)}_${form}.csv`;
    await this.#write(rows, name, () => csvJob(this.#board, form, this.#exports.options));
  }

  async json(): Promise<void> {
    const rows = this.#exports.buckets * this.#exports.series.length;
    const { fileName, jsonJob } = await inputs();
    await this.#write(rows, `${fileName(this.#board)}.json`, () => jsonJob(this.#board));
  }

  async #copyTable(cells: Cells, done: string): Promise<void> {
    const { copiedTable } = await tables();
    try {
      await this.#means.copyTable(copiedTable(cells));
      this.#toasts.show(done);
    } catch {
      this.#toasts.show('The browser refused the clipboard. A CSV holds the same numbers.');
    }
  }

  /** Copies rows that are shown as a table. */
  async copyRows(rows: Cells): Promise<void> {
    await this.#copyTable(rows, 'The table is on the clipboard.');
  }

  /** Copies the summary as a table. */
  async copySummary(words: Formatter): Promise<void> {
    const { summaryTable } = await inputs();
    await this.#copyTable(summaryTable(this.#board, words), 'The summary is on the clipboard.');
  }

  /** Copies the buckets in sight as a table, as many as a clipboard should hold. */
  async copyBuckets(): Promise<void> {
    const [{ toldOf }, { bucketTable, MOST_ROWS }] = await Promise.all([inputs(), tables()]);
    const { bounds, series } = toldOf(this.#board);
    const done =
      this.#exports.buckets > MOST_ROWS
        ? `The first ${MOST_ROWS} of ${this.#exports.buckets} buckets are on the clipboard; a CSV holds them all.`
        : 'The buckets are on the clipboard.';
    await this.#copyTable(bucketTable(bounds, series, this.#board.time.table), done);
  }

  /** Saves the chart as it stands. */
  async picture(form: 'png' | 'svg', words: Formatter): Promise<void> {
    const chart = this.#exports.snapshot();
    if (!chart) {
      this.#toasts.show('There is no chart to save yet.');
      return;
    }
    await this.#exports.work('The picture was not made', async (signal) => {
      const { pictureFile } = await import('#app/export/picture-file.ts');
      const { fileName, imageInput } = await inputs();
      const file = await pictureFile(imageInput(this.#board, chart, words), form);
      signal.throwIfAborted();
      const name = `${fileName(this.#board)}.${form}`;
      download(file, name);
      this.#toasts.show(`Saved ${name}`);
    });
  }

  /** Saves the board with its counts as one file. */
  async bundle(): Promise<void> {
    await this.#exports.work('The bundle was not written', async (signal) => {
      const { bundleInput, fileName } = await inputs();
      const input = await bundleInput(this.#board, this.#exports.extras(), this.#means.pages);
      const { writeBundleFile } = await files();
      const file = await writeBundleFile(input, signal);
      const name = `${fileName(this.#board)}.groundswell`;
      download(file, name);
      const left = this.#board.chart.comparison === 'none' ? '' : ', without the time before';
      this.#toasts.show(`Saved ${name}: it opens elsewhere to the same picture${left}.`);
    });
  }

  /**
   * Opens a bundle or a CSV.
   *
   * @returns Null where it could not be read, which is told.
   */
  async open(file: File, kind: 'counts' | 'bundle'): Promise<OpenedFile | null> {
    return await this.#exports.work(
      `“${file.name}” was not opened`,
      async (signal): Promise<OpenedFile> => {
        const { readBundleFile, readCsvFile } = await files();
        if (kind === 'counts') {
          const reading = await readCsvFile(file, signal);
          if (reading.ok) return { kind: 'csv', series: reading.series };
          const { problemWords } = await import('#app/export/read-csv.ts');
          throw new Error(problemWords(reading.problem));
        }
        const bundle = await readBundleFile(file, signal);
        return { kind: 'bundle', ...bundle };
      },
    );
  }

  /** Puts a bundle's pages of the platform into the cache, so that nobody buys them again. */
  async keep(pages: Blob): Promise<void> {
    await this.#exports.work('The pages were not kept', async () => {
      await this.#means.keep(pages);
      this.#toasts.show('The pages are in the cache of this browser now.');
    });
  }

  async #note(): Promise<string> {
    const [{ noteInput }, { methodNote }] = await Promise.all([
      inputs(),
      import('#app/export/note.ts'),
    ]);
    return methodNote(await noteInput(this.#board, this.#means.receipts));
  }

  /** Puts the method note on the clipboard. */
  async note(): Promise<void> {
    const text = await this.#note();
    try {
      await this.#means.copy(text);
      this.#toasts.show('The method note is on the clipboard.');
    } catch {
      await this.#saveNote(text);
      this.#toasts.show('The browser refused the clipboard: the note is saved as a file.');
    }
  }

  /** Saves the method note as a file, to lie beside one of numbers. */
  async noteFile(): Promise<void> {
    this.#toasts.show(`Saved ${await this.#saveNote(await this.#note())}`);
  }

  async #saveNote(text: string): Promise<string> {
    const { fileName } = await inputs();
    const name = `${fileName(this.#board)}_method.txt`;
    download(new Blob([text], { type: 'text/plain;charset=utf-8' }), name);
    return name;
  }

  /**
   * Puts a link to the view on the clipboard. What no link carries is named, and a bundle offered for it.
   */
  async share(link: string): Promise<void> {
    const files = this.#board.series.all.filter((one) => one.kind === 'file').length;
    const notes = this.#exports.extras().notes.length;
    const left = [
      ...(files > 0 ? [plural(files, 'series from a file', 'series from files')] : []),
      ...(notes > 0 ? [plural(notes, 'note')] : []),
    ];
    const bundle = { text: 'Save a bundle', act: () => void this.bundle() };
    try {
      await this.#means.copy(link);
    } catch {
      this.#toasts.show(`The browser refused the clipboard. Copy this: ${link}`);
      return;
    }
    if (left.length > 0) {
      this.#toasts.show(`The link is on the clipboard, without ${left.join(' and ')}.`, bundle);
    } else if (link.length > LONG_LINK) {
      const words = `The link is on the clipboard. It has ${link.length} letters; some programs cut it.`;
      this.#toasts.show(words, bundle);
    } else this.#toasts.show('The link to this view is on the clipboard.');
  }
}
