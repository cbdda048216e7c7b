import type { Json } from '#core/import/json.ts';
import type { Db } from '#server/db/driver.ts';
import type { EventType } from '#contract/streams/events.ts';
import { startCatchingUp, type CatchUpDeps } from './catch-up.ts';
import type { OutboxEvent } from './event-table.ts';

/** An event that a change of the service's own file caused. */
export interface CausedEvent {
  readonly type: EventType;
  /** See `NewEvent`. */
  readonly users: readonly string[];
  readonly body: Json;
}

/** Events of the service's own file that are not known to be in the log. */
export type Outbox = ReturnType<typeof outboxTable>;

export function outboxTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO outbox (origin, at, type, users, body)
    VALUES (lower(hex(randomblob(16))), ?, ?, ?, ?)`,
  );
  const oldest = db.prepare('SELECT origin, type, users, body FROM outbox ORDER BY n LIMIT ?');
  const remove = db.prepare('DELETE FROM outbox WHERE origin = ?');
  let added = (): void => {};
  return {
    /**
     * Adds events, within the transaction of the change that caused them.
     *
     * @param at - Epoch ms.
     */
    add: (events: readonly CausedEvent[], at: number): void => {
      if (events.length === 0) return;
      for (const { type, users, body } of events) {
        insert.run([at, type, JSON.stringify(users), JSON.stringify(body)]);
      }
      added();
    },
    /** The oldest events, at most `limit`. */
    oldest: (limit: number): OutboxEvent[] =>
      oldest.all([limit]).map(([origin, type, users, body]) => ({
        origin: String(origin),
        type: String(type) as EventType,
        users: JSON.parse(String(users)) as string[],
        post: null,
        body: JSON.parse(String(body)) as Json,
      })),
    /** Removes events that are in the log. */
    remove: (origins: readonly string[]): void =>
      db.write('outbox', () => {
        for (const origin of origins) remove.run([origin]);
      }),
    /** Sets what is called after events were added; the transaction may still be running. */
    onAdd: (listener: () => void): void => {
      added = listener;
    },
  };
}

/** Most events that are moved at once. */
const MOVED_AT_ONCE = 256;

export interface MoverDeps extends Pick<CatchUpDeps, 'log' | 'timer'> {
  readonly outbox: Outbox;
  /** Appends events to the log, except those that were appended before; durable when it resolves. */
  readonly moveIn: (events: readonly OutboxEvent[]) => Promise<unknown>;
}

/**
 * Moves events from the outbox to the log: what is there now, and later each time that one is added. An event leaves the
 * outbox only once it is in the log, and the log takes each only once, so a kill at any time neither loses nor doubles
 * one. After an error, which is logged, it tries again soon.
 */
export function startMoving({ outbox, moveIn, ...deps }: MoverDeps) {
  const moving = startCatchingUp({
    ...deps,
    failure: 'Events were not moved to the log yet',
    step: async () => {
      const events = outbox.oldest(MOVED_AT_ONCE);
      if (events.length === 0) return false;
      await moveIn(events);
      outbox.remove(events.map(({ origin }) => origin));
      return true;
    },
  });
  outbox.onAdd(moving.wake);
  return moving;
}
