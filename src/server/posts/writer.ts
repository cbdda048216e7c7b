import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { OPEN_POSTS } from '#server/index/chunk.ts';
import { chunkTable, prepareChunk } from './chunks.ts';
import type { Place } from './chunks.ts';
import { StoreError } from '#server/db/driver.ts';
import type { Db } from '#server/db/driver.ts';
import { openPostTable } from './open-posts.ts';
import { metaOf } from '#server/db/meta.ts';
import { openPosts, POSTED, postTable, SUPERSEDED } from './post-table.ts';
import type { PostRow, StoredObject } from './post-table.ts';
import { changedSpans, revisions } from './revision.ts';
import { tombstoneTable } from './tombstones.ts';
import { flagsOf } from './facts.ts';

/** A Post to be added, with the terms by which it is counted. */
export interface NewPost {
  readonly id: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly authorId: string | null;
  readonly username: string | null;
  readonly text: string;
  readonly lang: string | null;
  /** JSON of every further v2 field; null if there is none. */
  readonly rest: string | null;
  /** See `factsOf`. */
  readonly facts: string | null;
  readonly terms: PostTerms;
}

/**
 * Adds Posts to a file. Commits happen as chunks fill and at {@link PostWriter.finish}; each is whole: the
 * rows, their index and the revision, or nothing of it. After an error the writer must be closed; adding
 * the same Posts again with another adds what is missing and nothing twice.
 */
export interface PostWriter {
  /**
   * @returns How many of the Posts are new, and how many have an id that the file holds or that came before.
   *   Of the new ones, those that another writer adds before this one commits count in {@link PostWriter.overtaken}.
   * @throws {@link RangeError} for a Post that cannot be indexed (see `ChunkBuilder.add`); the ones before
   *   it stay added.
   * @throws {@link StoreError} when the file cannot be written.
   */
  add(posts: readonly NewPost[]): { added: number; already: number };
  /** What Posts refer to; the newest of a kind and key is kept. Written with the next commit. */
  putObjects(objects: readonly StoredObject[]): void;
  /** Posts reported as new that another writer had added by the time of the commit, which left them as they were. */
  readonly overtaken: number;
  /** Commits the rest. */
  finish(): void;
  /** Drops what is not committed yet. */
  abandon(): void;
  /** Closes the file; what is not committed is dropped. */
  close(): void;
}

/** Objects waiting for a commit at most. */
const OBJECTS_WAITING = 16_384;

/**
 * Opens a file of Posts for adding, made if it is absent. Others may read it meanwhile; another writer
 * waits for the single commit.
 *
 * @throws {@link StoreError} as `openStore`.
 */
export function openWriter(file: string, deps: { random: (n: number) => Uint8Array }): PostWriter {
  return createWriter(openPosts(file, deps));
}

/** A writer over a connection of its own, which it closes. */
export function createWriter(db: Db): PostWriter {
  const table = postTable(db);
  const chunks = chunkTable(db);
  const open = openPostTable(db);
  const revision = revisions(db);

  let builder = new ChunkBuilder();
  let rows: PostRow[] = [];
  let waiting = new Set<bigint>();
  let objects: StoredObject[] = [];
  /** Revision as of the last look at which ids are there. */
  let looked = revision.current();
  let overtaken = 0;

  const drop = (): void => {
    builder = new ChunkBuilder();
    rows = [];
    waiting = new Set();
    objects = [];
  };

  const commit = (): void => {
    if (rows.length === 0 && objects.length === 0) return;
    const built = builder;
    const pending = rows;
    const refers = objects;
    drop();
    overtaken += db.write('import', () => {
      table.putObjects(refers);
      // Another writer may have added the same Posts since they were looked up.
      const taken =
        revision.current() === looked
          ? new Set<bigint>()
          : table.existing(pending.map((row) => row.id));
      if (pending.length === taken.size) return taken.size;
      const chunk = built.build(taken);
      table.insert(Array.from(chunk.order, (i) => pending[i]!));
      // What is too much for the open set becomes a chunk, however small: upkeep joins those.
      if (chunk.n >= OPEN_POSTS || open.count() >= OPEN_POSTS) {
        chunks.swap([finished(chunks.write(prepareChunk(chunk)))], []);
      } else {
        for (const i of chunk.order) {
          const { id, createdAt } = pending[i]!;
          open.add(id, createdAt, built.termsOf(i));
        }
      }
      revision.raise(changedSpans(Array.from(chunk.order, (i) => pending[i]!.createdAt)));
      return taken.size;
    });
    looked = revision.current();
  };

  return {
    add: (posts) => {
      const ids = posts.map((post) => post.id);
      let there = table.existing(ids);
      let added = 0;
      for (let i = 0; i < posts.length; i++) {
        const { id, createdAt, authorId, username, text, lang, rest, facts, terms } = posts[i]!;
        if (waiting.has(id) || there.has(id)) continue;
        builder.add(id, createdAt, terms);
        waiting.add(id);
        const flags = flagsOf(terms);
        rows.push({ id, createdAt, authorId, username, text, lang, flags, rest, facts });
        added++;
        if (!builder.full) continue;
        commit();
        // What waited is there now, should it come again in this batch.
        there = table.existing(ids.slice(i + 1));
      }
      return { added, already: posts.length - added };
    },
    putObjects: (more) => {
      for (const object of more) objects.push(object);
      if (objects.length < OBJECTS_WAITING) return;
      const refers = objects;
      objects = [];
      db.write('objects', () => table.putObjects(refers));
    },
    get overtaken() {
      return overtaken;
    },
    finish: commit,
    abandon: drop,
    close: () => {
      drop();
      db.close();
    },
  };
}

