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
import { alertTable, type AlertTable } from '#server/alerts/alert-table.ts';
import { boardLinkTable, type BoardLinkTable } from '#server/links/board-link-table.ts';
import { calendarTable, type CalendarTable } from '#server/calendars/calendar-table.ts';
import { noteTable, type NoteTable } from '#server/notes/note-table.ts';
import { requestTable, type RequestTable } from '#server/notes/request-table.ts';
import { subscriptionTable, type SubscriptionTable } from '#server/streams/subscription-table.ts';
import { connectionTable, type ConnectionTable } from '#server/streams/connection-table.ts';
import { mediaTable, type MediaTable } from '#server/media/media-table.ts';
import { outboxTable, type Outbox } from '#server/streams/outbox.ts';
import { ruleTable, type RuleTable } from '#server/streams/rules/rule-table.ts';
import { linkTable, type LinkTable } from '#server/webhooks/link-table.ts';
import { webhookTable, type WebhookTable } from '#server/webhooks/webhook-table.ts';
import { accountTable, type AccountTable } from './account-table.ts';
import { appTable, type AppTable } from './app-table.ts';
import { billTable, type BillTable } from './bill-table.ts';
import { boardTable, type BoardTable } from './board-table.ts';
import { codeTable, type CodeTable } from './code-table.ts';
import { limitTable, type LimitTable } from './limit-table.ts';
import { loginTable, type LoginTable } from './login-table.ts';
import { nonceTable, type NonceTable } from './nonce-table.ts';
import { requestTokenTable, type RequestTokenTable } from './request-token-table.ts';
import { tokenTable, type TokenTable } from './token-table.ts';

/**
 * The service's own data: secrets, accounts, apps, tokens, uploaded media, what apps read, and windows of long limits.
 */
export interface Service extends AccountTable {
  /** The 32 random bytes of that name, created at the first call and the same from then on. */
  secret(name: string): Buffer;
  readonly apps: AppTable;
  readonly tokens: TokenTable;
  readonly bills: BillTable;
  readonly limits: LimitTable;
  readonly codes: CodeTable;
  readonly requestTokens: RequestTokenTable;
  readonly nonces: NonceTable;
  /** The people who may sign in, where other machines reach the service. */
  readonly logins: LoginTable;
  /** The saved boards of those. */
  readonly boards: BoardTable;
  readonly boardLinks: BoardLinkTable;
  readonly calendars: CalendarTable;
  readonly alerts: AlertTable;
  /** Number of transactions so far that may have changed anything but nonces and windows of limits. */
  changes(): number;
  /** Makes the changes of `work` in one transaction. */
  write<T>(step: string, work: () => T): T;
  readonly media: MediaTable;
  readonly connections: ConnectionTable;
  /** Events that changes of this file caused. */
  readonly outbox: Outbox;
  /** Rules of the filtered streams. */
  readonly rules: RuleTable;
  /** Rules of powerstream. */
  readonly powerRules: RuleTable;
  /** Removing a webhook removes its link. */
  readonly webhooks: WebhookTable;
  readonly links: LinkTable;
  readonly subscriptions: SubscriptionTable;
  /** Community notes. */
  readonly notes: NoteTable;
  readonly noteRequests: RequestTable;
  close(): void;
}

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
): Service {
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
    secret: (name) =>
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
      remove: (id) => {
        const tell = db.write('remove-app', () => {
          apps.remove(id);
          subscriptions.removeApp(id);
          links.removeApp(id);
          return [rules.removeApp(id), powerRules.removeApp(id)];
        });
        for (const each of tell) each();
      },
    },
    rules,
    powerRules,
    tokens: tokenTable(db),
    bills,
    limits: limitTable(quick),
    codes: codeTable(db),
    requestTokens: requestTokenTable(db),
    nonces: nonceTable(quick),
    logins: loginTable(db),
    boards: boardTable(db),
    boardLinks: boardLinkTable(db, quick),
    calendars: calendarTable(db),
    alerts: alertTable(db),
    changes: () => changes,
    write: (step, work) => db.write(step, work),
    media: mediaTable(db),
    connections: connectionTable(db),
    outbox: outboxTable(db),
    webhooks: {
      ...webhooks,
      remove: (id) =>
        db.write('remove-webhook', () => {
          webhooks.remove(id);
          links.remove(id);
        }),
    },
    links,
    subscriptions,
    notes: noteTable(db),
    noteRequests: requestTable(db),
    ...accountTable(db),
    close: () => {
      try {
        bills.close();
      } finally {
        quick.close();
        db.close();
      }
    },
  };
}
