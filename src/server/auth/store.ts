import { openDb, type DbOptions } from '#server/db/driver.ts';
import { openStore } from '#server/db/migrate.ts';
import {
  ALERT_TABLES,
  BILLS_BY_ACCOUNT,
  BOARD_LINKS,
  BOARDS_WITHOUT_LOGIN,
  CALENDAR_TEXTS,
  FORMER_HANDLES,
  SERVICE_SCHEMA,
} from '#server/migrations/service.ts';
import { alertTable } from '#server/alerts/alert-table.ts';
import { boardLinkTable } from '#server/links/board-link-table.ts';
import { calendarTable } from '#server/calendars/calendar-table.ts';
import { noteTable } from '#server/notes/note-table.ts';
import { requestTable } from '#server/notes/request-table.ts';
import { subscriptionTable } from '#server/streams/subscription-table.ts';
import { connectionTable } from '#server/streams/connection-table.ts';
import { mediaTable } from '#server/media/media-table.ts';
import { outboxTable } from '#server/streams/outbox.ts';
import { ruleTable } from '#server/streams/rules/rule-table.ts';
import { linkTable } from '#server/webhooks/link-table.ts';
import { webhookTable } from '#server/webhooks/webhook-table.ts';
import { accountTable } from './account-table.ts';
import { appTable } from './app-table.ts';
import { billTable } from './bill-table.ts';
import { boardTable } from './board-table.ts';
import { codeTable } from './code-table.ts';
import { limitTable } from './limit-table.ts';
import { loginTable } from './login-table.ts';
import { nonceTable } from './nonce-table.ts';
import { requestTokenTable } from './request-token-table.ts';
import { tokenTable } from './token-table.ts';

/**
 * The service's own data: secrets, accounts, apps, tokens, uploaded media, what apps read, and windows of long limits.
 */
export type Service = ReturnType<typeof openService>;

export const SERVICE_KIND = {
  application: 0x47537376,
  first: 18,
  steps: [
    SERVICE_SCHEMA,
    BOARDS_WITHOUT_LOGIN,
    BILLS_BY_ACCOUNT,
    FORMER_HANDLES,
    CALENDAR_TEXTS,
    ALERT_TABLES,
    BOARD_LINKS,
  ],
};

/**
 * Opens the file of secrets and tokens; creates it if it is absent.
 *
 * @throws {@link StoreError} as `openStore`. Every method throws it if the file cannot be read or written.
 */
export function openService(
  file: string,
  deps: { random: (n: number) => Uint8Array },
  options: DbOptions = {},
) {
  let changes = 0;
  const onStep: DbOptions['onStep'] = (step, at) => {
    if (at === 'done') changes += 1;
    options.onStep?.(step, at);
  };
  const db = openStore(file, SERVICE_KIND, () => {}, { ...options, onStep });
  const { application } = SERVICE_KIND;
  const quick = openDb(file, { application, flushed: false });
  const bills = billTable(db);
  const apps = appTable(db);
  const rules = ruleTable(db, 'filtered_stream');
  const powerRules = ruleTable(db, 'powerstream');
  const subscriptions = subscriptionTable(db);
  const webhooks = webhookTable(db);
  const links = linkTable(db);
  const secretOf = db.prepare('SELECT value FROM secret WHERE name = ?');
  const addSecret = db.prepare('INSERT INTO secret (name, value) VALUES (?, ?)');
  const found = (name: string): Buffer | undefined => {
    const value = secretOf.get([name])?.[0];
    return Buffer.isBuffer(value) ? value : undefined;
  };
  return {
    /** The 32 random bytes of that name, created at the first call and the same from then on. */
    secret: (name: string): Buffer =>
      found(name) ??
      db.write('secret', () => {
        const other = found(name);
        if (other) return other;
        const value = Buffer.from(deps.random(32));
        addSecret.run([name, value]);
        return value;
      }),
    apps: {
      ...apps,
      remove: (id: string): void => {
        const tell = db.write('remove-app', () => {
          apps.remove(id);
          subscriptions.removeApp(id);
          links.removeApp(id);
          return [rules.removeApp(id), powerRules.removeApp(id)];
        });
        for (const each of tell) each();
      },
    },
    /** Rules of the filtered streams. */
    rules,
    /** Rules of powerstream. */
    powerRules,
    tokens: tokenTable(db),
    bills,
    limits: limitTable(quick),
    codes: codeTable(db),
    requestTokens: requestTokenTable(db),
    nonces: nonceTable(quick),
    /** The people who may sign in, where other machines reach the service. */
    logins: loginTable(db),
    /** The saved boards of those. */
    boards: boardTable(db),
    boardLinks: boardLinkTable(db, quick),
    calendars: calendarTable(db),
    alerts: alertTable(db),
    /** Number of transactions so far that may have changed anything but nonces and windows of limits. */
    changes: (): number => changes,
    /** Makes the changes of `work` in one transaction. */
    write: <T>(step: string, work: () => T): T => db.write(step, work),
    media: mediaTable(db),
    connections: connectionTable(db),
    /** Events that changes of this file caused. */
    outbox: outboxTable(db),
    webhooks: {
      ...webhooks,
      /** Removes a webhook and its link. */
      remove: (id: string): void =>
        db.write('remove-webhook', () => {
          webhooks.remove(id);
          links.remove(id);
        }),
    },
    links,
    subscriptions,
    /** Community notes. */
    notes: noteTable(db),
    noteRequests: requestTable(db),
    ...accountTable(db),
    close: (): void => {
      try {
        bills.close();
      } finally {
        quick.close();
        db.close();
      }
    },
  };
}
