import {
  readEvent,
  WORK_HEADER,
  type ControlEvent,
  type ImportReport,
} from '#contract/control/control.ts';
import { Fault } from '#contract/fault.ts';
import { coversText, IMPORT, type CoveredTime, type TableOrder } from '#contract/posts/import.ts';
import { brokenAnswer, faultOf, unreachable } from './answer-fault.ts';
import type { Client } from './client.ts';

/** The part of a file that the service has read. */
export type ReadingProgress = Extract<ControlEvent, { type: 'reading' }>;

/** The result of an import: its summary, and why it ended early, if it did. */
interface ImportEnd {
  /** Null where that is not known or nothing. */
  readonly summary: ImportReport | null;
  readonly fault: string | null;
}

export interface ImportListeners {
  /** Bytes that have left the browser. */
  onSent(bytes: number): void;
  /** The whole file has left the browser. */
  onAllSent(): void;
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
export interface ImportApi {
  /**
   * Sends a file and follows its import.
   *
   * @param work - Id for stopping the import.
   * @param signal - Aborts the upload; after it, use {@link stop}, so that the import still reports its result.
   * @throws {Fault} where the service refuses the file, cannot be reached or goes away. The signal's reason
   *   when aborted.
   */
  import(
    sent: SentFile,
    work: string,
    listeners: ImportListeners,
    signal: AbortSignal,
  ): Promise<ImportEnd>;
  /** Stops an import; does nothing if it is over. @throws {Fault} */
  stop(work: string): Promise<void>;
}

export interface Sending {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  onSent(bytes: number): void;
  onAllSent(): void;
  /** The whole text of the answer as far as it has come. */
  onText(text: string): void;
}

/** Sends a file by POST and returns the complete answer; rejects if none comes. A parameter, so that tests replace it. */
export type SendFile = (path: string, file: Blob, sending: Sending) => Promise<Response>;

/** {@link SendFile} of browsers, whose fetch does not report upload progress. */
export const sendFile: SendFile = (path, file, { headers, signal, onSent, onAllSent, onText }) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    const over = (): void => signal.removeEventListener('abort', stop);
    request.open('POST', path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
    request.upload.addEventListener('load', onAllSent);
    request.addEventListener('progress', () => {
      if (request.status === 200) onText(request.responseText);
    });
    request.addEventListener('load', () => {
      over();
      const { status, statusText, responseText } = request;
      // A Response accepts no other status, and some statuses must not have a body.
      if (status < 200 || status > 599) {
        const detail = `The answer has status ${status}, which HTTP does not define.`;
        reject(new Fault(502, { title: `HTTP ${status}`, detail, type: 'about:blank' }));
      } else {
        const body = [204, 205, 304].includes(status) ? null : responseText;
        resolve(new Response(body, { status, statusText }));
      }
    });
    request.addEventListener('error', () => {
      over();
      reject(new TypeError('The connection ended.'));
    });
    request.addEventListener('abort', () => {
      over();
      reject(signal.reason as Error);
    });
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    request.send(file);
  });

function eventOf(line: string): ControlEvent {
  const event = readEvent(line);
  if (event) return event;
  throw brokenAnswer(IMPORT.file.path, 'expected an event of an import');
}

/** The {@link ImportApi} of the service this page came from. */
export function importApi(client: Client, send: SendFile, request: typeof fetch): ImportApi {
  return {
    import: async ({ file, table, collection, covers }, work, listeners, signal) => {
      // Sign in first: a refusal after sending a gigabyte would waste it, and an offline service shows at once.
      await client.signIn(signal);
      let seen = 0;
      const read = (text: string): ControlEvent | null => {
        const end = text.lastIndexOf('\n') + 1;
        const lines = text.slice(seen, end).split('\n').filter(Boolean);
        seen = Math.max(seen, end);
        const events = lines.map(eventOf);
        for (const event of events) if (event.type === 'reading') listeners.onReading(event);
        return events.at(-1) ?? null;
      };
      let last: ControlEvent | null = null;
      const query = new URLSearchParams({ name: file.name });
      if (table) query.set('table', JSON.stringify(table));
      if (collection !== '') query.set('collection', collection);
      if (covers) query.set('covers', coversText(covers));
      const answer = await send(`${IMPORT.file.path}?${query}`, file, {
        headers: { [WORK_HEADER]: work, 'content-type': 'application/octet-stream' },
        signal,
        onSent: listeners.onSent,
        onAllSent: listeners.onAllSent,
        onText: (text) => (last = read(text) ?? last),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof Fault ? error : unreachable(error);
      });
      if (answer.status !== 200) throw await faultOf(answer);
      last = read(await answer.text()) ?? last;
      if (last?.type === 'imported') return { summary: last.summary, fault: null };
      if (last?.type === 'fault') return { summary: last.summary, fault: last.message };
      throw unreachable(new Error('The answer ended before the import did.'));
    },
    stop: async (work) => {
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
