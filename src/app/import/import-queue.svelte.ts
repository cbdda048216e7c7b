import type { CoveredTime } from '#contract/posts/import.ts';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { Client } from '#app/api/client.ts';
import type { ImportApi } from '#app/api/import-api.ts';
import type { ImportReport } from '#contract/control/control.ts';
import { Fault } from '#contract/fault.ts';
import type { TableChoice } from '#core/import/table.ts';
import { fileKind, HEAD_BYTES, type OtherKind } from './file-kind.ts';
import type { EventSheet } from './event-sheet.svelte.ts';
import type { ImportSheet } from './import-sheet.svelte.ts';
import type { ChoiceStorage } from './remembered-choices.ts';

/** The progress of the current import. */
export interface QueueProgress {
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

/** The reason a file was not imported completely. */
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
  /** The times of its first and last Post, epoch ms; null if its sheet did not read them. */
  readonly ends: ImportSheet['ends'];
}

export interface ImportQueueOptions {
  readonly api: ImportApi;
  /** For the collections that a file could continue. */
  readonly client: Pick<Client, 'send' | 'json'>;
  /** Epoch ms. */
  readonly now: () => number;
  /** Makes a unique id for a job. */
  readonly id: () => string;
  /** Called when a file contained Posts; the import ends once this resolves. */
  readonly onimported: () => Promise<void>;
  /** Handles files that are not posts. @throws {@link Fault} for one that the service refuses. */
  readonly onother: (file: File, kind: OtherKind) => Promise<void> | void;
  /** The storage of the choices for a header; null if the browser stores nothing. */
  readonly storage: ChoiceStorage | null;
  /** IANA name of the browser's zone. */
  readonly zone: string;
  /** Has the zone of times of events that state none. */
  readonly board: { readonly time: { readonly zone: string } };
}

/** A file whose sheet is open. */
export interface AskedFile {
  readonly sheet: ImportSheet;
  /** The sheet of the same file as events; null if it is none that can be read so. */
  readonly events: EventSheet | null;
  /** Files that follow it. */
  readonly more: number;
  /** Imports the file as its sheet says, and goes on with the next. */
  accept(): void;
  /** Closes the sheet: of these files, nothing is imported. */
  cancel(): void;
}

/** A file in the queue, how it is read (null if it is no table), and the name of its collection. */
interface Accepted {
  readonly file: File;
  readonly choice: TableChoice | null;
  /** Empty for the name of the file. */
  readonly collection: string;
  /** The time that it covers; null: from its first to its last Post. */
  readonly covers: CoveredTime | null;
  readonly ends: ImportSheet['ends'];
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

/**
 * Imports the user's files. First the sheet of each opens, one after the other; a file whose columns are those of one
 * before it is read like that one, without a sheet. Then all are imported one after another, in the background.
 */
export class ImportQueue {
  readonly #deps: ImportQueueOptions;
  current = $state.raw<QueueProgress | null>(null);
  /** Files in the queue. */
  waiting = $state.raw<readonly Accepted[]>([]);
  /** The open sheet. */
  asked = $state.raw<AskedFile | null>(null);
  /** Oldest first. */
  outcomes = $state.raw<readonly ImportOutcome[]>([]);
  #ids = 1;
  #running = false;
  #taking: Promise<void> = Promise.resolve();
  /** The columns that a choice was made for. */
  readonly #keys = new WeakMap<TableChoice, string>();
  #work = '';
  #sending = new AbortController();

  /** True while the service may be adding Posts. */
  get isAdding(): boolean {
    return this.current?.phase === 'reading' || this.current?.phase === 'stopping';
  }

  /** True while there is something to say of an import. */
  get isShown(): boolean {
    return this.current !== null || this.outcomes.length > 0;
  }

  constructor(deps: ImportQueueOptions) {
    this.#deps = deps;
  }

