import { DAY_MS } from '#core/time/span.ts';
import { openDb, textOrNull, type Cell, type Db, type DbOptions } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import { DELIVERIES_SCHEMA, DELIVERY_SUBJECTS } from '#server/migrations/deliveries.ts';
import { lettersOver } from './dead-letters.ts';
import { MOST_BYTES, roomOver } from './delivery-room.ts';
import { deliveryState } from './delivery-state.ts';
import type { DeliverySubject } from './delivery-subject.ts';
import { lanesOver, type DeliveryLane, type Lanes } from './lanes.ts';
import { logCursors, type LogPlace } from './log-cursors.ts';
import { replaysOver, type IsWanted, type Replays } from './replays.ts';

export const DELIVERIES_KIND = {
  application: 0x47536f62,
  first: 3,
  steps: [DELIVERIES_SCHEMA, DELIVERY_SUBJECTS],
};

/** Most bytes of a delivery. Larger ones become dead letters at once, so that memory stays bounded. */
export const MOST_BODY = 256 * 1024;

/** The reason deliveries of an app that pays per use and cannot pay are not sent. */
export const SPENT =
  'The app has spent its credits or its limit (usage-capped), and it was not sent.';

/** The time for which delivered bodies can be replayed, with a minute for the bounds, which are whole minutes. */
const REPLAYED_MS = DAY_MS + 60_000;
/** The time for which dead letters and ended replays are listed. */
export const LISTED_MS = 7 * DAY_MS;
/** Later than anything is due, epoch ms. */
const EVER = Number.MAX_SAFE_INTEGER;
/** Rows that are removed at once. */
const SWEPT = 3000;

/** A delivery to add. Those of one lane arrive in order, one after another; those of different ones at the same time. */
export interface NewDelivery extends DeliveryLane {
  /** Id of the event, for the list of dead letters. */
  readonly event: string;
  /** The exact bytes to send. */
  readonly body: Uint8Array;
  /** Must be open to everybody when it is sent. */
  readonly subject?: DeliverySubject;
  /** The time at which the event happened, epoch ms. */
  readonly createdAt: number;
  /** The reason it is not sent: it becomes a dead letter at once, without its body. */
  readonly fault?: string;
}

/** The first delivery of a subscription that is not settled. */
export interface PendingDelivery extends DeliveryLane {
  readonly id: number;
  readonly event: string;
  /** The time at which it was added, epoch ms. */
  readonly queuedAt: number;
  /** The number of times it failed. */
  readonly attempts: number;
  /** The replay that it belongs to. */
  readonly job: string | null;
  readonly body: Buffer;
  readonly subject: DeliverySubject | null;
}

/**
 * Deliveries to webhooks, in a file. A change survives the end of this process when its method returns, and that of the
 * machine soon after: both ends of the loss, deliveries and cursor, are lost together, so that the log repeats them.
 */
export type DeliveryQueue = ReturnType<typeof openDeliveryQueue>;

/** The reason a body is not sent; null if it is. */
function faultOf({ length }: Uint8Array): string | null {
  return length > MOST_BODY
    ? `It has ${length} bytes, more than ${MOST_BODY}, and was not sent.`
    : null;
}

