import type * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import { faultOf, readBy, unreachable } from './answer-fault.ts';
import type { Client } from './client.ts';

/** Hear how much of a file the service has. */
export interface SendListeners {
  /** Bytes that have left the browser. */
  onSent(bytes: number): void;
  /** The whole file has left the browser. */
  onAllSent(): void;
}

interface Sending extends SendListeners {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
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

interface SendOptions extends SendListeners {
  readonly headers?: Readonly<Record<string, string>>;
  /** Aborts the upload and the wait for the answer. */
  readonly signal: AbortSignal;
}

interface LineOptions<E> extends SendOptions {
  /** Reads a line. */
  readonly read: (line: string) => E;
  readonly onEvent: (event: E) => void;
}

/**
 * Sends files to the service as bodies of POST. All methods throw a {@link Fault} if the service refuses the file or goes
 * away, and the signal's reason if it aborts.
 */
export type FileSender = ReturnType<typeof sender>;

/** The {@link FileSender} of the service this page came from. */
export function sender(client: Pick<Client, 'signIn'>, send: SendFile) {
  const answered = async (
    path: string,
    file: Blob,
    options: SendOptions,
    onText: (text: string) => void,
  ): Promise<string> => {
    const { signal, headers = {} } = options;
    // Sign in first: a refusal after sending a gigabyte would waste it, and an offline service shows at once.
    await client.signIn(signal);
    const answer = await send(path, file, {
      ...options,
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      onText,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error instanceof Fault ? error : unreachable(error);
    });
    if (answer.status !== 200) throw await faultOf(answer);
    return await answer.text();
  };
  return {
    /** @returns The answer, read by its schema. */
    json: async <T>(
      path: string,
      file: Blob,
      schema: v.GenericSchema<unknown, T>,
      options: SendOptions,
    ): Promise<T> => {
      const text = await answered(path, file, options, () => undefined);
      return readBy(schema, path, text);
    },
    /**
     * Reads an answer of lines as they come.
     *
     * @returns The last event; null if there was none.
     */
    lines: async <E>(path: string, file: Blob, options: LineOptions<E>): Promise<E | null> => {
      const { read, onEvent } = options;
      let seen = 0;
      let last: E | null = null;
      const onText = (text: string): void => {
        const end = text.lastIndexOf('\n') + 1;
        const lines = text.slice(seen, end).split('\n').filter(Boolean);
        seen = Math.max(seen, end);
        const events = lines.map(read);
        for (const event of events) onEvent(event);
        last = events.at(-1) ?? last;
      };
      onText(await answered(path, file, options, onText));
      return last;
    },
  };
}
