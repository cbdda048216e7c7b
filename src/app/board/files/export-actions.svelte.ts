import { keepOptions, keptOptions, type CsvOptions } from '#app/export/csv-options.ts';
import type { BrowserIo } from '#app/export/browser-io.ts';
import type { ChartSnapshot } from '#app/chart/chart-props.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardExtras } from './export-input.ts';
import type { Exporter } from './exporter.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { toldSeries } from '#app/board/state/told.ts';

const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';
const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is to be told of files of what is on screen, which are made one at a time. */
export class ExportActions {
  readonly #board: Board;
  readonly #toasts: Toasts;
  readonly #means: BrowserIo;
  /** Of the file being written; `total` 0 where it is not known. */
  progress = $state.raw<{ rows: number; total: number } | null>(null);
  #options = $state.raw<CsvOptions>({ separator: ',', mark: false });
  #stop: AbortController | null = null;
  /** The chart as it stands on screen; the picture puts it here. */
  snapshot: () => ChartSnapshot | null = () => null;

  /** What of the board no view holds; who has it puts it here. */
  extras: () => BoardExtras = () => ({ name: '', notes: [] });

  readonly buckets = $derived.by(() => this.#board.time.rows.to - this.#board.time.rows.from);
  /** The visible series that have been asked. */
  readonly series: readonly BoardSeries[] = $derived.by(() => toldSeries(this.#board));

  constructor(board: Board, toasts: Toasts, means: BrowserIo) {
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
  async work<T>(failed: string, act: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
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

  /** Has a file or a copy made by what is fetched for it. @returns Null where that cannot be had, which is told. */
  async ask<T>(act: (exporter: Exporter) => Promise<T>): Promise<T | null> {
    const made = await import('./exporter.ts').catch((error: unknown) => {
      this.#toasts.show(`What makes files could not be fetched: ${whyOf(error)}`);
      return null;
    });
    return made && (await act(new made.Exporter(this, this.#board, this.#toasts, this.#means)));
  }

  print(): void {
    this.#means.print();
  }
}
