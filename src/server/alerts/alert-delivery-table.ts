import type { AlertSettings } from '#contract/alerts/alerts.ts';
import type { Channel } from '#contract/channels/channel.ts';
import type { AlertRule } from '#core/alerts/state.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';
import type { AlertMessage } from '#core/alerts/alert-message.ts';

const DELIVERY = columns({
  id: column.number,
  alert: column.text,
  channel: column.json<Channel>(),
  /** Null for a test. */
  message: column.named('body', column.jsonOrNull<AlertMessage>()),
  tries: column.number,
  /** The time of the message, epoch ms. */
  since: column.number,
});

/** A message on its way to a channel. */
export type AlertDelivery = RowOf<typeof DELIVERY>;

/** A delivery that was given up. Of the table `d`, which is joined with that of alerts. */
const DEAD_DELIVERY = columns({
  alert: column.text,
  settings: column.json<AlertSettings>(),
  rule: column.json<AlertRule>(),
  channel: column.json<Channel>(),
  /** Null for a test. */
  message: column.named('body', column.jsonOrNull<AlertMessage>()),
  /** The time of the message, epoch ms. */
  since: column.number,
  /** Epoch ms. */
  endedAt: column.number,
  fault: column.named('d.fault', column.text),
});

/** The end of a delivery, with the reason if it was given up, or the time at which it is sent again, epoch ms. */
export type DeliveryOutcome = { readonly id: number } & (
  | { readonly endedAt: number; readonly fault: string | null }
  | { readonly again: number; readonly fault: string }
);

/** Deliveries of alerts' messages and tests to their channels. */
export function alertDeliveryTable(db: Db) {
  const add = db.prepare(
    'INSERT INTO alert_delivery (alert, channel, body, since, due_at, tries) VALUES (?, ?, ?, ?, ?, 0)',
  );
  const due = DELIVERY.select(
    db,
    `alert_delivery WHERE ended_at IS NULL AND due_at <= ?
    AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at, id LIMIT ?`,
  );
  const retry = db.prepare(
    'UPDATE alert_delivery SET due_at = ?, tries = tries + 1, fault = ? WHERE id = ?',
  );
  const end = db.prepare('UPDATE alert_delivery SET ended_at = ?, fault = ? WHERE id = ?');
  const lastFault = db.prepare(
    `SELECT fault FROM alert_delivery WHERE alert = ? AND channel = ? AND (tries > 0 OR ended_at IS NOT NULL)
    ORDER BY id DESC LIMIT 1`,
  );
  const dead = DEAD_DELIVERY.select(
    db,
    `alert_delivery AS d JOIN alert AS a ON a.id = d.alert WHERE a.login = ? AND a.removed_at IS NULL
    AND d.ended_at >= ? AND d.fault IS NOT NULL ORDER BY d.ended_at DESC LIMIT ?`,
  );
  return {
    /** Adds a delivery to each channel of an alert, within a write. @param message - Null for a test. */
    addTo: (
      { id, settings: { channels } }: { readonly id: string; readonly settings: AlertSettings },
      message: AlertMessage | null,
      { since, dueAt }: { readonly since: number; readonly dueAt: number },
    ): void => {
      const body = message && JSON.stringify(message);
      for (const channel of channels) {
        add.run([Number(id), JSON.stringify(channel), body, since, dueAt]);
      }
    },
    /** Deliveries that are due at a time, epoch ms. @param without - Ids. */
    due: (at: number, most: number, without: readonly number[]): AlertDelivery[] =>
      due.all([at, JSON.stringify(without), most]),
    /** Stores how requests ended, in one transaction. */
    settle: (outcomes: readonly DeliveryOutcome[]): void => {
      db.write('settle-deliveries', () => {
        for (const outcome of outcomes) {
          const { id, fault } = outcome;
          if ('again' in outcome) retry.run([outcome.again, fault, id]);
          else end.run([outcome.endedAt, fault, id]);
        }
      });
    },
    /** The deliveries of a login's alerts that were given up since a time, epoch ms, the newest first. */
    deadLetters: (login: string, since: number, most: number): RowOf<typeof DEAD_DELIVERY>[] =>
      dead.all([login, since, most]),
    /** The reason that the last delivery to a channel failed; null if it did not, or none was tried. */
    channelFault: (id: string, channel: Channel): string | null =>
      textOrNull(lastFault.get([Number(id), JSON.stringify(channel)])?.[0] ?? null),
  };
}
