import { numberOrNull, textOrNull, type Db } from '#server/db/driver.ts';
import type { DeliveryLane } from './lanes.ts';

/** Counts stop here. */
const MOST_COUNTED = 100_000;

export interface DeadLetter extends DeliveryLane {
  readonly event: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** The time at which it was given up, epoch ms. */
  readonly settledAt: number;
  readonly fault: string;
  /** The number of earlier ones of the subscription that were given up for the same reason and are not listed. */
  readonly more: number;
}

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
  const dead = db.prepare(
    `SELECT webhook, subscription, event, created_at, settled_at, fault, more FROM delivery
    WHERE state > 0 AND state = 2 ORDER BY settled_at DESC, id DESC LIMIT ?`,
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
    deadLetters: (limit: number): DeadLetter[] =>
      dead
        .all([limit])
        .map(([webhook, subscription, event, createdAt, settledAt, fault, more]) => ({
          webhook: String(webhook),
          subscription: String(subscription),
          event: String(event),
          createdAt: Number(createdAt),
          settledAt: Number(settledAt),
          fault: String(fault),
          more: Number(more),
        })),
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
