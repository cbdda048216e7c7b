import { collectionTerm } from '#core/text/collection.ts';
import { union, type Span } from '#core/time/span.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { chunkTable } from '#server/posts/index/chunks.ts';
import type { Db } from '#server/db/driver.ts';
import { importedEdits } from './imported-edits.ts';
import { indexPosts, openPostTable } from './open-posts.ts';
import {
  openPosts,
  postTable,
  type NewPost,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { changedSpans, revisions } from '#server/posts/store/revision.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { FileSpans } from '#server/posts/store/file-spans.ts';
import {
  importCoverage,
  openCollection,
  type ImportedInto,
  type ImportEnd,
  type ImportTarget,
} from './collection-import.ts';
import { flagsOf } from '#server/posts/json/facts.ts';
import { relationImport } from '#server/posts/store/imported-relations.ts';

/**
 * Adds Posts to a file. It commits when a chunk is full and at {@link PostWriter.finish}; each commit
 * is complete, with the rows, their index and the revision. After an error the writer must be closed;
 * adding the same Posts again with another writer adds what is missing and nothing twice.
 */
export type PostWriter = ReturnType<typeof createWriter>;

/** Posts put into a collection in one transaction, which indexes each again. */
const JOINED_POSTS = 8192;

/** Maximum number of objects, and of relations, waiting for a commit. */
const MAX_WAITING = 16_384;

/** Entries that wait for a commit; as soon as there are {@link MAX_WAITING}, they are written in a transaction. */
function waitingEntries<T>(db: Db, step: string, write: (entries: readonly T[]) => void) {
  let waiting: T[] = [];
  const take = (): readonly T[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };
  return {
    isEmpty: () => waiting.length === 0,
    add: (entries: readonly T[]): void => {
      for (const entry of entries) waiting.push(entry);
      if (waiting.length < MAX_WAITING) return;
      const taken = take();
      db.write(step, () => write(taken));
    },
    /** Removes and returns the waiting entries. */
    take,
  };
}

/** New Posts that wait for a commit, and their index so far. @param collection - Null for Posts in none. */
function waitingPosts(collection: number | null) {
  const marks = collection === null ? [] : [collectionTerm(collection)];
  const collections = collection === null ? null : String(collection);
  let builder = new ChunkBuilder();
  let rows: PostRow[] = [];
  let ids = new Set<bigint>();
  return {
    isEmpty: () => rows.length === 0,
    /** True once they fill a chunk. */
    isFull: () => builder.full,
    has: (id: bigint) => ids.has(id),
    /** @throws {@link RangeError} for a Post that cannot be indexed (see `ChunkBuilder.add`). */
    add: (post: NewPost): void => {
      const { id, createdAt, authorId, username, text, lang, rest, facts, terms } = post;
      builder.add(id, createdAt, terms, marks);
      ids.add(id);
      const flags = flagsOf(terms);
      rows.push({
        id,
        createdAt,
        authorId,
        username,
        text,
        lang,
        flags,
        rest,
        facts,
        collections,
      });
    },
    /** Removes and returns the waiting Posts. */
    take: () => {
      const taken = { builder, rows };
      builder = new ChunkBuilder();
      rows = [];
      ids = new Set();
      return taken;
    },
  };
}

/**
 * Opens a file of Posts for adding, and creates it if it does not exist. Others may read it meanwhile;
 * another writer waits for the single commit.
 *
 * @throws {@link StoreError} like `openStore`.
 */
export function openWriter(
  file: string,
  deps: { random: (n: number) => Uint8Array },
  into?: ImportTarget,
): PostWriter {
  return createWriter(openPosts(file, deps), into);
}

/**
 * A writer over its own connection, which it closes.
 *
 * @param into - The collection of the Posts; none by default.
 * @throws {@link CollectionError} if there are too many collections.
 */
export function createWriter(db: Db, into?: ImportTarget) {
  const table = postTable(db);
  const collection = into ? openCollection(db, into) : null;
  const chunks = chunkTable(db);
  const open = openPostTable(db);
  const revision = revisions(db);
  const coverage = coverageTable(db);
  const relate = relationImport(db);
  const edits = importedEdits(db);
  const waiting = waitingPosts(collection?.id ?? null);
  const objects = waitingEntries(db, 'objects', table.putObjects);
  const relations = waitingEntries(db, 'relations', relate);

  /** The times of the Posts that are in the file, or will be with the next commit. */
  const read = new FileSpans();
  /** Revision at the last look-up of existing ids. */
  let checkedAt = revision.current();
  let overtaken = 0;
  /** Ids of Posts that exist and are to be put into the collection. */
  const joining = new Set<bigint>();

  const drop = (): void => {
    waiting.take();
    objects.take();
    relations.take();
    edits.drop();
  };

  /** Records, within a write transaction, what was read. @returns The spans in which the coverage changed. */
  const cover = (isWhole: boolean): Span[] =>
    coverage.extend(
      collection?.id ?? NO_COLLECTION,
      importCoverage(into ?? {}, read.take(), isWhole),
    );

  const commit = (): void => {
    if ([waiting, objects, relations, edits].every((each) => each.isEmpty())) return;
    const { builder, rows } = waiting.take();
    const [refers, related] = [objects.take(), relations.take()];
    overtaken += db.write('import', () => {
      table.putObjects(refers);
      relate(related);
      // Another writer may have added the same Posts since they were looked up.
      const taken =
        revision.current() === checkedAt
          ? new Set<bigint>()
          : table.existing(rows.map((row) => row.id));
      for (const id of taken) joining.add(id);
      if (rows.length > taken.size) {
        const chunk = builder.build(taken);
        const inOrder = Array.from(chunk.order, (i) => rows[i]!);
        const instants = inOrder.map(({ createdAt }) => createdAt);
        collection?.extend(chunk.n, instants);
        table.insert(inOrder);
        indexPosts({ open, chunks }, chunk, builder);
        revision.raise(union([...changedSpans(instants), ...cover(false)]));
      }
      edits.settle(rows.map((row) => row.id));
      return taken.size;
    });
    checkedAt = revision.current();
  };

  /** Puts Posts that exist into the collection. */
  const joinAll = (): void => {
    if (!collection || joining.size === 0) return;
    const ids = [...joining];
    joining.clear();
    const isChecked = revision.current() === checkedAt;
    db.write('join', () => edits.settle(collection.join(ids)));
    // No id was added.
    if (isChecked) checkedAt = revision.current();
  };
  const join = (ids: ReadonlySet<bigint>): void => {
    if (!collection || ids.size === 0) return;
    for (const id of table.outside([...ids], collection.id)) joining.add(id);
    if (joining.size >= JOINED_POSTS) joinAll();
  };

  return {
    /**
     * @param file - The file that they are from: each file covers its first to its last Post. Absent: all are from one.
     * @returns The number of the Posts that are new, and of those that have an id that the file contains or that came
     *   before. New ones that another writer adds before this one commits count in {@link
     *   PostWriter.overtaken}.
     * @throws {@link RangeError} for a Post that cannot be indexed (see `ChunkBuilder.add`); the ones
     *   before it remain added.
     * @throws {@link StoreError} if the file cannot be written.
     */
    add: (posts: readonly NewPost[], file: string = ''): { added: number; already: number } => {
      const ids = posts.map((post) => post.id);
      let there = table.existing(ids);
      join(there);
      edits.add(posts);
      let added = 0;
      for (let i = 0; i < posts.length; i++) {
        const post = posts[i]!;
        read.add(file, post.createdAt);
        if (waiting.has(post.id) || there.has(post.id)) continue;
        waiting.add(post);
        added++;
        if (!waiting.isFull()) continue;
        commit();
        // Posts that were waiting exist now, should they come again in this batch.
        there = table.existing(ids.slice(i + 1));
        join(there);
      }
      if (edits.isFull()) commit();
      return { added, already: posts.length - added };
    },
    /** Objects that Posts refer to; the newest of a kind and key is stored. Written with the next commit. */
    putObjects: objects.add,
    /** Relations of an archive's account; those that exist stay as they are. Written with the next commit. */
    putRelations: relations.add,
    /**
     * Posts reported as new that another writer had added by the time of the commit, which left them
     * unchanged.
     */
    get overtaken() {
      return overtaken;
    },
    /**
     * Commits the rest.
     *
     * @param end - Given where the import ends, for the collection.
     * @returns The collection that the Posts are in; null if there is none, or none has come.
     */
    finish: (end?: ImportEnd): ImportedInto | null => {
      commit();
      joinAll();
      db.write('collection', () => {
        // Also records files that added no Post. Where nothing came, there is no collection to cover anything.
        const covers = !collection || collection.info() !== null;
        const change = covers ? cover(end?.isWhole ?? false) : [];
        if (change.length > 0) revision.raise(change);
        if (end) collection?.finish(end);
      });
      return collection?.info() ?? null;
    },
    /** Drops what is not committed yet. */
    abandon: drop,
    /** Closes the file; what is not committed is dropped. */
    close: (): void => {
      drop();
      db.close();
    },
  };
}
