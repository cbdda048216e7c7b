import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { ImportApi } from '#app/api/import-api.ts';
import type { ImportReport } from '#contract/control.ts';
import { Fault } from '#contract/fault.ts';
import { fileKind, HEAD_BYTES, type OtherKind } from './file-kind.ts';

/** How far the file is that is being imported. */
export interface IntakeProgress {
  readonly name: string;
  /** `queued`: it is with the service, which reads another one first. */
  readonly phase: 'sending' | 'queued' | 'reading' | 'stopping';
  /** Bytes: those sent while it is sent, then those read. */
  readonly done: number;
  readonly total: number;
  /** Rows read so far. */
  readonly rows: number;
  readonly secondsLeft: number | null;
}

/** Why a file did not come in, or not whole. */
export type IntakeFault =
  /** It is a folder, or the browser may no longer read it. */
  | { readonly kind: 'unreadable' }
  /** No answer came; `sent`: it was being read, so that some of it may be in. */
  | { readonly kind: 'away'; readonly sent: boolean }
  /** The service says why. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  /** What the import says of the file or the store. */
  | { readonly kind: 'failed'; readonly message: string };

/** What became of a file. */
export interface IntakeOutcome {
  readonly id: number;
  readonly name: string;
  /** Null where nothing is known to have been read. */
  readonly summary: ImportReport | null;
  readonly fault: IntakeFault | null;
}

export interface IntakeDeps {
  readonly desk: ImportApi;
  /** Epoch ms. */
  readonly now: () => number;
  /** A name that no other work bears. */
  readonly id: () => string;
  /** Called when a file brought posts. */
  readonly onimported: () => void;
  /** Takes files that are not posts. */
  readonly onother: (file: File, kind: OtherKind) => void;
}

/** Sending is told to take so long only after this. */
const FIRST_GUESS_MS = 1000;

function faultOf(error: unknown, sent: boolean): IntakeFault {
  // What the browser says of a folder, and of a file that was moved or changed.
  if (error instanceof DOMException) return { kind: 'unreadable' };
  if (!(error instanceof Fault)) return { kind: 'failed', message: String(error) };
  if (error.body.type === UNREACHABLE) return { kind: 'away', sent };
  return { kind: 'refused', status: error.status, message: error.message };
}

/** The files that the user gives, imported one after another while everything else goes on. */
export class ImportQueue {
  readonly #deps: IntakeDeps;
  current = $state.raw<IntakeProgress | null>(null);
  /** Files that wait for their turn. */
  waiting = $state.raw<readonly File[]>([]);
  /** Oldest first. */
  outcomes = $state.raw<readonly IntakeOutcome[]>([]);
  #ids = 1;
  #running = false;
  #work = '';
  #sending = new AbortController();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** Takes files in their order: posts are imported, others handed on. Earlier outcomes make room. */
  take(files: readonly File[]): void {
    if (files.length === 0) return;
    if (!this.#running) this.outcomes = [];
    this.waiting = [...this.waiting, ...files];
    if (!this.#running) void this.#run();
  }

  /** Ends the file in progress; what was read of it stays. Files that wait are let go of. */
  async cancel(): Promise<void> {
    this.waiting = [];
    const { current } = this;
    if (!current || current.phase === 'stopping') return;
    this.current = { ...current, phase: 'stopping', secondsLeft: null };
    if (current.phase === 'sending') this.#sending.abort();
    // Where the service has gone, the import itself comes to know.
    else await this.#deps.desk.stop(this.#work).catch(() => undefined);
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
    const { desk, id, now, onimported, onother } = this.#deps;
    const begin = { name: file.name, done: 0, total: file.size, rows: 0, secondsLeft: null };
    this.current = { ...begin, phase: 'sending' };
    this.#work = id();
    this.#sending = new AbortController();
    const { signal } = this.#sending;
    const began = now();
    let sent = false;
    const show = (change: Partial<IntakeProgress>): void => {
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
      const ears = {
        onSent: (done: number): void => {
          const ms = now() - began;
          const guess = ms < FIRST_GUESS_MS || done === 0 ? null : (ms * (file.size - done)) / done;
          show({ done, secondsLeft: guess === null ? null : guess / 1000 });
        },
        onAllSent: (): void => {
          sent = true;
          show({ ...begin, phase: 'queued' });
        },
        onReading: (told: { bytesRead: number; rows: number; secondsLeft: number | null }): void =>
          show({
            phase: 'reading',
            done: told.bytesRead,
            rows: told.rows,
            secondsLeft: told.secondsLeft,
          }),
      };
      const { summary, fault } = await desk.import(file, this.#work, ears, signal);
      this.#end(file, summary, fault === null ? null : { kind: 'failed', message: fault });
      if (summary && summary.added + summary.already > 0) onimported();
    } catch (error) {
      if (!signal.aborted) this.#end(file, null, faultOf(error, sent));
    } finally {
      this.current = null;
    }
  }

  #end({ name }: File, summary: ImportReport | null, fault: IntakeFault | null): void {
    this.outcomes = [...this.outcomes, { id: this.#ids++, name, summary, fault }];
  }
}
