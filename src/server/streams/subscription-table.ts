import { eventRule, type EventType } from '#contract/streams/events.ts';
import type { ActivityDirection, SubscriptionRequest } from '#contract/streams/activity.ts';
import { textOrNull, type Cell, type Db } from '#server/db/driver.ts';
import { bounded, type RuleOwner, type RuleStream } from '#server/streams/rules/rule-table.ts';

type DirectionName = SubscriptionRequest['filter']['direction'];

export interface NewSubscription {
  readonly type: EventType;
  /** The spelling of the type that the app uses. */
  readonly name: string;
  /** Id of the user, or the keyword where the type is filtered by one. */
  readonly subject: string;
  /** Null if both match. */
  readonly direction: ActivityDirection | null;
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

/** Why a subscription was not restored. */
export type NotRestored = 'unknown' | 'repeated' | 'too-many';

/** Subscriptions of apps to events. Changes are durable when a method returns. */
export type SubscriptionTable = ReturnType<typeof subscriptionTable>;

const COLUMNS =
  'CAST(id AS TEXT), stream, app, type, name, subject, direction, direction_name, tag, webhook, created_at, updated_at';

/** Subscriptions that can be restored: the last that were taken. */
const MOST_RESTORABLE = 1000;

function subscriptionOf(row: readonly Cell[]): Subscription {
  const [id, stream, app, type, name, subject, direction, directionName, tag, webhook] = row;
  return {
    id: String(id),
    stream: String(stream) as RuleStream,
    app: String(app),
    type: String(type) as EventType,
    name: String(name),
    subject: String(subject),
    direction: textOrNull(direction) as ActivityDirection | null,
    directionName: textOrNull(directionName) as DirectionName | null,
    tag: textOrNull(tag),
    webhook: textOrNull(webhook),
    createdAt: Number(row[10]),
    updatedAt: Number(row[11]),
  };
}

export function subscriptionTable(db: Db) {
  const select = (where: string) =>
    db.prepare(`SELECT ${COLUMNS} FROM subscription WHERE ${where}`);
  const same = select(
    `stream = ? AND app = ? AND type = ? AND subject = ? AND coalesce(direction, '') = ?`,
  );
  const byId = select('id = ? AND stream = ? AND app = ?');
  const anyApp = select('id = ?');
  const page = select('stream = ? AND app = ? AND id > ? ORDER BY id LIMIT ?');
  const pageOfType = select('stream = ? AND app = ? AND type = ? AND id > ? ORDER BY id LIMIT ?');
  const toSubject = select('stream = ? AND type = ? AND subject = ? ORDER BY id');
  const toType = select('stream = ? AND type = ? ORDER BY id');
  const any = db.prepare('SELECT 1 FROM subscription WHERE stream = ? LIMIT 1');
  const count = db.prepare('SELECT count(*) FROM subscription WHERE stream = ? AND app = ?');
  const counts = db.prepare('SELECT stream, app, count(*) FROM subscription GROUP BY stream, app');
  const types = db.prepare(
    'SELECT type, count(*) FROM subscription WHERE stream = ? AND app = ? GROUP BY type ORDER BY type',
  );
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
    `DELETE FROM subscription WHERE app = ? AND subject = ? AND private = 1
    AND type IN (SELECT value FROM json_each(?))`,
  );
  const removeApp = db.prepare('DELETE FROM subscription WHERE app = ?');
  const taken = new Map<string, Subscription>();
  const forget = (isGone: (one: Subscription) => boolean): void => {
    for (const one of taken.values()) if (isGone(one)) taken.delete(one.id);
  };
  /** Why an app cannot have one more, if it cannot. */
  const obstacle = (
    { stream, app }: RuleOwner,
    { type, subject, direction }: NewSubscription,
    most: number,
  ): { readonly same: Subscription } | 'too-many' | null => {
    const known = same.get([stream, app, type, subject, direction ?? '']);
    if (known) return { same: subscriptionOf(known) };
    return Number(count.get([stream, app])?.[0]) >= most ? 'too-many' : null;
  };
  const store = (one: Subscription): void => {
    const { id, stream, app, type, name, subject, direction, directionName, tag, webhook } = one;
    const filter = [type, name, subject, direction, directionName ?? null];
    const isPrivate = eventRule(type).private === null ? 0 : 1;
    const times = [one.createdAt, one.updatedAt];
    insert.run([BigInt(id), stream, app, ...filter, tag, webhook, isPrivate, ...times]);
  };
  return {
    /**
     * Adds a subscription, unless the app has `most` of the stream already or an identical one, whatever its tag and webhook.
     *
     * @param at - Lowest id of a new one, and epoch ms.
     * @returns The new one; `same` has the one that it repeats.
     */
    add: (
      { stream, app }: RuleOwner,
      wanted: NewSubscription,
      most: number,
      { firstId, now }: { readonly firstId: bigint; readonly now: number },
    ): { readonly added: Subscription } | { readonly same: Subscription } | 'too-many' =>
      db.write('subscription', () => {
        const wrong = obstacle({ stream, app }, wanted, most);
        if (wrong) return wrong;
        const last = BigInt(String(highest.get()?.[0]));
        const id = String(last >= firstId ? last + 1n : firstId);
        const added = { ...wanted, stream, app, id, createdAt: now, updatedAt: now };
        store(added);
        return { added };
      }),
    find: ({ stream, app }: RuleOwner, id: string): Subscription | null => {
      const row = byId.get([bounded(BigInt(id)), stream, app]);
      return row ? subscriptionOf(row) : null;
    },
    /** True if any app has a subscription of that id. */
    has: (id: string): boolean => anyApp.get([bounded(BigInt(id))]) !== undefined,
    /** Those of an app with an id above `after`, ascending, at most `limit`; of one type unless it is null. */
    page: (
      { stream, app }: RuleOwner,
      after: bigint,
      limit: number,
      type: string | null = null,
    ): Subscription[] =>
      (type === null
        ? page.all([stream, app, bounded(after), limit])
        : pageOfType.all([stream, app, type, bounded(after), limit])
      ).map(subscriptionOf),
    count: ({ stream, app }: RuleOwner): number => Number(count.get([stream, app])?.[0]),
    /** How many each app has, where it has any. */
    counts: (): (RuleOwner & { readonly count: number })[] =>
      counts.all([]).map(([stream, app, of]) => ({
        stream: stream as RuleStream,
        app: String(app),
        count: Number(of),
      })),
    /** How many of each type an app has, by name. */
    types: ({ stream, app }: RuleOwner): { readonly type: EventType; readonly count: number }[] =>
      types
        .all([stream, app])
        .map(([type, of]) => ({ type: String(type) as EventType, count: Number(of) })),
    /** Replaces tag and webhook. */
    put: ({ id, tag, webhook, updatedAt }: Subscription): void =>
      void db.write('subscription', () => update.run([tag, webhook, updatedAt, BigInt(id)])),
    /** @returns False if the app has none of that id. */
    remove: ({ stream, app }: RuleOwner, id: string): boolean =>
      db.write('subscription', () => remove.run([bounded(BigInt(id)), stream, app])) === 1,
    /**
     * Removes a subscription of any app and remembers it until the process ends, or the access that it needs does.
     *
     * @returns Null if there is none of that id.
     */
    take: (id: string): Subscription | null => {
      const one = db.write('subscription', () => {
        const row = anyApp.get([bounded(BigInt(id))]);
        if (!row) return null;
        const found = subscriptionOf(row);
        remove.run([BigInt(found.id), found.stream, found.app]);
        return found;
      });
      if (one) taken.set(one.id, one);
      const [oldest] = taken.keys();
      if (taken.size > MOST_RESTORABLE && oldest !== undefined) taken.delete(oldest);
      return one;
    },
    /**
     * Adds a subscription that was taken, as it was.
     *
     * @param most - How many subscriptions to a stream the app may have.
     */
    restore: (id: string, most: (app: string) => number): Subscription | NotRestored => {
      const one = taken.get(id);
      if (!one) return 'unknown';
      const wrong = db.write('subscription', () => {
        const found = obstacle(one, one, most(one.app));
        if (!found) store(one);
        return found;
      });
      if (wrong) return wrong === 'too-many' ? wrong : 'repeated';
      taken.delete(id);
      return one;
    },
    /** Removes those of an app to private events of a user whose types are given. */
    removePrivate: (app: string, user: string, types: readonly EventType[]) => {
      db.write('subscription', () => removePrivate.run([app, user, JSON.stringify(types)]));
      forget((one) => one.app === app && one.subject === user && types.includes(one.type));
    },
    removeApp: (app: string) => {
      db.write('subscription', () => removeApp.run([app]));
      forget((one) => one.app === app);
    },
    /** Those of all apps to a type of event with a subject; all of the type if it is null. */
    to: (stream: RuleStream, type: EventType, subject: string | null): Subscription[] =>
      (subject === null ? toType.all([stream, type]) : toSubject.all([stream, type, subject])).map(
        subscriptionOf,
      ),
    /** True if any app has one. */
    any: (stream: RuleStream): boolean => any.get([stream]) !== undefined,
  };
}
