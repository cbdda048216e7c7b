import type { Db } from '#server/db/driver.ts';
import { eventChanges, eventTable, type NewEvent } from '#server/streams/event-table.ts';
import { chargeChanges } from './charges.ts';
import { collectionChanges } from '#server/posts/store/collection-changes.ts';
import { communityChanges } from '#server/posts/store/communities.ts';
import { deletionEvent, postEvent, relationEvent } from '#server/posts/index/events.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import { handleChanges } from '#server/posts/store/handles.ts';
import { postTable, type NewPost } from '#server/posts/store/post-table.ts';
import { protectionChanges } from '#server/posts/index/protection.ts';
import { relationChanges } from '#server/posts/store/relation-changes.ts';
import { relationReader } from '#server/posts/store/relations.ts';
import { versionChanges, type RemovedPosts } from '#server/posts/store/version-changes.ts';
import { postChanges } from './post-changes.ts';
import type { RelationKind } from '#server/posts/store/relation-kinds.ts';

/**
 * Every kind of change of a source, over a connection that the caller closes. What it causes is appended to the log in
 * the same transaction.
 *
 * @param now - Epoch ms, for the log.
 */
export function changesOver(db: Db, now: () => number) {
  const posts = postChanges(db);
  const versions = versionChanges(db);
  const table = postTable(db);
  const relations = relationReader(db);
  const { forget, ...related } = relationChanges(db, posts);
  const log = eventTable(db, now);
  const authorOf = (id: bigint): string | null => table.get(id)?.authorId ?? null;
  const append = (event: NewEvent | null): void => {
    if (event) log.append([event]);
  };
  const changeRelation =
    (begins: boolean) =>
    (kind: RelationKind, source: bigint, target: bigint): boolean =>
      db.write(begins ? 'relate' : 'unrelate', () => {
        const done = begins
          ? related.relate(kind, source, target)
          : related.unrelate(kind, source, target);
        if (done) append(relationEvent(kind, source, target, begins, authorOf));
        return done;
      });
  return {
    ...versions,
    ...communityChanges(db),
    ...chargeChanges(db),
    ...collectionChanges(db),
    ...protectionChanges(db),
    ...handleChanges(db),
    ...related,
    ...eventChanges(db, log),
    /** As `PostChanges`. */
    create: (post: NewPost): void =>
      db.write('create', () => {
        posts.create(post);
        append(postEvent(post, authorOf));
      }),
    /**
     * Adds a Post of another service as it happens, with those objects it refers to that are not stored yet.
     *
     * @param since - As for `PostChanges.addImported`.
     * @returns False, without a change, if there is a Post with its id.
     */
    replay: (post: NewPost, objects: readonly StoredObject[], since: number): boolean =>
      db.write('replay', () => {
        if (!posts.addImported(post, since)) return false;
        for (const object of objects) related.learn(object);
        append(postEvent(post, authorOf));
        return true;
      }),
    /** Adds Posts without events, except those whose ids exist, with objects as {@link replay} does. */
    fill: (list: readonly NewPost[], objects: readonly StoredObject[], since: number): void =>
      db.write('fill', () => {
        for (const post of list) posts.addImported(post, since);
        for (const object of objects) related.learn(object);
      }),
    /** As `VersionChanges`. */
    edit: (previous: bigint, post: NewPost): boolean =>
      db.write('edit', () => {
        if (!versions.edit(previous, post)) return false;
        append(postEvent(post, authorOf, previous));
        return true;
      }),
    /** Removes a Post as `VersionChanges`, with its relations. */
    remove: (id: bigint) =>
      db.write('delete', () => {
        const removed = versions.remove(id);
        forget(removed.posts.map((post) => post.id));
        log.append(removed.posts.map(deletionEvent));
        return removed;
      }),
    /** As `RelationChanges`. */
    relate: changeRelation(true),
    /** As `RelationChanges`. */
    unrelate: changeRelation(false),
    /** As `RelationChanges`. */
    repost: (source: bigint, target: bigint, post: NewPost): bigint =>
      db.write('repost', () => {
        const id = related.repost(source, target, post);
        if (id === post.id) append(postEvent(post, authorOf));
        return id;
      }),
    /** As `RelationChanges`. */
    unrepost: (source: bigint, target: bigint): boolean =>
      db.write('unrepost', () => {
        const id = relations.repostOf(source, target);
        const post = id === null ? null : table.get(id);
        if (!related.unrepost(source, target)) return false;
        if (post) append(deletionEvent(post));
        return true;
      }),
  };
}
type Changes = ReturnType<typeof changesOver>;

/** One change: the name of a function of {@link changesOver} and its arguments. */
export type PostChange = {
  readonly [K in keyof Changes]: { readonly what: K; readonly of: Parameters<Changes[K]> };
}[keyof Changes];

/** The results of changes, in their order. */
export type Results<T extends readonly PostChange[]> = {
  -readonly [I in keyof T]: ReturnType<Changes[T[I]['what']]>;
};

/** True if a change was refused, so that its request is answered with an error, or is to be continued. Others never are. */
function isRefused({ what }: PostChange, result: unknown): boolean {
  if (what === 'remove') {
    const { posts, isWhole } = result as RemovedPosts;
    return posts.length === 0 || !isWhole;
  }
  return (what === 'edit' || what === 'addList') && result === false;
}

/**
 * Makes changes one after another in a single transaction, which is durable when this returns. If one of them throws,
 * none is made. A charge after a change that was refused is left out.
 */
export function makeChanges<T extends readonly PostChange[]>(
  db: Db,
  over: Changes,
  changes: T,
): Results<T> {
  let refused = false;
  const make = (wanted: PostChange): unknown => {
    const { what, of } = wanted;
    if (refused && what === 'charge') return undefined;
    const change = over[what] as (...of: readonly unknown[]) => unknown;
    const result = change(...of);
    refused ||= isRefused(wanted, result);
    return result;
  };
  const step = changes.map(({ what }) => what).join(' ');
  return db.write(step, () => changes.map(make)) as Results<T>;
}
