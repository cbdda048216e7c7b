import { ChunkBuilder } from '#server/index/builder.ts';
import { CHUNK_POSTS, OPEN_POSTS } from '#server/index/chunk.ts';
import type { ChunkContent } from '#server/index/inverted.ts';
import { mergeChunks } from '#server/index/merge.ts';
import type { StoredChunk } from '#server/posts/index/chunk-reader.ts';
import { prepareChunk } from '#server/posts/index/chunk-writer.ts';
import { chunkTable, type ChunkTable } from '#server/posts/index/chunks.ts';
import type { Db } from '#server/db/driver.ts';
import { openPostTable, type OpenPostTable } from '#server/posts/editor/open-posts.ts';
import { revisions } from '#server/posts/store/revision.ts';
import { tombstoneTable, type TombstoneTable } from '#server/posts/store/tombstones.ts';
import { chooseMerge } from './compact-choice.ts';

/** Maximum bytes of lists and positions that are merged: four times those of a usual full chunk. */
const MERGED_BYTES = 48 * 1024 * 1024;

/** The tables that work on the index writes to. */
export interface IndexTables {
  readonly db: Db;
  readonly chunks: ChunkTable;
  readonly open: OpenPostTable;
  readonly tombstones: TombstoneTable;
  /** Current revision of the file. */
  readonly revision: () => number;
}

export function indexTables(db: Db): IndexTables {
  return {
    db,
    chunks: chunkTable(db),
    open: openPostTable(db),
    tombstones: tombstoneTable(db),
    revision: revisions(db).current,
  };
}

/** True if {@link compactIndex} has something to do. */
export function needsCompaction(db: Db): boolean {
  const tables = indexTables(db);
  const { chunks, open } = tables;
  return open.count() >= OPEN_POSTS || chunks.obsolete().length > 0 || chosen(tables).length > 0;
}

/**
 * Compacts an index: removes the remains of an interrupted step, seals a full open set into a chunk,
 * merges small chunks and rewrites those with many deleted Posts. None of this changes a count or the
 * revision.
 *
 * It writes in transactions of a few milliseconds with a yield after each, so that other writers run in
 * between. It may be abandoned at any yield, and started again by anyone. Only one may run on a file at
 * a time.
 *
 * @throws {@link StoreError} if the file cannot be written; what was done until then remains.
 */
export function* compactIndex(db: Db): Generator<void> {
  const tables = indexTables(db);
  yield* clearObsolete(tables);
  while (tables.open.count() >= OPEN_POSTS) yield* sealOpen(tables);
  while (yield* compact(tables));
}

/** Removes chunks that are not live, and the rows of Posts that are in a chunk by now. */
export function* clearObsolete({ db, chunks, open }: IndexTables): Generator<void> {
  for (const c of chunks.obsolete()) yield* inParts(db, 'clear', chunks.clear(c));
  yield* inParts(db, 'clear', open.clear());
}

/** Runs each part of a write in its own transaction and returns its result. */
function* inParts<T>(db: Db, step: string, parts: Generator<void, T>): Generator<void, T> {
  for (;;) {
    const part = db.write(step, () => parts.next());
    if (part.done) return part.value;
    yield;
  }
}

/** Writes a chunk that is not live yet and returns its number. */
export function* stage(tables: IndexTables, step: string, content: ChunkContent) {
  return yield* inParts(tables.db, step, tables.chunks.write(prepareChunk(content)));
}

/** Seals the open set, as it is at the beginning, into a chunk. */
function* sealOpen(tables: IndexTables): Generator<void> {
  const { db, chunks, open, tombstones, revision } = tables;
  const { posts, dead } = db.read(() => ({
    posts: open.after(0, CHUNK_POSTS),
    dead: new Set(tombstones.of(0)),
  }));
  const last = posts.at(-1)?.n;
  if (last === undefined) return;
  const builder = new ChunkBuilder();
  const alive = posts.filter(({ n }) => !dead.has(n));
  for (const { id, createdAt, terms } of alive) builder.add(id, createdAt, terms);
  yield;
  const chunk = alive.length === 0 ? null : builder.build();
  const c = chunk ? yield* stage(tables, 'seal: write', chunk) : null;
  db.write('seal', () => {
    if (chunk && c !== null) {
      const died = new Set(tombstones.of(0).filter((n) => n <= last && !dead.has(n)));
      for (const [o, i] of chunk.order.entries()) {
        if (died.has(alive[i]!.n)) tombstones.add({ c, o }, revision());
      }
      chunks.swap([c], []);
    }
    open.seal(last);
  });
  yield* clearObsolete(tables);
}

function chosen({ chunks, tombstones }: IndexTables): StoredChunk[] {
  const dead = tombstones.counts();
  const live = chunks.live().map((c) => chunks.read(c));
  return chooseMerge(live, (chunk) => dead.get(chunk.c) ?? 0, MERGED_BYTES);
}

/** Replaces the chosen chunks by one, without their deleted Posts; false if none is chosen. */
function* compact(tables: IndexTables): Generator<void, boolean> {
  const { db, chunks, tombstones, revision } = tables;
  const { numbers, merged } = db.read(() => {
    const group = chosen(tables);
    return { numbers: group.map(({ c }) => c), merged: mergeChunks(group) };
  });
  if (numbers.length === 0) return false;
  yield;
  const c = merged ? yield* stage(tables, 'compact: write', merged) : null;
  db.write('compact', () => {
    for (const [part, old] of numbers.entries()) {
      for (const o of tombstones.of(old)) {
        const moved = merged?.ordinalOf(part, o) ?? -1;
        // A Post that was deleted at the beginning is not in the new chunk.
        if (c !== null && moved !== -1) tombstones.add({ c, o: moved }, revision());
      }
    }
    chunks.swap(c === null ? [] : [c], numbers);
  });
  yield* clearObsolete(tables);
  return true;
}