/** Removes deliveries, some thousand at most in one transaction. */
function removalOver(
  db: Db,
  { replays, lanes }: { readonly replays: Replays; readonly lanes: Lanes },
) {
  const dropSome = (where: string) =>
    db.prepare(
      `DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE ${where} LIMIT ${SWEPT})`,
    );
  const dropPending = dropSome('webhook = ? AND state = 0');
  const dropOf = dropSome('webhook = ? AND subscription = ? AND state = 0');
  const dropSettled = dropSome('webhook = ? AND job IS NULL AND state > 0');
  // Entries that a running replay still reads stay. The condition of the partial index is repeated, or it is not used.
  const sweep = dropSome(
    `state > 0 AND state = ? AND settled_at < ?
    AND webhook NOT IN (SELECT webhook FROM replay WHERE ended_at IS NULL) ORDER BY settled_at`,
  );

  return {
    /** Removes what belongs to a webhook, at most some thousand deliveries. Returns whether any remained. */
    forget: (webhook: string): boolean =>
      db.write('forget', () => {
        replays.forget(webhook);
        lanes.forget(webhook);
        return dropPending.run([webhook]) + dropSettled.run([webhook]) > 0;
      }),
    /** Removes the pending deliveries of a subscription, at most some thousand. */
    drop: (webhook: string, subscription: string): void =>
      db.write('drop', () => {
        dropOf.run([webhook, subscription]);
        lanes.removeEmpty({ webhook, subscription });
      }),
    /** Removes some of what is too old to be replayed or listed. */
    sweep: (now: number): void =>
      db.write('sweep', () => {
        sweep.run([1, now - REPLAYED_MS]);
        sweep.run([2, now - LISTED_MS]);
        replays.sweep(now - LISTED_MS);
      }),
  };
}

