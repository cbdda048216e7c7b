import { readEvent, WORK_HEADER } from '#contract/control.ts';
import type { ControlEvent, ImportReport } from '#contract/control.ts';
import { Fault } from '#contract/fault.ts';
import { IMPORT } from '#contract/import.ts';
import { brokenAnswer, faultOf, unreachable } from './answer-fault.ts';
import type { Client } from './client.ts';

/** How far the service has read a file. */
export type ReadingTold = Extract<ControlEvent, { type: 'reading' }>;

/** What became of a file that the service took: what it did, and why it ended early if it did. */
export interface ImportEnd {
  /** Null where that is not known or nothing. */
  readonly summary: ImportReport | null;
  readonly fault: string | null;
}

export interface ImportEars {
  /** Bytes that have left the browser. */
  onSent(bytes: number): void;
  /** The whole file has left the browser. */
  onAllSent(): void;
  onReading(told: ReadingTold): void;
}

/** Gives files to the service, which imports them into Your posts. */
export interface ImportApi {
  /**
   * Sends a file and follows how it is read.
   *
   * @param work - Name to stop the reading by.
   * @param signal - Ends the sending; once it is sent, stop it by its name, so that it still tells what it did.
   * @throws {Fault} where the service refuses the file, cannot be reached or goes away. The signal's reason
   *   when aborted.
   */
  import(file: File, work: string, ears: ImportEars, signal: AbortSignal): Promise<ImportEnd>;
  /** Stops the reading of a file; nothing where it is over. @throws {Fault} */
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

/** Sends a file by POST and gives the whole answer; rejects where none comes. Handed in, so that tests play it. */
export type SendFile = (path: string, file: Blob, sending: Sending) => Promise<Response>;

/** {@link SendFile} of browsers, whose fetch does not tell how far a body has gone. */
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
      // A Response can be made of no other status; one without a body of only some.
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

/** The desk of the service that this page came from. */
export function importDesk(client: Client, send: SendFile, request: typeof fetch): ImportApi {
  return {
    import: async (file, work, ears, signal) => {
      // A refusal after a gigabyte was sent would be a pity; and a lost service is told at once.
      await client.signIn(signal);
      let heard = 0;
      const hear = (text: string): ControlEvent | null => {
        const end = text.lastIndexOf('\n') + 1;
        const lines = text.slice(heard, end).split('\n').filter(Boolean);
        heard = Math.max(heard, end);
        const events = lines.map(eventOf);
        for (const event of events) if (event.type === 'reading') ears.onReading(event);
        return events.at(-1) ?? null;
      };
      let last: ControlEvent | null = null;
      const answer = await send(`${IMPORT.file.path}?name=${encodeURIComponent(file.name)}`, file, {
        headers: { [WORK_HEADER]: work, 'content-type': 'application/octet-stream' },
        signal,
        onSent: ears.onSent,
        onAllSent: ears.onAllSent,
        onText: (text) => (last = hear(text) ?? last),
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof Fault ? error : unreachable(error);
      });
      if (answer.status !== 200) throw await faultOf(answer);
      last = hear(await answer.text()) ?? last;
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
