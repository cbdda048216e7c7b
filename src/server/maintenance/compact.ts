import { ChunkBuilder } from '#server/index/builder.ts';
import { CHUNK_POSTS, OPEN_POSTS } from '#server/index/chunk.ts';
import type { ChunkContent } from '#server/index/inverted.ts';
import { joinChunks } from '#server/index/merge.ts';
import { chunkTable, prepareChunk } from '#server/posts/chunks.ts';
import type { ChunkTable, StoredChunk } from '#server/posts/chunks.ts';
import type { Db } from '#server/db/driver.ts';
import { openPostTable } from '#server/posts/open-posts.ts';
import type { OpenPostTable } from '#server/posts/open-posts.ts';
import { revisions } from '#server/posts/revision.ts';
import { tombstoneTable } from '#server/posts/tombstones.ts';
import type { TombstoneTable } from '#server/posts/tombstones.ts';
import { choose } from './compact-choice.ts';

/** Bytes of lists and places that are joined at most: four times those of a usual full chunk. */
const JOINED_BYTES = 48 * 1024 * 1024;

/** What work on the index writes with. */
export interface IndexTables {
  readonly db: Db;
  readonly chunks: ChunkTable;
  readonly open: OpenPostTable;
  readonly tombstones: TombstoneTable;
  /** Revision of the file now. */
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

/** Whether there is something for {@link upkeep} to do. */
export function needsUpkeep(db: Db): boolean {
  const tables = indexTables(db);
  const { chunks, open } = tables;
  return open.count() >= OPEN_POSTS || chunks.leftOver().length > 0 || chosen(tables).length > 0;
}

/**
 * Keeps an index in shape: removes what a cut-off step left, seals a full open set into a chunk, joins small
 * chunks and writes those with many dead Posts anew. Nothing of it changes a count or the revision.
 *
 * It writes in transactions of a few milliseconds, a yield after each, so that other writers come in between;
 * it may be abandoned at any yield, and started again by anyone. Only one may run on a file at a time.
 *
 * @throws {@link StoreError} when the file cannot be written; what was done until then holds.
 */
export function* upkeep(db: Db): Generator<void> {
  const tables = indexTables(db);
  yield* clearLeft(tables);
  while (tables.open.count() >= OPEN_POSTS) yield* sealOpen(tables);
  while (yield* compact(tables));
}

/** Removes chunks that are not live and the rows of Posts that are in a chunk by now. */
export function* clearLeft({ db, chunks, open }: IndexTables): Generator<void> {
  for (const c of chunks.leftOver()) yield* inParts(db, 'clear', chunks.clear(c));
  yield* inParts(db, 'clear', open.clear());
}

/** Runs each part of a piece of writing in a transaction of its own; tells what it returns. */
function* inParts<T>(db: Db, step: string, parts: Generator<void, T>): Generator<void, T> {
  for (;;) {
    const part = db.write(step, () => parts.next());
    if (part.done) return part.value;
    yield;
  }
}

/** Writes a chunk that is not live yet; tells its number. */
export function* stage(tables: IndexTables, step: string, content: ChunkContent) {
  return yield* inParts(tables.db, step, tables.chunks.write(prepareChunk(content)));
}

/** Puts the open set, as it is at the beginning, into a chunk. */
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
  yield* clearLeft(tables);
}

function chosen({ chunks, tombstones }: IndexTables): StoredChunk[] {
  const dead = tombstones.counts();
  const live = chunks.live().map((c) => chunks.read(c));
  return choose(live, (chunk) => dead.get(chunk.c) ?? 0, JOINED_BYTES);
}

/** Puts one chunk in the place of those that are chosen, without their dead; false where none is. */
function* compact(tables: IndexTables): Generator<void, boolean> {
  const { db, chunks, tombstones, revision } = tables;
  const { numbers, joined } = db.read(() => {
    const group = chosen(tables);
    return { numbers: group.map(({ c }) => c), joined: joinChunks(group) };
  });
  if (numbers.length === 0) return false;
  yield;
  const c = joined ? yield* stage(tables, 'compact: write', joined) : null;
  db.write('compact', () => {
    for (const [part, old] of numbers.entries()) {
      for (const o of tombstones.of(old)) {
        const moved = joined?.ordinalOf(part, o) ?? -1;
        // One that was dead at the beginning is not in the new chunk.
        if (c !== null && moved !== -1) tombstones.add({ c, o: moved }, revision());
      }
    }
    chunks.swap(c === null ? [] : [c], numbers);
  });
  yield* clearLeft(tables);
  return true;
}
