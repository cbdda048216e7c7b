import { type EventType } from '#contract/streams/events.ts';
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

const COLUMNS =
  'CAST(id AS TEXT), stream, app, type, name, subject, direction, direction_name, tag, webhook, created_at, updated_at';

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

/** Reads the subscriptions of apps to events. */
export function subscriptionReader(db: Db) {
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
  const found = (row: Cell[] | undefined): Subscription | null =>
    row ? subscriptionOf(row) : null;
  return {
    /** That of any app with an id. */
    ofAnyApp: (id: string): Subscription | null => found(anyApp.get([bounded(BigInt(id))])),
    /** That of an app to the same events, whatever its tag and webhook. */
    same: (
      { stream, app }: RuleOwner,
      { type, subject, direction }: NewSubscription,
    ): Subscription | null => found(same.get([stream, app, type, subject, direction ?? ''])),
    find: ({ stream, app }: RuleOwner, id: string): Subscription | null =>
      found(byId.get([bounded(BigInt(id)), stream, app])),
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
    /** The number that each app has, where it has any. */
    counts: (): (RuleOwner & { readonly count: number })[] =>
      counts.all([]).map(([stream, app, of]) => ({
        stream: stream as RuleStream,
        app: String(app),
        count: Number(of),
      })),
    /** The number of each type that an app has, by name. */
    types: ({ stream, app }: RuleOwner): { readonly type: EventType; readonly count: number }[] =>
      types
        .all([stream, app])
        .map(([type, of]) => ({ type: String(type) as EventType, count: Number(of) })),
    /** Those of all apps to a type of event with a subject; all of the type if it is null. */
    to: (stream: RuleStream, type: EventType, subject: string | null): Subscription[] =>
      (subject === null ? toType.all([stream, type]) : toSubject.all([stream, type, subject])).map(
        subscriptionOf,
      ),
    /** True if any app has one. */
    any: (stream: RuleStream): boolean => any.get([stream]) !== undefined,
  };
}
