import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { ImportApi } from '#app/api/import-api.ts';
import type { ImportReport } from '#contract/control.ts';
import { Fault } from '#contract/fault.ts';
import { fileKind, HEAD_BYTES, type OtherKind } from './file-kind.ts';

/** The progress of the current import. */
export interface ImportProgress {
  readonly name: string;
  /** `queued`: the service has it, but reads another file first. */
  readonly phase: 'sending' | 'queued' | 'reading' | 'stopping';
  /** Bytes sent while sending, then bytes read. */
  readonly done: number;
  readonly total: number;
  /** Rows read so far. */
  readonly rows: number;
  readonly secondsLeft: number | null;
}

/** Why a file was not imported completely. */
export type ImportFault =
  /** A folder, or a file the browser may no longer read. */
  | { readonly kind: 'unreadable' }
  /** No answer came; `sent`: the service was reading it, so part of it may be imported. */
  | { readonly kind: 'away'; readonly sent: boolean }
  /** The service refused it. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  /** The import failed because of the file or the store. */
  | { readonly kind: 'failed'; readonly message: string };

/** The result of an import. */
export interface ImportOutcome {
  readonly id: number;
  readonly name: string;
  /** Null where nothing is known to have been read. */
  readonly summary: ImportReport | null;
  readonly fault: ImportFault | null;
}

export interface ImportQueueOptions {
  readonly api: ImportApi;
  /** Epoch ms. */
  readonly now: () => number;
  /** Makes a unique id for a job. */
  readonly id: () => string;
  /** Called when a file contained Posts. */
  readonly onimported: () => void;
  /** Handles files that are not posts. */
  readonly onother: (file: File, kind: OtherKind) => void;
}

/** The remaining time is estimated only after this time, ms. */
const FIRST_GUESS_MS = 1000;

function faultOf(error: unknown, sent: boolean): ImportFault {
  // Browsers throw this for a folder, and for a file that was moved or changed.
  if (error instanceof DOMException) return { kind: 'unreadable' };
  if (!(error instanceof Fault)) return { kind: 'failed', message: String(error) };
  if (error.body.type === UNREACHABLE) return { kind: 'away', sent };
  return { kind: 'refused', status: error.status, message: error.message };
}

/** Imports the user's files one after another, in the background. */
export class ImportQueue {
  readonly #deps: ImportQueueOptions;
  current = $state.raw<ImportProgress | null>(null);
  /** Files in the queue. */
  waiting = $state.raw<readonly File[]>([]);
  /** Oldest first. */
  outcomes = $state.raw<readonly ImportOutcome[]>([]);
  #ids = 1;
  #running = false;
  #work = '';
  #sending = new AbortController();

  constructor(deps: ImportQueueOptions) {
    this.#deps = deps;
  }

  /** Queues files: posts are imported, others passed on. Clears earlier outcomes. */
  take(files: readonly File[]): void {
    if (files.length === 0) return;
    if (!this.#running) this.outcomes = [];
    this.waiting = [...this.waiting, ...files];
    if (!this.#running) void this.#run();
  }

  /** Stops the current import, keeping what was read, and clears the queue. */
  async cancel(): Promise<void> {
    this.waiting = [];
    const { current } = this;
    if (!current || current.phase === 'stopping') return;
    this.current = { ...current, phase: 'stopping', secondsLeft: null };
    if (current.phase === 'sending') this.#sending.abort();
    // If the service is gone, the import itself fails.
    else await this.#deps.api.stop(this.#work).catch(() => undefined);
  }

  dismiss(): void {
    this.outcomes = [];
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      for (;;) {
        const [file, ...rest] = this.waiting;
        if (!file) return;
        this.waiting = rest;
        await this.#one(file);
      }
    } finally {
      this.#running = false;
    }
  }

  async #one(file: File): Promise<void> {
    const { api, id, now, onimported, onother } = this.#deps;
    const begin = { name: file.name, done: 0, total: file.size, rows: 0, secondsLeft: null };
    this.current = { ...begin, phase: 'sending' };
    this.#work = id();
    this.#sending = new AbortController();
    const { signal } = this.#sending;
    const began = now();
    let sent = false;
    const show = (change: Partial<ImportProgress>): void => {
      if (this.current && this.current.phase !== 'stopping') {
        this.current = { ...this.current, ...change };
      }
    };
    try {
      const kind = fileKind(
        file.name,
        new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()),
      );
      if (kind !== 'posts') return onother(file, kind);
      signal.throwIfAborted();
      const listeners = {
        onSent: (done: number): void => {
          const ms = now() - began;
          const guess = ms < FIRST_GUESS_MS || done === 0 ? null : (ms * (file.size - done)) / done;
          show({ done, secondsLeft: guess === null ? null : guess / 1000 });
        },
        onAllSent: (): void => {
          sent = true;
          show({ ...begin, phase: 'queued' });
        },
        onReading: (progress: {
          bytesRead: number;
          rows: number;
          secondsLeft: number | null;
        }): void =>
          show({
            phase: 'reading',
            done: progress.bytesRead,
            rows: progress.rows,
            secondsLeft: progress.secondsLeft,
          }),
      };
      const { summary, fault } = await api.import(file, this.#work, listeners, signal);
      this.#end(file, summary, fault === null ? null : { kind: 'failed', message: fault });
      if (summary && summary.added + summary.already > 0) onimported();
    } catch (error) {
      if (!signal.aborted) this.#end(file, null, faultOf(error, sent));
    } finally {
      this.current = null;
    }
  }

  #end({ name }: File, summary: ImportReport | null, fault: ImportFault | null): void {
    this.outcomes = [...this.outcomes, { id: this.#ids++, name, summary, fault }];
  }
}
