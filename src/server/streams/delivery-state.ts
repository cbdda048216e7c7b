import { column, columns, type RowOf } from '#server/db/columns.ts';
import { numberOrNull, textOrNull, type Db } from '#server/db/driver.ts';

/** Counts stop here. */
const MOST_COUNTED = 100_000;

const DEAD_LETTER = columns({
  webhook: column.text,
  subscription: column.text,
  event: column.text,
  /** Epoch ms. */
  createdAt: column.number,
  /** The time at which it was given up, epoch ms. */
  settledAt: column.number,
  fault: column.text,
  /** The number of earlier ones of the subscription that were given up for the same reason and are not listed. */
  more: column.number,
});

export type DeadLetter = RowOf<typeof DEAD_LETTER>;

/** The deliveries that wait for a webhook. */
export interface Backlog {
  /** Up to 100,000. */
  readonly pending: number;
  /** The time at which the oldest of them was added, epoch ms. */
  readonly since: number | null;
  /** The reason the last attempt failed; null if none failed since the last success of its subscription. */
  readonly fault: string | null;
}

/** Reads what waits for webhooks, and what was given up. */
export function deliveryState(db: Db) {
  const dead = DEAD_LETTER.select(
    db,
    'delivery WHERE state > 0 AND state = 2 ORDER BY settled_at DESC, id DESC LIMIT ?',
  );
  const pending = db.prepare(
    `SELECT count(*), min(queued_at) FROM
    (SELECT queued_at FROM delivery WHERE webhook = ? AND state = 0 LIMIT ${MOST_COUNTED})`,
  );
  const lastFault = db.prepare(
    'SELECT fault FROM lane WHERE webhook = ? AND fault IS NOT NULL ORDER BY next_at DESC LIMIT 1',
  );

  return {
    /** Newest first. */
    deadLetters: (limit: number): DeadLetter[] => dead.all([limit]),
    backlog: (webhook: string): Backlog => {
      const [count, since] = pending.get([webhook]) ?? [];
      const [fault] = lastFault.get([webhook]) ?? [];
      return {
        pending: Number(count ?? 0),
        since: numberOrNull(since),
        fault: textOrNull(fault),
      };
    },
  };
}
