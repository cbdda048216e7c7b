import { setImmediate as immediate } from 'node:timers/promises';
import type { StreamConnection } from './connections.ts';
import { LITTLE_WAITING } from './line-stream.ts';
import type { EventLog } from './log.ts';

/** The entries of a log that a connection receives. */
export interface Followed<T> {
  readonly log: EventLog;
  /**
   * Reads the entries after a number, up to the end if there is one.
   *
   * @param isNew - Whether what it reads was appended after the connection began.
   */
  readonly after: (number: number, isNew: boolean) => Promise<LogPart<T>>;
  readonly send: (item: T) => void;
  /** Number of the entry after which the connection begins. */
  readonly from: number;
  /** True if the connection ends when nothing further can be read. */
  readonly ends: boolean;
}

/** A part of a log. */
export interface LogPart<T> {
  /** Number of its last entry; the number that it follows if there is nothing further. */
  readonly last: number;
  readonly items: readonly T[];
}

/**
 * Sends the entries of a log to a connection until it ends: first those after `from`, as fast as the client reads
 * them, then each new one at once. None is left out or sent twice in between, because both come from the same log.
 */
export async function followLog<T>(
  connection: StreamConnection,
  { log, after, send, from, ends }: Followed<T>,
): Promise<void> {
  const { ended } = connection;
  let wake: () => void = () => {};
  ended.addEventListener('abort', () => wake(), { once: true });
  let appended = false;
  const stop = log.onAppend(() => {
    appended = true;
    wake();
  });
  try {
    let place = from;
    // Entries before this one are older than the connection. They wait for the client, new ones do not.
    const old = log.last();
    while (!ended.aborted) {
      appended = false;
      const { last, items } = await after(place, place >= old);
      for (const item of items) {
        if (ended.aborted) return;
        send(item);
        if (place < old) await connection.drained();
        // A reader that keeps up gets a chance to read before more arrives.
        else if (connection.waiting() > LITTLE_WAITING) await immediate();
      }
      if (last > place) place = last;
      else if (ends) {
        connection.end('recovery_complete');
      } else if (!appended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop();
  }
}
