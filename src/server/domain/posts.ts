import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import type { BuiltChunk } from '#server/index/builder.ts';
import { OPEN_POSTS } from '#server/index/chunk.ts';
import { chunkTable } from '#server/store/chunks.ts';
import type { Db } from '#server/store/db.ts';
import { metaNumber } from '#server/store/migrate.ts';
import { openPosts, postTable } from '#server/store/posts.ts';
import type { PostRow, StoredObject } from '#server/store/posts.ts';
import { changedSpans, revisions } from '#server/store/revision.ts';

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
   * @throws {@link RangeError} for a Post that cannot be indexed (see `ChunkBuilder.add`); the ones before
   *   it stay added.
   * @throws {@link StoreError} when the file cannot be written.
   */
  add(posts: readonly NewPost[]): { added: number; already: number };
  /** What Posts refer to; the newest of a kind and key is kept. Written with the next commit. */
  putObjects(objects: readonly StoredObject[]): void;
  /** Commits the rest. */
  finish(): void;
  /** Drops what is not committed yet. */
  abandon(): void;
  /** Closes the file; what is not committed is dropped. */
  close(): void;
}

/** Objects waiting for a commit at most. */
const OBJECTS_WAITING = 16_384;

/** Terms that are kept as bits of `post.flags`, by bit. */
const FLAGS = [
  'is:retweet',
  'is:quote',
  'is:reply',
  'is:verified',
  'is:nullcast',
  'has:media',
  'has:images',
  'has:video_link',
  'has:geo',
];
const FLAG_BITS: ReadonlyMap<string, number> = new Map(FLAGS.map((flag, i) => [flag, 1 << i]));

function flagsOf(terms: PostTerms): number {
  let bits = 0;
  for (const flag of terms.flags) bits |= FLAG_BITS.get(flag) ?? 0;
  return bits;
}

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
  const revision = revisions(db);
  const putMeta = db.prepare('UPDATE meta SET value = ? WHERE key = ?');

  let builder = new ChunkBuilder();
  let rows: PostRow[] = [];
  let waiting = new Set<bigint>();
  let objects: StoredObject[] = [];
  /** Revision as of the last look at which ids are there. */
  let looked = revision.current();

  const drop = (): void => {
    builder = new ChunkBuilder();
    rows = [];
    waiting = new Set();
    objects = [];
  };

  const seal = (chunk: BuiltChunk): void => chunks.add(chunk);

  const sealOpen = (): void => {
    const all = new ChunkBuilder();
    for (const { id, createdAt, terms } of chunks.open(0)) all.add(id, createdAt, terms);
    seal(all.build());
    chunks.clearOpen();
    putMeta.run([String(metaNumber(db, 'opened') + 1), 'opened']);
  };

  const commit = (): void => {
    if (rows.length === 0 && objects.length === 0) return;
    const built = builder;
    const pending = rows;
    const refers = objects;
    drop();
    db.write(() => {
      table.putObjects(refers);
      // Another writer may have added the same Posts since they were looked up.
      const taken =
        revision.current() === looked
          ? new Set<bigint>()
          : table.existing(pending.map((row) => row.id));
      if (pending.length > taken.size) {
        const chunk = built.build(taken);
        table.insert(Array.from(chunk.order, (i) => pending[i]!));
        if (chunk.n >= OPEN_POSTS) seal(chunk);
        else {
          for (const i of chunk.order) {
            const { id, createdAt } = pending[i]!;
            chunks.addOpen(id, createdAt, built.termsOf(i));
          }
          if (chunks.openCount() > OPEN_POSTS) sealOpen();
        }
        revision.raise(changedSpans(Array.from(chunk.order, (i) => pending[i]!.createdAt)));
      }
    });
    looked = revision.current();
  };

  return {
    add: (posts) => {
      const ids = posts.map((post) => post.id);
      let there = table.existing(ids);
      let added = 0;
      for (let i = 0; i < posts.length; i++) {
        const { id, createdAt, authorId, username, text, lang, rest, terms } = posts[i]!;
        if (waiting.has(id) || there.has(id)) continue;
        builder.add(id, createdAt, terms);
        waiting.add(id);
        const flags = flagsOf(terms);
        rows.push({ id, createdAt, authorId, username, text, lang, flags, rest });
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
      db.write(() => table.putObjects(refers));
    },
    finish: commit,
    abandon: drop,
    close: () => {
      drop();
      db.close();
    },
  };
}
