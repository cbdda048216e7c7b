import type { Db } from '#server/db/driver.ts';
import { chargeChanges } from './charges.ts';
import { communityChanges } from './communities.ts';
import { relationChanges } from './relation-changes.ts';
import { versionChanges } from './version-changes.ts';
import { postChanges } from './writer.ts';

/** Every kind of change of Your posts, over a connection that the caller closes. */
export function changesOver(db: Db) {
  const posts = postChanges(db);
  const versions = versionChanges(db);
  const { forget, ...relations } = relationChanges(db, posts);
  return {
    create: posts.create,
    ...versions,
    ...communityChanges(db),
    ...chargeChanges(db),
    ...relations,
    /** Removes all versions of a Post, as `VersionChanges`, and the reposts that they were. */
    remove: (id: bigint) =>
      db.write('delete', () => {
        const removed = versions.remove(id);
        for (const version of removed) forget(version.id);
        return removed;
      }),
  };
}
type Changes = ReturnType<typeof changesOver>;

/** One change: the name of a function of {@link changesOver} and its arguments. */
export type Change = {
  readonly [K in keyof Changes]: { readonly what: K; readonly of: Parameters<Changes[K]> };
}[keyof Changes];

/** What changes return, in their order. */
export type Results<T extends readonly Change[]> = {
  -readonly [I in keyof T]: ReturnType<Changes[T[I]['what']]>;
};

/**
 * Makes changes one after another in a single transaction, which is durable when this returns. If one of them throws,
 * none is made.
 */
export function makeChanges<T extends readonly Change[]>(
  db: Db,
  over: Changes,
  changes: T,
): Results<T> {
  const make = ({ what, of }: Change): unknown => {
    const change = over[what] as (...of: readonly unknown[]) => unknown;
    return change(...of);
  };
  const step = changes.map(({ what }) => what).join(' ');
  return db.write(step, () => changes.map(make)) as Results<T>;
}
