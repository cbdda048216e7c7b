import { eventRule, type EventType } from '#contract/streams/events.ts';
import { putNewest } from '#core/newest.ts';
import type { Db } from '#server/db/driver.ts';
import { bounded, type RuleOwner } from '#server/streams/rules/rule-table.ts';
import {
  SUBSCRIPTION,
  subscriptionReader,
  type NewSubscription,
  type Subscription,
} from './subscription-reader.ts';

/** The reason a subscription was not restored. */
export type NotRestored = 'unknown' | 'repeated' | 'too-many';

/** Subscriptions of apps to events. Changes are durable when a method returns. */
export type SubscriptionTable = ReturnType<typeof subscriptionTable>;

/** Subscriptions that can be restored: the last that were taken. */
const MOST_RESTORABLE = 1000;

export function subscriptionTable(db: Db) {
  const reader = subscriptionReader(db);
  const highest = db.prepare('SELECT CAST(coalesce(max(id), 0) AS TEXT) FROM subscription');
  const insert = db.prepare(
    `INSERT INTO subscription (${SUBSCRIPTION.names}, private) VALUES (${SUBSCRIPTION.places}, ?)`,
  );
  const changed = ['tag', 'webhook', 'updatedAt'] as const;
  const update = SUBSCRIPTION.update(db, 'subscription', changed, 'id = ?');
  const remove = db.prepare('DELETE FROM subscription WHERE id = ? AND stream = ? AND app = ?');
  const removePrivate = db.prepare(
    `DELETE FROM subscription WHERE app = ? AND subject = ? AND private = 1
    AND type IN (SELECT value FROM json_each(?))`,
  );
  const removeApp = db.prepare('DELETE FROM subscription WHERE app = ?');
  /** Those that can be restored, those taken last at the end. */
  const taken = new Map<string, Subscription>();
  const forget = (isGone: (subscription: Subscription) => boolean): void => {
    for (const subscription of taken.values())
      if (isGone(subscription)) taken.delete(subscription.id);
  };
  /** The reason an app cannot have one more, if it cannot. */
  const obstacle = (
    owner: RuleOwner,
    wanted: NewSubscription,
    most: number,
  ): { readonly same: Subscription } | 'too-many' | null => {
    const same = reader.same(owner, wanted);
    if (same) return { same };
    return reader.count(owner) >= most ? 'too-many' : null;
  };
  const store = (subscription: Subscription): void => {
    const isPrivate = eventRule(subscription.type).private === null ? 0 : 1;
    insert.run([...SUBSCRIPTION.values(subscription), isPrivate]);
  };
  return {
    ...reader,
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
    /** Replaces tag and webhook. */
    put: (subscription: Subscription): void =>
      void db.write('subscription', () => update(subscription, [BigInt(subscription.id)])),
    /** @returns False if the app has none of that id. */
    remove: ({ stream, app }: RuleOwner, id: string): boolean =>
      db.write('subscription', () => remove.run([bounded(BigInt(id)), stream, app])) === 1,
    /**
     * Removes a subscription of any app and remembers it until the process ends, or the access that it needs does.
     *
     * @returns Null if there is none of that id.
     */
    take: (id: string): Subscription | null => {
      const subscription = db.write('subscription', () => {
        const found = reader.ofAnyApp(id);
        if (found) remove.run([BigInt(found.id), found.stream, found.app]);
        return found;
      });
      if (subscription) putNewest(taken, subscription.id, subscription, MOST_RESTORABLE);
      return subscription;
    },
    /**
     * Adds a subscription that was taken, as it was.
     *
     * @param most - The number of subscriptions to a stream that the app may have.
     */
    restore: (id: string, most: (app: string) => number): Subscription | NotRestored => {
      const subscription = taken.get(id);
      if (!subscription) return 'unknown';
      const wrong = db.write('subscription', () => {
        const found = obstacle(subscription, subscription, most(subscription.app));
        if (!found) store(subscription);
        return found;
      });
      if (wrong) return wrong === 'too-many' ? wrong : 'repeated';
      taken.delete(id);
      return subscription;
    },
    /** Removes those of an app to private events of a user whose types are given. */
    removePrivate: (app: string, user: string, types: readonly EventType[]) => {
      db.write('subscription', () => removePrivate.run([app, user, JSON.stringify(types)]));
      forget(
        (subscription) =>
          subscription.app === app &&
          subscription.subject === user &&
          types.includes(subscription.type),
      );
    },
    removeApp: (app: string) => {
      db.write('subscription', () => removeApp.run([app]));
      forget((subscription) => subscription.app === app);
    },
  };
}
