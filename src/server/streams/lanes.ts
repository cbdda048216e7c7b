import type { Db } from '#server/db/driver.ts';

/** A lane: the pending deliveries of a subscription to a webhook. */
export interface DeliveryLane {
  readonly webhook: string;
  readonly subscription: string;
}

export type Lanes = ReturnType<typeof lanesOver>;

/** Lanes, each of which exists while it has deliveries. Functions that change them run within a write. */
export function lanesOver(db: Db) {
  const add = db.prepare(
    'INSERT INTO lane (webhook, subscription, next_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const webhooks = db.prepare('SELECT DISTINCT webhook FROM lane');
  const first = db.prepare(
    `SELECT subscription, attempts, next_at FROM lane WHERE webhook = ? AND next_at <= ?
    ORDER BY next_at, subscription LIMIT ?`,
  );
  const hurry = db.prepare('UPDATE lane SET next_at = ? WHERE webhook = ? AND next_at > ?');
  const fail = db.prepare(
    'UPDATE lane SET attempts = attempts + 1, next_at = ?, fault = ? WHERE webhook = ? AND subscription = ?',
  );
  const pending = db.prepare(
    'SELECT 1 FROM delivery WHERE webhook = ? AND subscription = ? AND state = 0 LIMIT 1',
  );
  const reset = db.prepare(
    'UPDATE lane SET attempts = 0, next_at = ?, fault = NULL WHERE webhook = ? AND subscription = ?',
  );
  const remove = db.prepare('DELETE FROM lane WHERE webhook = ? AND subscription = ?');
  const removeAll = db.prepare('DELETE FROM lane WHERE webhook = ?');

  const isEmpty = ({ webhook, subscription }: DeliveryLane): boolean =>
    pending.get([webhook, subscription]) === undefined;
  /** Removes a lane if it is empty. @returns Whether it was. */
  const removeEmpty = (lane: DeliveryLane): boolean => {
    if (!isEmpty(lane)) return false;
    remove.run([lane.webhook, lane.subscription]);
    return true;
  };
  return {
    isEmpty,
    removeEmpty,
    /** Adds a lane, unless there is one. @param now - Epoch ms. */
    add: ({ webhook, subscription }: DeliveryLane, now: number): void =>
      void add.run([webhook, subscription, now]),
    /** Webhooks with lanes. */
    webhooks: (): string[] => webhooks.all().map(([webhook]) => String(webhook)),
    /** The first lane of a webhook that is due by `until` and not busy; null if there is none. */
    first: (webhook: string, until: number, busy: ReadonlySet<string>) => {
      const rows = first.all([webhook, until, busy.size + 1]);
      const row = rows.find(([subscription]) => !busy.has(String(subscription)));
      if (!row) return null;
      const [subscription, attempts, nextAt] = row;
      return {
        subscription: String(subscription),
        attempts: Number(attempts),
        nextAt: Number(nextAt),
      };
    },
    /** Makes lanes due now that would be due after an instant. */
    hurry: (webhook: string, after: number, now: number): void =>
      void hurry.run([now, webhook, after]),
    /** Records a failed attempt at the first delivery of a lane. */
    fail: ({ webhook, subscription }: DeliveryLane, fault: string, nextAt: number): void =>
      void fail.run([nextAt, fault, webhook, subscription]),
    /** Continues a lane after its first delivery was settled. */
    advance: (lane: DeliveryLane, now: number): void => {
      if (!removeEmpty(lane)) reset.run([now, lane.webhook, lane.subscription]);
    },
    /** Removes the lanes of a webhook. */
    forget: (webhook: string): void => void removeAll.run([webhook]),
  };
}
