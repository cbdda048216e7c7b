import { keepOptions, keptOptions, type CsvOptions } from '#app/export/csv-options.ts';
import type { ExportJob } from '#app/export/csv.ts';
import { download } from '#app/export/download.ts';
import type { OpenedBundle } from '#app/export/bundle.ts';
import type { FileSeries } from '#app/export/fixed.ts';
import type { JsonJob } from '#app/export/json.ts';
import type { ExportMeans } from '#app/export/means.ts';
import type { Cells } from '#app/export/table.ts';
import type { ChartSnapshot } from '#app/chart/snapshot.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Board } from './board.svelte.ts';
import type { BoardExtras } from './export-input.ts';
import type { BoardSeries } from './series.svelte.ts';
import { toldSeries } from './told.ts';
import { plural, type Words } from './words.ts';

/** From so many rows on a place on the disk is asked for, where the browser can write to one: about 30 MB. */
const LARGE_ROWS = 250_000;
/** Links beyond are cut by some programs that pass them on. */
const LONG_LINK = 8_000;

/** A file that was opened. */
export type OpenedFile =
  | ({ readonly kind: 'bundle' } & OpenedBundle)
  | { readonly kind: 'csv'; readonly series: readonly FileSeries[] };

const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';
const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What files are made of, fetched when the first is asked for. */
const inputs = (): Promise<typeof import('./export-input.ts')> => import('./export-input.ts');
const files = (): Promise<typeof import('#app/export/file.ts')> => import('#app/export/file.ts');
const tables = (): Promise<typeof import('#app/export/table.ts')> => import('#app/export/table.ts');

/** Files of what is on screen, one at a time, and files that come back. */
export class Exports {
  readonly #board: Board;
  readonly #toasts: Toasts;
  readonly #means: ExportMeans;
  /** Of the file being written; `total` 0 where it is not known. */
  progress = $state.raw<{ rows: number; total: number } | null>(null);
  #options = $state.raw<CsvOptions>({ separator: ',', mark: false });
  #stop: AbortController | null = null;
  /** The chart as it stands on screen; the picture puts it here. */
  snapshot: () => ChartSnapshot | null = () => null;

  /** What of the board no view holds; who has it puts it here. */
  extras: () => BoardExtras = () => ({ name: '', notes: [] });

  readonly buckets = $derived.by(() => this.#board.rows.to - this.#board.rows.from);
  /** The visible series that have been asked. */
  readonly series: readonly BoardSeries[] = $derived.by(() => toldSeries(this.#board));

  constructor(board: Board, toasts: Toasts, means: ExportMeans) {
    this.#board = board;
    this.#toasts = toasts;
    this.#means = means;
    this.#options = keptOptions(means.storage);
  }

  get options(): CsvOptions {
    return this.#options;
  }

  /** Chooses what the user's spreadsheet wants, for the next visits too. */
  choose(options: CsvOptions): void {
    this.#options = options;
    keepOptions(this.#means.storage, options);
  }

  /** Does one piece of work at a time; what fails is told. @returns Null where it failed or was cancelled. */
  async #work<T>(failed: string, act: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    this.progress = { rows: 0, total: 0 };
    try {
      return await act(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted && !isAbort(error)) this.#toasts.show(`${failed}: ${whyOf(error)}`);
      return null;
    } finally {
      if (this.#stop === stop) [this.#stop, this.progress] = [null, null];
    }
  }

  cancel(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.progress = null;
  }

  async #write(rows: number, name: string, job: () => ExportJob | JsonJob): Promise<void> {
    await this.#work('The file was not written', async (signal) => {
      const to = rows >= LARGE_ROWS ? ((await this.#means.place?.(name)) ?? null) : null;
      const { writeFile } = await files();
      const file = await writeFile(job(), this.#board.zone, to, signal, (rows, total) => {
        if (!signal.aborted) this.progress = { rows, total };
      });
      if (file) download(file, name);
      this.#toasts.show(`Saved ${to?.name ?? name}`);
    });
  }

  async csv(form: ExportJob['form']): Promise<void> {
    const rows = form === 'wide' ? this.buckets : this.buckets * this.series.length;
    const { csvJob, fileName } = await inputs();
    const name = `${fileName(this.#board)}_${form}.csv`;
    await this.#write(rows, name, () => csvJob(this.#board, form, this.#options));
  }

  async json(): Promise<void> {
    const rows = this.buckets * this.series.length;
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
  async copySummary(words: Words): Promise<void> {
    const { summaryTable } = await inputs();
    await this.#copyTable(summaryTable(this.#board, words), 'The summary is on the clipboard.');
  }

  /** Copies the buckets in sight as a table, as many as a clipboard should hold. */
  async copyBuckets(): Promise<void> {
    const [{ toldOf }, { bucketTable, MOST_ROWS }] = await Promise.all([inputs(), tables()]);
    const { bounds, series } = toldOf(this.#board);
    const done =
      this.buckets > MOST_ROWS
        ? `The first ${MOST_ROWS} of ${this.buckets} buckets are on the clipboard; a CSV holds them all.`
        : 'The buckets are on the clipboard.';
    await this.#copyTable(bucketTable(bounds, series, this.#board.table), done);
  }

  /** Saves the chart as it stands. */
  async picture(form: 'png' | 'svg', words: Words): Promise<void> {
    const chart = this.snapshot();
    if (!chart) {
      this.#toasts.show('There is no chart to save yet.');
      return;
    }
    await this.#work('The picture was not made', async (signal) => {
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
    await this.#work('The bundle was not written', async (signal) => {
      const { bundleInput, fileName } = await inputs();
      const input = await bundleInput(this.#board, this.extras(), this.#means.pages);
      const { writeBundleFile } = await files();
      const file = await writeBundleFile(input, signal);
      const name = `${fileName(this.#board)}.groundswell`;
      download(file, name);
      const left = this.#board.picture.comparison === 'none' ? '' : ', without the time before';
      this.#toasts.show(`Saved ${name}: it opens elsewhere to the same picture${left}.`);
    });
  }

  /**
   * Opens a bundle or a CSV.
   *
   * @returns Null where it could not be read, which is told.
   */
  async open(file: File): Promise<OpenedFile | null> {
    return await this.#work(
      `“${file.name}” was not opened`,
      async (signal): Promise<OpenedFile> => {
        const { readBundleFile, readCsvFile } = await files();
        if (/\.(csv|tsv|txt)$/i.test(file.name) || file.type === 'text/csv') {
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
    await this.#work('The pages were not kept', async () => {
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

  print(): void {
    this.#means.print();
  }

  /**
   * Puts a link to the view on the clipboard. What no link carries is named, and a bundle offered for it.
   */
  async share(link: string): Promise<void> {
    const files = this.#board.series.filter((one) => one.kind === 'file').length;
    const notes = this.extras().notes.length;
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