/** A Post was to be created under an id that another one has. */
export class PostExistsError extends Error {
  override readonly name = 'PostExistsError';
}

/**
 * Changes of single Posts. Each is one transaction, durable when the function returns, and counted by the
 * next request. All throw {@link StoreError} when the file cannot be written; nothing of the change is kept then.
 */
export interface PostChanges {
  /** @throws {@link PostExistsError} if there is a Post with that id. */
  create(post: NewPost): void;
  /**
   * Puts a Post in the place of another one, which stays for the history and no longer counts.
   *
   * @returns False where there is no Post with the id `previous`, or it was edited before: nothing is changed.
   * @throws {@link PostExistsError} if there is a Post with the new one's id.
   */
  edit(previous: bigint, post: NewPost): boolean;
  /** Removes a Post; false where there is none. */
  remove(id: bigint): boolean;
  find(id: bigint): PostRow | null;
}

/** Changes over a connection, which stays the caller's. */
export function postChanges(db: Db): PostChanges {
  const table = postTable(db);
  const chunks = chunkTable(db);
  const open = openPostTable(db);
  const tombstones = tombstoneTable(db);
  const revision = revisions(db);
  const meta = metaOf(db);

  const add = (post: NewPost): void => {
    if (table.insert([rowOf(post)]) === 0) {
      throw new PostExistsError(`there is a Post with the id ${post.id} already`);
    }
    open.add(post.id, post.createdAt, post.terms);
    if (meta.number(POSTED) === 0) meta.put(POSTED, 1);
  };
  const placeOf = ({ id, createdAt }: PostRow): Place => {
    const n = open.find(id);
    const place = n === null ? chunks.find(id, createdAt) : { c: 0, o: n };
    if (!place) throw new StoreError('unindexed', db.file);
    return place;
  };
  const counts = (row: PostRow | null): row is PostRow =>
    row !== null && (row.flags & SUPERSEDED) === 0;

  return {
    create: (post) =>
      db.write('create', () => {
        add(post);
        revision.raise(changedSpans([post.createdAt]));
      }),
    edit: (previous, post) =>
      db.write('edit', () => {
        const row = table.get(previous);
        if (!counts(row)) return false;
        const place = placeOf(row);
        add(post);
        table.supersede(previous);
        const instants = [row.createdAt, post.createdAt].sort((a, b) => a - b);
        tombstones.add(place, revision.raise(changedSpans(instants)));
        return true;
      }),
    remove: (id) =>
      db.write('delete', () => {
        const row = table.get(id);
        if (!row) return false;
        table.remove(id);
        if (!counts(row)) return true;
        const place = placeOf(row);
        tombstones.add(place, revision.raise(changedSpans([row.createdAt])));
        return true;
      }),
    find: (id) => table.get(id),
  };
}

function rowOf({ terms, ...row }: NewPost): PostRow {
  return { ...row, flags: flagsOf(terms) };
}

/** Runs the writing of a chunk to its end. */
function finished(writing: Generator<void, number>): number {
  for (;;) {
    const { done, value } = writing.next();
    if (done) return value;
  }
}
