import { startCatchingUp, type CatchUpDeps } from '#server/streams/catch-up.ts';
import type { DeliveryQueue, NewDelivery } from '#server/streams/delivery-queue.ts';
import type { LogPlace } from '#server/streams/log-cursors.ts';
import type { EventLog } from '#server/streams/log.ts';
import { placeIn } from './log-place.ts';

/** The meaning of a part of a log to webhooks. */
export interface DeliveryPart {
  /** Number of its last entry; the number that it follows if there is nothing further. */
  readonly last: number;
  readonly deliveries: readonly NewDelivery[];
  /** Called once, when the deliveries are queued, or when they are not because of an error. */
  readonly settled: (isQueued: boolean) => void;
}

/** A log, and how webhooks receive it. */
export interface ReadLog {
  /** Names the cursor of the log in the queue. */
  readonly name: string;
  readonly log: Pick<EventLog, 'onAppend' | 'sessions' | 'last'>;
  /** Reads a bounded part after a number. */
  readonly read: (number: number) => Promise<DeliveryPart>;
  /** Called before the cursor is set back to a number, because the file of the log was restored from a backup. */
  readonly onRewind?: (number: number) => void;
}

export interface LogReaderDeps extends Pick<CatchUpDeps, 'log' | 'timer'> {
  readonly queue: Pick<DeliveryQueue, 'cursor' | 'sessions' | 'rewind'>;
  /** Adds deliveries and moves the cursor, in one transaction. */
  readonly enqueue: (from: LogPlace, deliveries: readonly NewDelivery[]) => void;
}

/** Reads a log until it is closed. */
export type LogReader = ReturnType<typeof startReading>;

/**
 * Queues what a log has for webhooks: what is there now, and later each time that entries are appended. A part is queued in
 * one transaction with the cursor, so that a kill at any time neither loses nor doubles an entry. After an error, which is
 * logged, it tries again soon. A log that was restored from a backup is read from where it differs.
 */
export function startReading(
  { name, log, read, onRewind }: ReadLog,
  { queue, enqueue, log: report, timer }: LogReaderDeps,
) {
  /** The sessions that the queue knows; null until the place in the log is known. */
  let known: Set<string> | null = null;
  const resume = (): Set<string> => {
    const sessions = new Set(queue.sessions(name));
    const cursor = queue.cursor(name);
    const place = placeIn({ sessions: log.sessions(), last: log.last() }, sessions, cursor);
    if (place === cursor) return sessions;
    report(
      `The log ${name} is not the one that was read up to ${cursor}: it was restored from a backup. It is read on from ${place}.`,
    );
    onRewind?.(place);
    queue.rewind(name, place);
    return sessions;
  };
  const step = async (closed: AbortSignal): Promise<boolean> => {
    known ??= resume();
    const cursor = queue.cursor(name);
    const { last, deliveries, settled } = await read(cursor);
    let isQueued = false;
    try {
      if (closed.aborted || last <= cursor) return false;
      const sessions = log
        .sessions()
        .flatMap(({ id, first }) => (first <= last && known?.has(id) === false ? [id] : []));
      enqueue({ name, cursor: last, sessions }, deliveries);
      isQueued = true;
      for (const id of sessions) known.add(id);
      return true;
    } finally {
      settled(isQueued);
    }
  };
  const reading = startCatchingUp({
    step,
    failure: 'Events were not queued for webhooks yet',
    log: report,
    timer,
  });
  const stop = log.onAppend(reading.wake);
  return {
    rest: reading.rest,
    close: async (): Promise<void> => {
      stop();
      await reading.close();
    },
  };
}
