import {
  readEvent,
  WORK_HEADER,
  type ControlEvent,
  type ImportReport,
} from '#contract/control/control.ts';
import { coversText, IMPORT, type CoveredTime, type TableOrder } from '#contract/posts/import.ts';
import { brokenAnswer, faultOf, unreachable } from './answer-fault.ts';
import type { Client } from './client.ts';
import { sender, type SendFile, type SendListeners } from './sent-file.ts';

/** The part of a file that the service has read. */
export type ReadingProgress = Extract<ControlEvent, { type: 'reading' }>;

export interface ImportListeners extends SendListeners {
  onReading(progress: ReadingProgress): void;
}

/** A file to import. */
export interface SentFile {
  readonly file: File;
  /** The way to read its table; null if it is none. */
  readonly table: TableOrder | null;
  /** Name of its collection; empty for the name of the file. */
  readonly collection: string;
  /** The time that it covers; null: from its first to its last Post. */
  readonly covers: CoveredTime | null;
}

/** Sends files to the service, which imports them into Your posts. */
export type ImportApi = ReturnType<typeof importApi>;

function eventOf(line: string): ControlEvent {
  const event = readEvent(line);
  if (event) return event;
  throw brokenAnswer(IMPORT.file.path, 'expected an event of an import');
}

/** The {@link ImportApi} of the service this page came from. */
export function importApi(client: Client, send: SendFile, request: typeof fetch) {
  return {
    /**
     * Sends a file and follows its import.
     *
     * @param work - Id for stopping the import.
     * @param signal - Aborts the upload; after it, use `stop`, so that the import still reports its result.
     * @returns Its summary, null where that is not known or nothing, and why it ended early, if it did.
     * @throws {Fault} where the service refuses the file, cannot be reached or goes away. The signal's reason
     *   when aborted.
     */
    import: async (
      { file, table, collection, covers }: SentFile,
      work: string,
      listeners: ImportListeners,
      signal: AbortSignal,
    ): Promise<{ summary: ImportReport | null; fault: string | null }> => {
      const query = new URLSearchParams({ name: file.name });
      if (table) query.set('table', JSON.stringify(table));
      if (collection !== '') query.set('collection', collection);
      if (covers) query.set('covers', coversText(covers));
      const last = await sender(client, send).lines(`${IMPORT.file.path}?${query}`, file, {
        headers: { [WORK_HEADER]: work },
        signal,
        ...listeners,
        read: eventOf,
        onEvent: (event) => event.type === 'reading' && listeners.onReading(event),
      });
      if (last?.type === 'imported') return { summary: last.summary, fault: null };
      if (last?.type === 'fault') return { summary: last.summary, fault: last.message };
      throw unreachable(new Error('The answer ended before the import did.'));
    },
    /** Stops an import; does nothing if it is over. @throws {Fault} */
    stop: async (work: string): Promise<void> => {
      const { method, path } = IMPORT.stop;
      const answer = await request(path, {
        method,
        credentials: 'same-origin',
        headers: { [WORK_HEADER]: work },
      }).catch((error: unknown) => {
        throw unreachable(error);
      });
      if (!answer.ok && answer.status !== 404) throw await faultOf(answer);
    },
  };
}
