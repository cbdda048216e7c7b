import { eventRule } from '#contract/events.ts';
import type { EventType } from '#contract/events.ts';
import type { Direction, SubscriptionRequest } from '#contract/activity.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import type { RuleOwner, RuleStream } from './rules/rule-table.ts';

type DirectionName = SubscriptionRequest['filter']['direction'];

export interface NewSubscription {
  readonly type: EventType;
  /** The spelling of the type that the app uses. */
  readonly name: string;
  /** Id of the user, or the keyword where the type is filtered by one. */
  readonly subject: string;
  /** Null if both match. */
  readonly direction: Direction | null;
  /** As the app wrote it. */
  readonly directionName: DirectionName | null;
  readonly tag: string | null;
  /** Id of the webhook that events are delivered to, in addition to the stream. */
  readonly webhook: string | null;
}

export interface Subscription extends NewSubscription, RuleOwner {
  readonly id: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Subscriptions of apps to events. Changes are durable when a method returns. */
export interface SubscriptionTable {
  /**
   * Adds a subscription, unless the app has `most` of the stream already or an identical one, whatever its tag and webhook.
   *
   * @param at - Lowest id of a new one, and epoch ms.
   * @returns The new one; `same` has the one that it repeats.
   */
  add(
    of: RuleOwner,
    subscription: NewSubscription,
    most: number,
    at: { readonly firstId: bigint; readonly now: number },
  ): { readonly added: Subscription } | { readonly same: Subscription } | 'too-many';
  find(of: RuleOwner, id: string): Subscription | null;
  /** Those of an app with an id above `after`, ascending, at most `limit`. */
  page(of: RuleOwner, after: bigint, limit: number): Subscription[];
  count(of: RuleOwner): number;
  /** Replaces tag and webhook. */
  put(subscription: Subscription): void;
  /** @returns False if the app has none of that id. */
  remove(of: RuleOwner, id: string): boolean;
  /** Removes those of an app to private events of a user. */
  removePrivate(app: string, user: string): void;
  removeApp(app: string): void;
  /** Those of all apps to a type of event with a subject; all of the type if it is null. */
  to(stream: RuleStream, type: EventType, subject: string | null): Subscription[];
  /** Whether any app has one. */
  any(stream: RuleStream): boolean;
}

const COLUMNS =
  'CAST(id AS TEXT), stream, app, type, name, subject, direction, direction_name, tag, webhook, created_at, updated_at';

function text(cell: Cell | undefined): string | null {
  return typeof cell === 'string' ? cell : null;
}

function subscriptionOf(row: readonly Cell[]): Subscription {
  const [id, stream, app, type, name, subject, direction, directionName, tag, webhook] = row;
  return {
    id: String(id),
    stream: String(stream) as RuleStream,
    app: String(app),
    type: String(type) as EventType,
    name: String(name),
    subject: String(subject),
    direction: text(direction) as Direction | null,
    directionName: text(directionName) as DirectionName | null,
    tag: text(tag),
    webhook: text(webhook),
    createdAt: Number(row[10]),
    updatedAt: Number(row[11]),
  };
}

export function subscriptionTable(db: Db): SubscriptionTable {
  const select = (where: string) =>
    db.prepare(`SELECT ${COLUMNS} FROM subscription WHERE ${where}`);
  const same = select(
    `stream = ? AND app = ? AND type = ? AND subject = ? AND coalesce(direction, '') = ?`,
  );
  const byId = select('id = ? AND stream = ? AND app = ?');
  const page = select('stream = ? AND app = ? AND id > ? ORDER BY id LIMIT ?');
  const toSubject = select('stream = ? AND type = ? AND subject = ? ORDER BY id');
  const toType = select('stream = ? AND type = ? ORDER BY id');
  const any = db.prepare('SELECT 1 FROM subscription WHERE stream = ? LIMIT 1');
  const count = db.prepare('SELECT count(*) FROM subscription WHERE stream = ? AND app = ?');
  const highest = db.prepare('SELECT CAST(coalesce(max(id), 0) AS TEXT) FROM subscription');
  const insert = db.prepare(
    `INSERT INTO subscription (id, stream, app, type, name, subject, direction, direction_name, tag, webhook,
    private, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = db.prepare(
    'UPDATE subscription SET tag = ?, webhook = ?, updated_at = ? WHERE id = ?',
  );
  const remove = db.prepare('DELETE FROM subscription WHERE id = ? AND stream = ? AND app = ?');
  const removePrivate = db.prepare(
    'DELETE FROM subscription WHERE app = ? AND subject = ? AND private = 1',
  );
  const removeApp = db.prepare('DELETE FROM subscription WHERE app = ?');
  return {
    add: ({ stream, app }, wanted, most, { firstId, now }) =>
      db.write('subscription', () => {
        const { type, name, subject, direction, directionName, tag, webhook } = wanted;
        const known = same.get([stream, app, type, subject, direction ?? '']);
        if (known) return { same: subscriptionOf(known) };
        if (Number(count.get([stream, app])?.[0]) >= most) return 'too-many';
        const last = BigInt(String(highest.get()?.[0]));
        const id = last >= firstId ? last + 1n : firstId;
        const filter = [type, name, subject, direction, directionName ?? null];
        const isPrivate = eventRule(type).private === null ? 0 : 1;
        insert.run([id, stream, app, ...filter, tag, webhook, isPrivate, now, now]);
        const added = { ...wanted, stream, app, id: String(id), createdAt: now, updatedAt: now };
        return { added };
      }),
    find: ({ stream, app }, id) => {
      const row = byId.get([BigInt(id), stream, app]);
      return row ? subscriptionOf(row) : null;
    },
    page: ({ stream, app }, after, limit) =>
      page.all([stream, app, after, limit]).map(subscriptionOf),
    count: ({ stream, app }) => Number(count.get([stream, app])?.[0]),
    put: ({ id, tag, webhook, updatedAt }) =>
      void db.write('subscription', () => update.run([tag, webhook, updatedAt, BigInt(id)])),
    remove: ({ stream, app }, id) =>
      db.write('subscription', () => remove.run([BigInt(id), stream, app])) === 1,
    removePrivate: (app, user) =>
      void db.write('subscription', () => removePrivate.run([app, user])),
    removeApp: (app) => void db.write('subscription', () => removeApp.run([app])),
    to: (stream, type, subject) =>
      (subject === null ? toType.all([stream, type]) : toSubject.all([stream, type, subject])).map(
        subscriptionOf,
      ),
    any: (stream) => any.get([stream]) !== undefined,
  };
}
