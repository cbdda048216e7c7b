import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** A webhook as stored. Times are in epoch ms. */
export interface StoredWebhook {
  readonly id: string;
  readonly app: string;
  readonly url: string;
  /** True if deliveries are sent. */
  readonly valid: boolean;
  readonly createdAt: number;
  /** The time at which the last check began. */
  readonly checkedAt: number;
  /** The time at which a check last succeeded. */
  readonly validatedAt: number;
  /** The reason the last check failed; null if it succeeded. */
  readonly fault: string | null;
}

/** The reason a webhook was not added. */
export type NotAdded = 'duplicate' | 'too-many';

/** Webhooks of apps. Changes are durable when a method returns. */
export type WebhookTable = ReturnType<typeof webhookTable>;

const COLUMNS = 'id, app, url, valid, created_at, checked_at, validated_at, fault';

function webhookOf(row: readonly Cell[]): StoredWebhook {
  const [id, app, url, valid, createdAt, checkedAt, validatedAt, fault] = row;
  return {
    id: String(id),
    app: String(app),
    url: String(url),
    valid: valid === 1,
    createdAt: Number(createdAt),
    checkedAt: Number(checkedAt),
    validatedAt: Number(validatedAt),
    fault: textOrNull(fault),
  };
}

export function webhookTable(db: Db) {
  const all = db.prepare(`SELECT ${COLUMNS} FROM webhook ORDER BY created_at, id`);
  const of = db.prepare(`SELECT ${COLUMNS} FROM webhook WHERE app = ? ORDER BY created_at, id`);
  const find = db.prepare(`SELECT ${COLUMNS} FROM webhook WHERE id = ?`);
  const insert = db.prepare(`INSERT INTO webhook (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const update = db.prepare(
    'UPDATE webhook SET valid = ?, checked_at = ?, validated_at = ?, fault = ? WHERE id = ?',
  );
  const remove = db.prepare('DELETE FROM webhook WHERE id = ?');
  return {
    /** By age. */
    all: (): StoredWebhook[] => all.all().map(webhookOf),
    /** Those of an app, by age. */
    of: (app: string): StoredWebhook[] => of.all([app]).map(webhookOf),
    find: (id: string): StoredWebhook | undefined => {
      const row = find.get([id]);
      return row && webhookOf(row);
    },
    /** Adds a webhook, unless its app has `most` already or one of that URL. */
    add: (
      { id, app, url, valid, createdAt, checkedAt, validatedAt, fault }: StoredWebhook,
      most: number,
    ): NotAdded | null =>
      db.write('webhook', () => {
        const others = of.all([app]).map(webhookOf);
        if (others.some((other) => other.url === url)) return 'duplicate';
        if (others.length >= most) return 'too-many';
        insert.run([id, app, url, valid ? 1 : 0, createdAt, checkedAt, validatedAt, fault]);
        return null;
      }),
    /** Replaces the result of the check. */
    put: ({ id, valid, checkedAt, validatedAt, fault }: StoredWebhook): void =>
      void db.write('webhook', () =>
        update.run([valid ? 1 : 0, checkedAt, validatedAt, fault, id]),
      ),
    remove: (id: string): void => void db.write('remove-webhook', () => remove.run([id])),
  };
}
