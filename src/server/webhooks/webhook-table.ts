import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

/** Times are in epoch ms. */
const WEBHOOK = columns({
  id: column.text,
  app: column.text,
  url: column.text,
  /** True if deliveries are sent. */
  valid: column.flag,
  createdAt: column.number,
  /** The time at which the last check began. */
  checkedAt: column.number,
  /** The time at which a check last succeeded. */
  validatedAt: column.number,
  /** The reason the last check failed; null if it succeeded. */
  fault: column.textOrNull,
});

/** A webhook as stored. */
export type StoredWebhook = RowOf<typeof WEBHOOK>;

/** The reason a webhook was not added. */
export type NotAdded = 'duplicate' | 'too-many';

/** Webhooks of apps. Changes are durable when a method returns. */
export type WebhookTable = ReturnType<typeof webhookTable>;

export function webhookTable(db: Db) {
  const all = WEBHOOK.select(db, 'webhook ORDER BY created_at, id');
  const of = WEBHOOK.select(db, 'webhook WHERE app = ? ORDER BY created_at, id');
  const find = WEBHOOK.select(db, 'webhook WHERE id = ?');
  const insert = WEBHOOK.insert(db, 'webhook');
  const checked = ['valid', 'checkedAt', 'validatedAt', 'fault'] as const;
  const update = WEBHOOK.update(db, 'webhook', checked, 'id = ?');
  const remove = db.prepare('DELETE FROM webhook WHERE id = ?');
  return {
    /** By age. */
    all: (): StoredWebhook[] => all.all(),
    /** Those of an app, by age. */
    of: (app: string): StoredWebhook[] => of.all([app]),
    find: (id: string): StoredWebhook | undefined => find.get([id]),
    /** Adds a webhook, unless its app has `most` already or one of that URL. */
    add: (webhook: StoredWebhook, most: number): NotAdded | null =>
      db.write('webhook', () => {
        const others = of.all([webhook.app]);
        if (others.some(({ url }) => url === webhook.url)) return 'duplicate';
        if (others.length >= most) return 'too-many';
        insert(webhook);
        return null;
      }),
    /** Replaces the result of the check. */
    put: (webhook: StoredWebhook): void =>
      void db.write('webhook', () => update(webhook, [webhook.id])),
    remove: (id: string): void => void db.write('remove-webhook', () => remove.run([id])),
  };
}
