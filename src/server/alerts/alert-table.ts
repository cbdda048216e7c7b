import type { AlertSettings } from '#contract/alerts/alerts.ts';
import { readAlertState, type AlertRule, type AlertState } from '#core/alerts/state.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import { alertDeliveryTable } from './alert-delivery-table.ts';
import { messageId, type AlertMessage } from '#core/alerts/alert-message.ts';

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
  const { addTo, ...deliveries } = alertDeliveryTable(db);
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
    ...deliveries,
    list: (): StoredAlert[] => all.all(),
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
            if (due !== null) addTo(alert, message, { since: message.at, dueAt: due });
          }
          setState.run([JSON.stringify(state), fault, id]);
        }
      });
    },
    /** Adds a test for each channel. */
    test: (alert: StoredAlert, at: number): void =>
      db.write('test-alert', () => addTo(alert, null, { since: at, dueAt: at })),
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
