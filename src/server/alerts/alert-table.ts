import type { AlertSettings } from '#contract/alerts/alerts.ts';
import type { Channel } from '#contract/channels/channel.ts';
import { messageId, type AlertMessage } from '#core/alerts/alert.ts';
import { readAlertState, type AlertRule, type AlertState } from '#core/alerts/state.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';

/** The rule of an alert, with the weeks that its factor was chosen from. */
export type ChosenRule = AlertRule & { readonly weeks: number };

const ALERT = columns({
  id: column.text,
  /** Id of the login that it belongs to; empty where nobody signs in. */
  login: column.text,
  settings: column.json<AlertSettings>(),
  rule: column.json<ChosenRule>(),
  state: column.of((cell): AlertState => readAlertState(String(cell)), JSON.stringify),
  /** Epoch ms. */
  createdAt: column.number,
  /** The reason that it cannot be judged; null if it can. */
  fault: column.textOrNull,
});

/** An alert as it is stored. */
export type StoredAlert = RowOf<typeof ALERT>;

/** Of the table `m`, which is joined with that of alerts. */
const MESSAGE = columns({
  id: column.named('m.id', column.text),
  alert: column.text,
  message: column.named('body', column.json<AlertMessage>()),
  isRead: column.named('m.read_at IS NOT NULL', column.flag),
});

/** A message as it is stored. */
export type StoredMessage = RowOf<typeof MESSAGE>;

/** A step of an alert that is stored. */
interface AlertStored {
  readonly alert: Pick<StoredAlert, 'id' | 'settings'>;
  /** The state after it. */
  readonly state: AlertState;
  readonly messages: readonly AlertMessage[];
  /** The reason that counts are missing; null if there is none. */
  readonly fault: string | null;
  /** The time at which a message is sent, epoch ms; null for one that is listed only. */
  readonly dueAt: (message: AlertMessage) => number | null;
}

