import type { DisconnectReason } from '#contract/streams/connections.ts';
import { DAY_MS, MINUTE_MS } from '#core/time/span.ts';
import type { ConnectionEntry, ConnectionTable } from './connection-table.ts';

/** Past connections are listed for this long (specification, connections). */
const LISTED_MS = 7 * DAY_MS;

/** Does something that may fail. An error must not end the service: it is logged. */
export type Guarded = <T>(work: () => T, onError?: () => void) => T | undefined;

/** Records connections. Those that an earlier process left open are past. */
export function connectionRecords(
  table: ConnectionTable,
  guarded: Guarded,
  { now, elapsed }: { readonly now: () => number; readonly elapsed: () => number },
) {
  /** The functions that record the ends of connections that the file did not take yet, such as on a full disk. */
  const unrecorded = new Map<string, () => void>();
  /** The time at which past connections were last forgotten, by the monotonic clock. */
  let forgotten = elapsed();
  table.interrupt();

  const forget = (): void => table.forget(now() - LISTED_MS);
  return {
    begin: (
      connection: Omit<ConnectionEntry, 'connectedAt' | 'disconnectedAt' | 'reason'>,
    ): void => {
      forget();
      table.add({ ...connection, connectedAt: now(), disconnectedAt: null, reason: null });
    },
    end: (id: string, reason: DisconnectReason): void => {
      const ended = now();
      const record = (): void => {
        guarded(
          () => table.end(id, reason, ended),
          () => unrecorded.set(id, record),
        );
      };
      record();
    },
    /** Records what was not yet, and forgets past connections once a minute. @param at - By the monotonic clock. */
    settle: (at: number): void => {
      const waiting = [...unrecorded.values()];
      unrecorded.clear();
      for (const record of waiting) record();
      if (at - forgotten < MINUTE_MS) return;
      forgotten = at;
      guarded(forget);
    },
  };
}
