import type { ExportJob } from '#app/export/csv.ts';
import { download, writeCsv } from '#app/export/file.ts';
import type { StoredReceipt } from '#app/counts/cache-port.ts';
import { methodNote, type NoteSeries } from '#app/export/note.ts';
import { usd } from '#core/counts/price.ts';
import type { Toasts } from '#app/ui/toasts.svelte.ts';
import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

/** Files of what is on screen, one at a time. */
export class Exports {
  readonly #board: Board;
  readonly #toasts: Toasts;
  readonly #copy: (text: string) => Promise<void>;
  readonly #receipts: (key: string) => Promise<readonly StoredReceipt[]>;
  progress = $state.raw<{ rows: number; total: number } | null>(null);
  #stop: AbortController | null = null;

  readonly buckets = $derived.by(() => this.#board.rows.to - this.#board.rows.from);
  /** The visible series that have been asked. */
  readonly series: readonly BoardSeries[] = $derived.by(() =>
    this.#board.visible.filter((one) => one.shown !== ''),
  );

  /** @param receipts - Of a series of the cache, by its key. */
  constructor(
    board: Board,
    toasts: Toasts,
    copy: (text: string) => Promise<void>,
    receipts: (key: string) => Promise<readonly StoredReceipt[]>,
  ) {
    this.#board = board;
    this.#toasts = toasts;
    this.#copy = copy;
    this.#receipts = receipts;
  }

  /** What a file is made of: counts of buckets that are not here yet are missing, not zero. */
  job(form: ExportJob['form']): ExportJob {
    const { bounds, sourceId } = this.#board;
    const { from, to } = this.#board.rows;
    return {
      form,
      source: sourceId,
      bounds: bounds.slice(from, to + 1),
      series: this.series.map((one) => {
        const curve = one.curveOf(bounds);
        return {
          query: one.shown,
          label: one.name,
          counts: curve
            ? curve.counts.slice(from, to)
            : new Float64Array(to - from).fill(Number.NaN),
          states: curve ? curve.states.slice(from, to) : new Uint8Array(to - from),
          fetchedAt: curve
            ? curve.fetchedAt.slice(from, to)
            : new Float64Array(to - from).fill(Number.NaN),
        };
      }),
    };
  }

  #name(): string {
    const { from, to } = this.#board.rangeText(this.#board.window);
    const days = `${from.slice(0, 10)}_${to.slice(0, 10)}`;
    return `groundswell_${this.#board.sourceId}_${days}_${this.#board.resolution}`;
  }

  async csv(form: ExportJob['form']): Promise<void> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    const name = `${this.#name()}_${form}.csv`;
    this.progress = { rows: 0, total: 0 };
    try {
      const file = await writeCsv(
        { job: this.job(form), zone: this.#board.zone },
        stop.signal,
        (rows, total) => {
          if (!stop.signal.aborted) this.progress = { rows, total };
        },
      );
      download(file, name);
      this.#toasts.show(`Saved ${name}`);
    } catch (error) {
      if (stop.signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      this.#toasts.show(`The file was not written: ${why}`);
    } finally {
      if (this.#stop === stop) [this.#stop, this.progress] = [null, null];
    }
  }

  cancel(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.progress = null;
  }

  async #noted(): Promise<NoteSeries[]> {
    const told = this.job('wide').series;
    const runs = this.series.map((one) => one.run);
    const priced = this.#board.sourceId === 'platform';
    return await Promise.all(
      told.map(async (one, i): Promise<NoteSeries> => {
        const { key = '', changes = [], seams = [], upperBounds = false } = runs[i] ?? {};
        const receipts = priced ? await this.#receipts(key).catch(() => null) : null;
        const paid = receipts && {
          pages: receipts.filter(({ price }) => price > 0).length,
          money: usd(receipts.reduce((sum, { price }) => sum + price, 0)),
        };
        return { ...one, paid, changes, seams, upperBounds };
      }),
    );
  }

  async note(): Promise<void> {
    const { zone, resolution, window, now, endpoint, source } = this.#board;
    const text = methodNote({
      source: this.#board.sourceId,
      posts: source?.posts ?? null,
      window,
      zone,
      resolution,
      endpoint,
      now,
      series: await this.#noted(),
    });
    try {
      await this.#copy(text);
      this.#toasts.show('The method note is on the clipboard.');
    } catch {
      download(
        new Blob([text], { type: 'text/plain;charset=utf-8' }),
        `${this.#name()}_method.txt`,
      );
      this.#toasts.show('The browser refused the clipboard: the note is saved as a file.');
    }
  }
}