/** Of the table `d`. */
const DELIVERY = columns({
  id: column.named('d.id', column.number),
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

/** A delivery that was given up. */
interface DeadDelivery extends Omit<AlertDelivery, 'alert'> {
  readonly alert: StoredAlert;
  /** Epoch ms. */
  readonly endedAt: number;
  readonly fault: string;
}

/** The end of a delivery, with the reason if it was given up, or the time at which it is sent again, epoch ms. */
export type DeliveryOutcome = { readonly id: number } & (
  | { readonly endedAt: number; readonly fault: string | null }
  | { readonly again: number; readonly fault: string }
);

/** Alerts with their messages and deliveries. Changes are durable when a method returns. */
export type AlertTable = ReturnType<typeof alertTable>;

export function alertTable(db: Db) {
  const there = 'removed_at IS NULL';
  const all = ALERT.select(db, `alert WHERE ${there} ORDER BY id`);
  const find = ALERT.select(db, `alert WHERE id = ? AND ${there}`);
  const add = db.prepare(
    'INSERT INTO alert (login, settings, rule, state, created_at) VALUES (?, ?, ?, ?, ?) RETURNING id',
  );
  const setState = db.prepare('UPDATE alert SET state = ?, fault = ? WHERE id = ?');
  const setFault = db.prepare('UPDATE alert SET fault = ? WHERE id = ?');
  const remove = db.prepare(`UPDATE alert SET removed_at = ? WHERE id = ? AND ${there}`);
  const restore = db.prepare(
    'UPDATE alert SET removed_at = NULL WHERE id = ? AND login = ? AND removed_at IS NOT NULL',
  );
  const addMessage = db.prepare(
    'INSERT OR IGNORE INTO alert_message (id, alert, at, body) VALUES (?, ?, ?, ?)',
  );
  const ofLogin =
    'alert_message AS m JOIN alert AS a ON a.id = m.alert WHERE a.login = ? AND a.removed_at IS NULL';
  const messages = MESSAGE.select(db, `${ofLogin} ORDER BY m.at DESC, m.id DESC LIMIT ?`);
  const before = MESSAGE.select(
    db,
    `${ofLogin} AND (m.at, m.id) < (SELECT at, id FROM alert_message WHERE id = ?)
    ORDER BY m.at DESC, m.id DESC LIMIT ?`,
  );
  const mark = db.prepare(`SELECT count(*), count(m.read_at), max(m.at) FROM ${ofLogin}`);
  const unread = db.prepare(`SELECT count(*) FROM ${ofLogin} AND m.read_at IS NULL`);
  const read = db.prepare(
    `UPDATE alert_message SET read_at = ?2 WHERE read_at IS NULL AND at <= ?2
    AND alert IN (SELECT id FROM alert WHERE login = ?1)`,
  );
  const addDelivery = db.prepare(
    'INSERT INTO alert_delivery (alert, channel, body, since, due_at, tries) VALUES (?, ?, ?, ?, ?, 0)',
  );
  const due = DELIVERY.select(
    db,
    `alert_delivery AS d WHERE ended_at IS NULL AND due_at <= ?
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
  const dead = db.prepare(
    `SELECT ${DELIVERY.names}, d.ended_at, d.fault FROM alert_delivery AS d
    JOIN alert AS a ON a.id = d.alert WHERE a.login = ? AND a.removed_at IS NULL AND d.ended_at >= ?
    AND d.fault IS NOT NULL ORDER BY d.ended_at DESC LIMIT ?`,
  );
  const over = db.prepare('SELECT 1 FROM alert WHERE removed_at < ? LIMIT 1');
  const purges = [
    'DELETE FROM alert_delivery WHERE alert IN (SELECT id FROM alert WHERE removed_at < ?)',
    'DELETE FROM alert_message WHERE alert IN (SELECT id FROM alert WHERE removed_at < ?)',
    'DELETE FROM alert WHERE removed_at < ?',
  ].map((text) => db.prepare(text));
  const ages = [
    'DELETE FROM alert_message WHERE at < ?',
    'DELETE FROM alert_delivery WHERE since < ?',
  ].map((text) => db.prepare(text));
  return {
    /** All alerts, or those of one login. */
    list: (login?: string): StoredAlert[] => {
      const alerts = all.all();
      return login === undefined ? alerts : alerts.filter((alert) => alert.login === login);
    },
    find: (id: string): StoredAlert | undefined => find.get([Number(id)]),
    /** @returns The id. */
    add: ({
      login,
      settings,
      rule,
      state,
      createdAt,
    }: Pick<StoredAlert, 'login' | 'settings' | 'rule' | 'state' | 'createdAt'>): string =>
      db.write('add-alert', () => {
        const texts = [settings, rule, state].map((of) => JSON.stringify(of));
        return String(add.get([login, ...texts, createdAt])?.[0]);
      }),
    /**
     * Stores steps in one transaction: the state after each, its messages, each once whatever is repeated, and their
     * deliveries.
     */
    step: (steps: readonly AlertStored[]): void => {
      if (steps.length === 0) return;
      db.write('step-alerts', () => {
        for (const { alert, state, messages: said, fault, dueAt } of steps) {
          const id = Number(alert.id);
          for (const message of said) {
            const body = JSON.stringify(message);
            if (addMessage.run([messageId(alert.id, message), id, message.at, body]) === 0)
              continue;
            const due = dueAt(message);
            if (due === null) continue;
            for (const channel of alert.settings.channels) {
              addDelivery.run([id, JSON.stringify(channel), body, message.at, due]);
            }
          }
          setState.run([JSON.stringify(state), fault, id]);
        }
      });
    },
    /** Adds a test for each channel. */
    test: ({ id, settings: { channels } }: StoredAlert, at: number): void =>
      db.write('test-alert', () => {
        for (const channel of channels) {
          addDelivery.run([Number(id), JSON.stringify(channel), null, at, at]);
        }
      }),
    fail: (id: string, fault: string): void => {
      db.write('fail-alert', () => setFault.run([fault, Number(id)]));
    },
    /** The newest messages of a login, or those before one. */
    messages: (login: string, most: number, than?: string): StoredMessage[] =>
      than === undefined ? messages.all([login, most]) : before.all([login, than, most]),
    /** A text that changes with the messages of a login. */
    mark: (login: string): string => (mark.get([login]) ?? []).join(' '),
    unread: (login: string): number => Number(unread.get([login])?.[0]),
    /** Marks messages up to a time, epoch ms, as read. */
    read: (login: string, until: number): void => {
      db.write('read-messages', () => read.run([login, until]));
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
    deadLetters: (login: string, since: number, most: number): DeadDelivery[] =>
      dead.all([login, since, most]).flatMap((row) => {
        const delivery = DELIVERY.read(row);
        const alert = find.get([Number(delivery.alert)]);
        if (!alert) return [];
        const [endedAt, fault] = row.slice(6);
        return [{ ...delivery, alert, endedAt: Number(endedAt), fault: String(fault) }];
      }),
    /** The reason that the last delivery to a channel failed; null if it did not, or none was tried. */
    channelFault: (id: string, channel: Channel): string | null =>
      textOrNull(lastFault.get([Number(id), JSON.stringify(channel)])?.[0] ?? null),
    /** @returns False if there is no such alert. */
    remove: (id: string, at: number): boolean =>
      db.write('remove-alert', () => remove.run([at, Number(id)]) > 0),
    /** @returns False if the login removed none of that id. */
    restore: (login: string, id: string): boolean =>
      db.write('restore-alert', () => restore.run([Number(id), login]) > 0),
    /** Deletes alerts that were removed before a time. */
    purge: (before: number): void => {
      if (!over.get([before])) return;
      db.write('purge-alerts', () => {
        for (const each of purges) each.run([before]);
      });
    },
    /** Deletes messages and deliveries from before a time. */
    age: (before: number): void => {
      db.write('age-alerts', () => {
        for (const each of ages) each.run([before]);
      });
    },
  };
}