function deliveriesOver(db: Db, replays: Replays, mostBytes: number) {
  const { move, ...cursors } = logCursors(db);
  const lanes = lanesOver(db);
  const bury = lettersOver(db);
  const makeRoom = roomOver(db, { replays, lanes }, mostBytes);
  const add = db.prepare(
    `INSERT INTO delivery (webhook, subscription, event, created_at, queued_at, body, subject)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const first = db.prepare(
    `SELECT id, event, queued_at, job, body, subject FROM delivery
    WHERE webhook = ? AND subscription = ? AND state = 0 ORDER BY id LIMIT 1`,
  );
  const settle = db.prepare(
    'UPDATE delivery SET state = ?, settled_at = ?, fault = ? WHERE id = ? AND state = 0',
  );
  const drop = db.prepare('DELETE FROM delivery WHERE id = ?');
  const old = db.prepare(
    `SELECT id, subscription, job FROM delivery WHERE webhook = ? AND state = 0 AND queued_at < ?
    ORDER BY subscription, id LIMIT 1000`,
  );

  /** Continues a lane after its first delivery was settled. */
  const advance = (
    of: DeliveryLane & Pick<PendingDelivery, 'job'>,
    failed: number,
    now: number,
  ): void => {
    if (of.job !== null) replays.advance(of.job, failed, now);
    lanes.advance(of, now);
  };
  return {
    ...cursors,
    ...deliveryState(db),
    ...removalOver(db, { replays, lanes }),
    /**
     * Adds deliveries and moves the cursor of the log that they come from, in one transaction. If the file has too much,
     * the oldest go, see `delivery-room.ts`.
     *
     * @param now - Epoch ms.
     * @returns The number of pending deliveries that became dead letters for lack of room.
     * @throws {@link RangeError} if the cursor does not increase.
     */
    enqueue: (from: LogPlace, deliveries: readonly NewDelivery[], now: number): number =>
      db.write('enqueue', () => {
        move(from);
        for (const delivery of deliveries) {
          const { webhook, subscription, event, body, createdAt, subject } = delivery;
          const fault = delivery.fault ?? faultOf(body);
          if (fault === null) {
            const about = subject ? JSON.stringify(subject) : null;
            add.run([webhook, subscription, event, createdAt, now, body, about]);
            lanes.add(delivery, now);
          } else bury({ webhook, subscription, event, createdAt, queuedAt: now }, fault, now);
        }
        return makeRoom(now);
      }),
    /** Webhooks with pending deliveries. */
    webhooks: lanes.webhooks,
    /** The delivery to send next: of a subscription that is due and not busy; null if there is none. */
    next: (webhook: string, now: number, busy: ReadonlySet<string>): PendingDelivery | null => {
      const lane = lanes.first(webhook, now, busy);
      if (!lane) return null;
      const { subscription, attempts } = lane;
      const row = first.get([webhook, subscription]);
      if (!row) throw new RangeError(`expected a delivery of ${subscription}, got none`);
      const [id, event, queuedAt, job, body] = row as [Cell, Cell, Cell, Cell, Buffer];
      const about = textOrNull(row[5]);
      return {
        id: Number(id),
        webhook,
        subscription,
        event: String(event),
        queuedAt: Number(queuedAt),
        attempts,
        job: textOrNull(job),
        body,
        subject: about === null ? null : (JSON.parse(about) as DeliverySubject),
      };
    },
    /** The time at which a subscription that is not busy is due, epoch ms; null if none has pending deliveries. */
    nextAt: (webhook: string, busy: ReadonlySet<string>): number | null =>
      lanes.first(webhook, EVER, busy)?.nextAt ?? null,
    /** Makes subscriptions due now that would be due after an instant: the clock was set back. */
    hurry: (webhook: string, after: number, now: number): void =>
      db.write('hurry', () => lanes.hurry(webhook, after, now)),
    /** Records accepted deliveries in one transaction. */
    delivered: (deliveries: readonly PendingDelivery[], now: number): void =>
      db.write('delivered', () => {
        for (const delivery of deliveries) {
          const { id, job } = delivery;
          // A replay is not replayed.
          if (job === null) settle.run([1, now, null, id]);
          else drop.run([id]);
          advance(delivery, 0, now);
        }
      }),
    /** Removes a delivery that may not be sent any more. */
    skip: (delivery: PendingDelivery, now: number): void =>
      db.write('skip', () => {
        drop.run([delivery.id]);
        advance(delivery, 0, now);
      }),
    /** Records a failed attempt. */
    failed: (delivery: PendingDelivery, fault: string, nextAt: number): void =>
      db.write('failed', () => lanes.fail(delivery, fault, nextAt)),
    /** Makes a dead letter of a delivery. */
    giveUp: (delivery: PendingDelivery, fault: string, now: number): void =>
      db.write('dead', () => {
        settle.run([2, now, fault, delivery.id]);
        advance(delivery, 1, now);
      }),
    /** Makes dead letters of a webhook's deliveries that were added before an instant, at most 1,000. Returns how many. */
    expire: (webhook: string, before: number, fault: string, now: number): number =>
      db.write('dead', () => {
        const rows = old.all([webhook, before]);
        const settled = new Map<string, { job: string | null; failed: number }>();
        for (const [id, name, job] of rows) {
          settle.run([2, now, fault, Number(id)]);
          const subscription = String(name);
          const failed = (settled.get(subscription)?.failed ?? 0) + 1;
          settled.set(subscription, { job: textOrNull(job), failed });
        }
        for (const [subscription, { job, failed }] of settled) {
          advance({ webhook, subscription, job }, failed, now);
        }
        return rows.length;
      }),
  };
}

/**
 * Opens the file of deliveries; creates it if it is absent.
 *
 * @param mostBytes - The size that its content may have before the oldest goes.
 * @param isWanted - Whether a subscription still wants deliveries to a webhook; replays leave out the others.
 * @throws {@link StoreError} as `openStore`. Every method throws it if the file cannot be read or written.
 */
export function openDeliveryQueue(
  file: string,
  {
    mostBytes = MOST_BYTES,
    isWanted = () => true,
    ...options
  }: DbOptions & { readonly mostBytes?: number; readonly isWanted?: IsWanted } = {},
) {
  const flushed = openStore(file, DELIVERIES_KIND, () => {}, options);
  const { application } = DELIVERIES_KIND;
  const db = openDb(file, { ...options, application, flushed: false });
  const replays = replaysOver(db, isWanted);
  return {
    ...deliveriesOver(db, replays, mostBytes),
    // Acknowledged to a client.
    replays: { ...replays, begin: replaysOver(flushed, isWanted).begin },
    close: (): void => {
      db.close();
      flushed.close();
    },
  };
}
