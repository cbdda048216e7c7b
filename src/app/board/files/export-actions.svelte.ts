import type { CsvOptions } from '#app/export/csv-options.ts';
import type { BrowserIo } from '#app/export/browser-io.ts';
import type { HeadedCauses } from '#app/insight/breakdown/causes-text.ts';
import type { LiftReport } from '#app/lift/lift-report.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { errorMessage } from '#core/thrown.ts';
import type { ExportContext, ToCopy } from './save-files.ts';
import type { BoardExtras } from './bundle-input.ts';

type SaveFiles = typeof import('./save-files.ts');

const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** The longest that a print waits for counts; those of the platform may take minutes. */
const MOST_WAIT_MS = 5_000;

/** Makes files and copies of what is on screen, one at a time, with code that loads on first use. */
export class ExportActions {
  readonly board: Board;
  readonly #toasts: Toasts;
  readonly #io: BrowserIo;
  /** Progress of the file being written; `total` is 0 if unknown. */
  progress = $state.raw<{ rows: number; total: number } | null>(null);
  /** The CSV options chosen in this visit; null for those that are stored. */
  chosen = $state.raw<CsvOptions | null>(null);
  /**
   * The open dialog of a slide, with the causes that it names from the start, or the lift that it shows in place of the
   * chart; null while it is closed.
   */
  slide = $state.raw<{
    readonly about?: HeadedCauses | null;
    readonly lift?: LiftReport;
  } | null>(null);
  #stop: AbortController | null = null;
  /** The content of the chart; null until there is a curve. Set by the chart panel. */
  shown: () => Shown | null = () => null;
  /** Reads what the view does not hold; set by the owner of the notes. */
  extras: () => BoardExtras = () => ({ name: '', notes: [], events: [] });

  readonly buckets = $derived.by(() => this.board.time.rows.to - this.board.time.rows.from);
  readonly series: readonly BoardSeries[] = $derived.by(() => this.board.series.loaded);

  constructor(board: Board, toasts: Toasts, io: BrowserIo) {
    this.board = board;
    this.#toasts = toasts;
    this.#io = io;
  }

  /** The storage of the CSV options, and the locale of the usual ones. */
  get place(): Pick<BrowserIo, 'storage' | 'locale'> {
    return this.#io;
  }

  /**
   * Runs an action of `save-files.ts`.
   *
   * @returns Null if it was cancelled, or if it failed, in which case the user sees why.
   */
  async do<T>(act: (files: SaveFiles, context: ExportContext) => Promise<T>): Promise<T | null> {
    const files = await import('./save-files.ts').catch((error: unknown) => {
      this.#toasts.show(`The export code could not be loaded: ${errorMessage(error)}`);
      return null;
    });
    return files && (await act(files, this.#context()));
  }

  /** Copies what a function of `save-files.ts` makes. Called in the click itself, see {@link BrowserIo.copy}. */
  async copy(
    kind: 'text' | 'table',
    make: (files: SaveFiles, context: ExportContext) => Promise<ToCopy>,
  ): Promise<void> {
    const making = this.do(make);
    const content = making.then((made) => made!);
    const isCopied = await this.#io.copy(content, kind).then(
      () => true,
      () => false,
    );
    (await making)?.say(isCopied);
  }

  #context(): ExportContext {
    return {
      board: this.board,
      toasts: this.#toasts,
      io: this.#io,
      chosen: this.chosen,
      extras: () => this.extras(),
      shown: () => this.shown(),
      work: (failed, act) => this.#work(failed, act),
      onProgress: (rows, total) => (this.progress = { rows, total }),
    };
  }

  async #work<T>(failed: string, act: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    this.progress = { rows: 0, total: 0 };
    try {
      return await act(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted && !isAbort(error)) {
        this.#toasts.show(`${failed}: ${errorMessage(error)}`);
      }
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

  /** True while figures of the page wait for counts. */
  readonly loading = $derived.by(() => this.board.series.visible.some(({ loading }) => loading));

  print(): void {
    this.#io.print();
  }

  /** Prints the board once its figures are there, or after {@link MOST_WAIT_MS} as it is. */
  async printBoard(): Promise<void> {
    if (this.loading) {
      this.#toasts.show('Prints once the counts have loaded.');
      let stop = (): void => undefined;
      await new Promise<void>((resolve) => {
        setTimeout(resolve, MOST_WAIT_MS);
        stop = $effect.root(() => {
          $effect(() => {
            if (!this.loading) resolve();
          });
        });
      });
      stop();
    }
    this.print();
  }
}
