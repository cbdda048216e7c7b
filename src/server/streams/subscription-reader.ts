import type { EventType } from '#contract/streams/events.ts';
import type { SubscriptionRequest } from '#contract/streams/activity.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import {
  bounded,
  countsByOwner,
  type RuleOwner,
  type RuleStream,
} from '#server/streams/rules/rule-table.ts';
import type { ActivityDirection } from '#contract/streams/activity-filter.ts';

type DirectionName = NonNullable<SubscriptionRequest['filter']['direction']>;

export const SUBSCRIPTION = columns({
  id: column.decimal,
  stream: column.word<RuleStream>(),
  /** Id of the app. */
  app: column.text,
  type: column.word<EventType>(),
  /** The spelling of the type that the app uses. */
  name: column.text,
  /** Id of the user, or the keyword where the type is filtered by one. */
  subject: column.text,
  /** Null if both match. */
  direction: column.wordOrNull<ActivityDirection>(),
  /** As the app wrote it. */
  directionName: column.wordOrNull<DirectionName>(),
  tag: column.textOrNull,
  /** Id of the webhook that events are delivered to, in addition to the stream. */
  webhook: column.textOrNull,
  /** Epoch ms. */
  createdAt: column.number,
  updatedAt: column.number,
});

export type Subscription = RowOf<typeof SUBSCRIPTION>;

export type NewSubscription = Omit<
  Subscription,
  'id' | 'stream' | 'app' | 'createdAt' | 'updatedAt'
>;

/** Reads the subscriptions of apps to events. */
export function subscriptionReader(db: Db) {
  const select = (where: string) => SUBSCRIPTION.select(db, `subscription WHERE ${where}`, 'exact');
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
  return {
    /** That of any app with an id. */
    ofAnyApp: (id: string): Subscription | null => anyApp.get([bounded(BigInt(id))]) ?? null,
    /** That of an app to the same events, whatever its tag and webhook. */
    same: (
      { stream, app }: RuleOwner,
      { type, subject, direction }: NewSubscription,
    ): Subscription | null => same.get([stream, app, type, subject, direction ?? '']) ?? null,
    find: ({ stream, app }: RuleOwner, id: string): Subscription | null =>
      byId.get([bounded(BigInt(id)), stream, app]) ?? null,
    /** True if any app has a subscription of that id. */
    has: (id: string): boolean => anyApp.get([bounded(BigInt(id))]) !== undefined,
    /** Those of an app with an id above `after`, ascending, at most `limit`; of one type unless it is null. */
    page: (
      { stream, app }: RuleOwner,
      after: bigint,
      limit: number,
      type: string | null = null,
    ): Subscription[] =>
      type === null
        ? page.all([stream, app, bounded(after), limit])
        : pageOfType.all([stream, app, type, bounded(after), limit]),
    count: ({ stream, app }: RuleOwner): number => Number(count.get([stream, app])?.[0]),
    /** The number that each app has, where it has any. */
    counts: () => countsByOwner(counts),
    /** The number of each type that an app has, by name. */
    types: ({ stream, app }: RuleOwner): { readonly type: EventType; readonly count: number }[] =>
      types
        .all([stream, app])
        .map(([type, of]) => ({ type: String(type) as EventType, count: Number(of) })),
    /** Those of all apps to a type of event with a subject; all of the type if it is null. */
    to: (stream: RuleStream, type: EventType, subject: string | null): Subscription[] =>
      subject === null ? toType.all([stream, type]) : toSubject.all([stream, type, subject]),
    /** True if any app has one. */
    any: (stream: RuleStream): boolean => any.get([stream]) !== undefined,
  };
}
