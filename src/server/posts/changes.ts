import type { Db } from '#server/db/driver.ts';
import { chargeChanges } from './charges.ts';
import { communityChanges } from './communities.ts';
import { relationChanges } from './relation-changes.ts';
import { versionChanges } from './version-changes.ts';
import type { RemovedPosts } from './version-changes.ts';
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
        for (const version of removed.posts) forget(version.id);
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

/** Whether a change was refused, so that its request is answered with an error. Other changes never are. */
function isRefused({ what }: Change, result: unknown): boolean {
  if (what === 'remove') return (result as RemovedPosts).posts.length === 0;
  return (what === 'edit' || what === 'addList') && result === false;
}

/**
 * Makes changes one after another in a single transaction, which is durable when this returns. If one of them throws,
 * none is made. A charge after a change that was refused is left out.
 */
export function makeChanges<T extends readonly Change[]>(
  db: Db,
  over: Changes,
  changes: T,
): Results<T> {
  let refused = false;
  const make = (one: Change): unknown => {
    const { what, of } = one;
    if (refused && what === 'charge') return undefined;
    const change = over[what] as (...of: readonly unknown[]) => unknown;
    const result = change(...of);
    refused ||= isRefused(one, result);
    return result;
  };
  const step = changes.map(({ what }) => what).join(' ');
  return db.write(step, () => changes.map(make)) as Results<T>;
}
