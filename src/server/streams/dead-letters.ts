import { HOUR_MS } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import type { DeliveryLane } from './lanes.ts';

/** A delivery that is given up, and whose body is not stored. */
export interface Undelivered extends DeliveryLane {
  readonly event: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly queuedAt: number;
}

/**
 * Adds dead letters without bodies, within a write transaction. Those of a subscription with the same fault are one for
 * each hour, which counts the others: an app without credits, or a receiver that is away while the room is used up, may
 * have hundreds a second.
 */
export function lettersOver(db: Db): (of: Undelivered, fault: string, now: number) => void {
  const newest = db.prepare(
    `SELECT id, settled_at FROM delivery WHERE webhook = ? AND subscription = ? AND fault = ?
    AND state = 2 AND body IS NULL ORDER BY id DESC LIMIT 1`,
  );
  const add = db.prepare(
    `INSERT INTO delivery (webhook, subscription, event, created_at, queued_at, state, settled_at, fault)
    VALUES (?, ?, ?, ?, ?, 2, ?, ?)`,
  );
  const count = db.prepare(
    'UPDATE delivery SET event = ?, created_at = ?, settled_at = ?, more = more + 1 WHERE id = ?',
  );
  return ({ webhook, subscription, event, createdAt, queuedAt }, fault, now) => {
    const [id, at] = newest.get([webhook, subscription, fault]) ?? [];
    if (id !== undefined && Math.abs(now - Number(at)) < HOUR_MS) {
      count.run([event, createdAt, now, id]);
    } else add.run([webhook, subscription, event, createdAt, queuedAt, now, fault]);
  };
}