  /**
   * Takes files: those with posts open a sheet, others are passed on. Clears earlier outcomes.
   *
   * @returns Once every sheet is accepted or cancelled.
   */
  async take(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    if (!this.#running) this.outcomes = [];
    const before = this.#taking;
    this.#taking = before.then(() => this.#askAll(files));
    await this.#taking;
  }

  /** Opens the sheets of files, and queues them once all are accepted. */
  async #askAll(files: readonly File[]): Promise<void> {
    const accepted: Accepted[] = [];
    for (const [i, file] of files.entries()) {
      try {
        const kind = fileKind(
          file.name,
          new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()),
        );
        if (kind !== 'posts') {
          await this.#deps.onother(file, kind);
          continue;
        }
        const answer = await this.#ask(file, files.length - i - 1, accepted);
        if (answer === 'cancelled') return;
        if (answer === 'counts') await this.#deps.onother(file, 'workbook');
        else if (answer !== 'done') accepted.push(answer);
      } catch (error) {
        this.#end(file, null, faultOf(error, false));
      }
    }
    this.waiting = [...this.waiting, ...accepted];
    if (!this.#running) void this.#run();
  }

  /** Opens the sheet of a file, unless it has counts. @returns The way to import it; `done` if nothing is left to do. */
  async #ask(
    file: File,
    more: number,
    accepted: readonly Accepted[],
  ): Promise<Accepted | 'counts' | 'done' | 'cancelled'> {
    const { storage, zone, now, client, onother, board } = this.#deps;
    const [{ openFile }, { ImportSheet }, { EventSheet }, { call }, { COLLECTIONS }] =
      await Promise.all([
        import('./open-file.ts'),
        import('./import-sheet.svelte.ts'),
        import('./event-sheet.svelte.ts'),
        import('#app/api/endpoint-call.ts'),
        import('#contract/posts/collections.ts'),
      ]);
    const opened = await openFile(file);
    if (opened.kind === 'counts') return 'counts';
    const sheet = await ImportSheet.of({ name: file.name, opened, storage, zone, now });
    const key = JSON.stringify(sheet.names);
    const same = accepted.find(({ choice }) => choice && this.#keys.get(choice) === key);
    if (same?.choice) {
      await sheet.reuse(same.choice);
      if (sheet.isReady)
        return { file, choice: sheet.confirm(), collection: '', covers: null, ends: null };
    }
    const events =
      opened.kind === 'table'
        ? await EventSheet.of({
            name: file.name,
            opened,
            zone: board.time.zone,
            now,
            add: (calendar) => onother(calendar, 'calendar'),
          })
        : null;
    // The sheet does not wait for them, and without them says less.
    void call(client, COLLECTIONS.list)
      .then(({ collections }) => (sheet.collections = collections))
      .catch(() => undefined);
    const isAccepted = await new Promise<boolean>((resolve) => {
      const accept = (): void => resolve(true);
      this.asked = { sheet, events, more, accept, cancel: () => resolve(false) };
    });
    this.asked = null;
    if (opened.kind === 'refused') return 'done';
    if (!isAccepted) return 'cancelled';
    if (events?.on) return 'done';
    const choice = sheet.confirm();
    if (choice) this.#keys.set(choice, key);
    const { covers, ends } = sheet;
    return { file, choice, collection: sheet.collection.trim(), covers, ends };
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
        const [next, ...rest] = this.waiting;
        if (!next) return;
        this.waiting = rest;
        await this.#one(next);
      }
    } finally {
      this.#running = false;
    }
  }

  async #one(next: Accepted): Promise<void> {
    const { api, id, now, onimported } = this.#deps;
    const { file, choice: table, collection, covers, ends } = next;
    const begin = { name: file.name, done: 0, total: file.size, rows: 0, secondsLeft: null };
    this.current = { ...begin, phase: 'sending' };
    this.#work = id();
    this.#sending = new AbortController();
    const { signal } = this.#sending;
    const began = now();
    let sent = false;
    const show = (change: Partial<QueueProgress>): void => {
      if (this.current && this.current.phase !== 'stopping') {
        this.current = { ...this.current, ...change };
      }
    };
    try {
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
      const { summary, fault } = await api.import(
        { file, table, collection, covers },
        this.#work,
        listeners,
        signal,
      );
      if (summary && summary.added + summary.already > 0) await onimported();
      this.#end(file, summary, fault === null ? null : { kind: 'failed', message: fault }, ends);
    } catch (error) {
      if (!signal.aborted) this.#end(file, null, faultOf(error, sent));
    } finally {
      this.current = null;
    }
  }

  #end(
    { name }: File,
    summary: ImportReport | null,
    fault: ImportFault | null,
    ends: ImportOutcome['ends'] = null,
  ): void {
    this.outcomes = [...this.outcomes, { id: this.#ids++, name, summary, fault, ends }];
  }
}
