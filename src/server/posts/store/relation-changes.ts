import { ALL_TIME } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { listTable, type ListChange, type StoredList } from './lists.ts';
import type { StoredObject } from './object-table.ts';
import { postTable, type NewPost } from './post-table.ts';
import { relationTable } from './relations.ts';
import { recount, revisions } from './revision.ts';
import type { PostChanges } from '#server/posts/editor/post-changes.ts';
import type { RelationKind } from './relation-kinds.ts';

/** The kind of relation by which a list has its members. */
export function memberKind(list: Pick<StoredList, 'private'> | null): RelationKind {
  return list?.private === true ? 'private_member' : 'member';
}

/** Most requests to follow that are read at once. Only accounts of this service send them. */
const MAX_REQUESTS = 1000;

/**
 * Changes of relations and lists, over a connection that the caller closes. Each is one transaction or part of a
 * surrounding one, durable when that ends. All throw {@link StoreError} if the file cannot be written; nothing of the
 * change remains then.
 */
export function relationChanges(db: Db, posts: Pick<PostChanges, 'create' | 'remove'>) {
  const table = relationTable(db);
  const lists = listTable(db);
  const objects = postTable(db);
  const revision = revisions(db);
  const forget = db.prepare(`DELETE FROM object WHERE kind = 'tweets' AND key = ?`);
  /** A list with other members changes counts of `list:` at any time. */
  const countAgain = (): void => void revision.raise([ALL_TIME]);
  const countPostAgain = recount(db);
  return {
    /** Adds a relation; false, without a change, if it exists. */
    relate: (kind: RelationKind, source: bigint, target: bigint): boolean =>
      db.write('relate', () => {
        const isNew = table.add(kind, source, target);
        if (isNew && kind === 'like') countPostAgain(target);
        return isNew;
      }),
    /** Removes a relation; false, without a change, if there is none. */
    unrelate: (kind: RelationKind, source: bigint, target: bigint): boolean =>
      db.write('unrelate', () => {
        const existed = table.remove(kind, source, target);
        if (existed && kind === 'like') countPostAgain(target);
        return existed;
      }),
    /** Stores an object, unless one of its kind and key is stored. */
    learn: (object: StoredObject): void =>
      db.write('learn', () => {
        if (objects.object(object.kind, object.key) === null) objects.putObjects([object]);
      }),
    /**
     * Creates the Post by which a user reposts a Post, unless there is one.
     *
     * @returns The id of that Post, new or not.
     * @throws {@link PostExistsError} if another Post has the new one's id.
     */
    repost: (source: bigint, target: bigint, post: NewPost): bigint =>
      db.write('repost', () => {
        const before = table.repostOf(source, target);
        if (before !== null) return before;
        posts.create(post);
        table.add('repost', source, target, post.id);
        countPostAgain(target);
        return post.id;
      }),
    /** Removes a repost with its Post; false, without a change, if there is none. */
    unrepost: (source: bigint, target: bigint): boolean =>
      db.write('unrepost', () => {
        const post = table.repostOf(source, target);
        if (post === null) return false;
        table.remove('repost', source, target);
        posts.remove(post);
        countPostAgain(target);
        return true;
      }),
    /** The users who ask to follow a protected one, newest first; at most {@link MAX_REQUESTS}. */
    followRequests: (target: bigint): bigint[] =>
      table.page('request', 'target', target, 'older', null, MAX_REQUESTS).map(({ id }) => id),
    /** Answers a request to follow, which becomes a follow if it is approved; false, without a change, if there is none. */
    answerRequest: (source: bigint, target: bigint, approved: boolean): boolean =>
      db.write('answer-request', () => {
        if (!table.remove('request', source, target)) return false;
        if (approved) table.add('follow', source, target);
        return true;
      }),
    /** Approves all requests to follow a user. */
    approveRequests: (target: bigint): void =>
      db.write('approve-requests', () => {
        for (;;) {
          const some = table.page('request', 'target', target, 'newer', null, MAX_REQUESTS);
          for (const { id } of some) {
            table.remove('request', id, target);
            table.add('follow', id, target);
          }
          if (some.length < MAX_REQUESTS) return;
        }
      }),
    /** Adds a list; false, without a change, if one of that id exists. */
    addList: (list: StoredList): boolean => db.write('add-list', () => lists.add(list)),
    /** Changes a list; false if there is none. */
    setList: (id: bigint, change: ListChange): boolean =>
      db.write('set-list', () => {
        const before = lists.get(id);
        if (!before) return false;
        const after = { ...before, ...change };
        lists.put(after);
        if (after.private === before.private) return true;
        table.convert(memberKind(before), memberKind(after), id);
        countAgain();
        return true;
      }),
    /** Removes a list with its members, followers and pins; false if there is none. */
    removeList: (id: bigint): boolean =>
      db.write('remove-list', () => {
        const list = lists.get(id);
        if (!list) return false;
        table.removeAll(memberKind(list), 'source', id);
        table.removeAll('subscription', 'target', id);
        table.removeAll('pin', 'target', id);
        lists.remove(id);
        if (!list.private) countAgain();
        return true;
      }),
    /** Adds a member to a list; false, without a change, if it is one. */
    addMember: (list: bigint, user: bigint): boolean =>
      db.write('add-member', () => {
        const kind = memberKind(lists.get(list));
        if (!table.add(kind, list, user)) return false;
        if (kind === 'member') countAgain();
        return true;
      }),
    /** Removes a member from a list; false, without a change, if it is none. */
    removeMember: (list: bigint, user: bigint): boolean =>
      db.write('remove-member', () => {
        const kind = memberKind(lists.get(list));
        if (!table.remove(kind, list, user)) return false;
        if (kind === 'member') countAgain();
        return true;
      }),
    /** Forgets removed Posts: the reposts that they were, the relations to them, and their copies from answers or archives. */
    forget: (ids: readonly bigint[]): void => {
      const originals = new Set(ids.flatMap((id) => table.removeByPost(id) ?? []));
      for (const original of originals) countPostAgain(original);
      for (const id of ids) {
        for (const kind of ['like', 'bookmark', 'hide'] as const) table.removeTarget(kind, id);
        forget.run([String(id)]);
      }
    },
  };
}
