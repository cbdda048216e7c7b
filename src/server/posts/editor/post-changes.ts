import { union, type Span } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { postPlaces } from './collection-import.ts';
import { importedEdits } from './imported-edits.ts';
import { openPostTable } from './open-posts.ts';
import {
  collectionsOf,
  postTable,
  SUPERSEDED,
  type NewPost,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { changedSpans, revisions } from '#server/posts/store/revision.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import { POSTED_HERE } from '#server/posts/store/collections.ts';
import { coverageTable } from '#server/posts/store/coverage.ts';
import { flagsOf } from '#server/posts/json/facts.ts';
import { withCollectionTerms } from '#server/posts/store/stored-post.ts';

/** Thrown when a Post would be created with an existing id. */
export class PostExistsError extends Error {
  override readonly name = 'PostExistsError';
}

/**
 * Changes of single Posts. Each is one transaction or part of a surrounding one, durable when that ends, and counted by
 * the next request. All throw {@link StoreError} if the file cannot be written; nothing of the change
 * remains then.
 */
export type PostChanges = ReturnType<typeof postChanges>;

/** Changes over a connection that the caller closes. */
export function postChanges(db: Db) {
  const table = postTable(db);
  const placesOf = postPlaces(db);
  const open = openPostTable(db);
  const tombstones = tombstoneTable(db);
  const revision = revisions(db);
  const coverage = coverageTable(db);
  const edits = importedEdits(db);

  const addNew = (post: NewPost, belongs: readonly number[] = [POSTED_HERE]): boolean => {
    const { terms, ...row } = post;
    const collections = belongs.length === 0 ? null : belongs.join(' ');
    if (table.insert([{ ...row, flags: flagsOf(terms), collections }]) === 0) return false;
    open.add(post.id, post.createdAt, withCollectionTerms(belongs, terms));
    return true;
  };
  /** @returns The spans in which the coverage changed. */
  const add = (post: NewPost, belongs: readonly number[] = [POSTED_HERE]): Span[] => {
    if (!addNew(post, belongs)) {
      throw new PostExistsError(`a Post with the id ${post.id} exists already`);
    }
    return coverage.created(belongs, post);
  };
  const counts = (row: PostRow | null): row is PostRow =>
    row !== null && (row.flags & SUPERSEDED) === 0;
  /** Removes Posts; returns the rows of those that existed, in any order. */
  const removeAll = (ids: readonly bigint[]): PostRow[] =>
    db.write('delete', () => {
      const rows = table.rows(ids);
      const counted = rows.filter(counts).sort((a, b) => a.createdAt - b.createdAt);
      const places = placesOf(counted);
      for (const { id } of rows) table.remove(id);
      const change = rows.flatMap((row) => coverage.removed(collectionsOf(row), row));
      const spans = union([...changedSpans(counted.map(({ createdAt }) => createdAt)), ...change]);
      if (spans.length === 0) return rows;
      const raised = revision.raise(spans);
      for (const place of places) tombstones.add(place, raised);
      return rows;
    });

  return {
    /** @throws {@link PostExistsError} if there is a Post with that id. */
    create: (post: NewPost): void =>
      db.write('create', () => {
        const change = add(post);
        revision.raise(union([...changedSpans([post.createdAt]), ...change]));
      }),
    /**
     * Adds a Post that was not created here: Your posts do not cover the present because of it, but the time up to it.
     *
     * @param since - All Posts of its file or service from this instant to this Post are there; epoch ms.
     * @returns False, without a change, if there is a Post with that id.
     */
    addImported: (post: NewPost, since: number): boolean =>
      db.write('add-imported', () => {
        if (!addNew(post)) return false;
        const until = post.createdAt + 1;
        const change = coverage.extend(POSTED_HERE, [
          { start: Math.min(since, post.createdAt), end: until },
        ]);
        revision.raise(union([...changedSpans([post.createdAt]), ...change]));
        edits.add([post]);
        edits.settle([post.id]);
        return true;
      }),
    /**
     * Replaces a Post by another one. The old one stays in the history and no longer counts.
     *
     * @returns False, without a change, if there is no Post with the id `previous`, or it was edited
     *   before.
     * @throws {@link PostExistsError} if a Post with the new one's id exists.
     */
    edit: (previous: bigint, post: NewPost): boolean =>
      db.write('edit', () => {
        const row = table.get(previous);
        if (!counts(row)) return false;
        const places = placesOf([row]);
        // The new version is where the old one was.
        const change = add(post, collectionsOf(row));
        table.supersede(previous);
        const instants = [row.createdAt, post.createdAt].sort((a, b) => a - b);
        const raised = revision.raise(union([...changedSpans(instants), ...change]));
        for (const place of places) tombstones.add(place, raised);
        return true;
      }),
    removeAll,
    /** Removes a Post; false if there is none. */
    remove: (id: bigint): boolean => removeAll([id]).length > 0,
  };
}
