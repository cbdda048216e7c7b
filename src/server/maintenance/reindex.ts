import { DAY_MS, union, type Span } from '#core/time/span.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import {
  INDEX_VERSION,
  postTable,
  SUPERSEDED,
  type PostTable,
} from '#server/posts/store/post-table.ts';
import { revisions } from '#server/posts/store/revision.ts';
import { storedTerms } from '#server/posts/store/stored-post.ts';
import { clearObsolete, indexTables, stage, type IndexTables } from './compact.ts';

export interface ReindexProgress {
  /** Posts indexed again so far, of those at the beginning. */
  readonly posts: number;
  readonly total: number;
  /** True if the new index counts: only removing the old one remains. */
  readonly switched: boolean;
}

/** Rows read between two yields. */
const ROWS_READ = 1024;
const TIMES_READ = 16_384;

/**
 * Rebuilds the index of a file from its Posts, in order of time: chunk by chunk while the old index
 * counts, which is then replaced at once. Posts that are added, edited or deleted meanwhile count as
 * they should. The revision advances for the whole time, since it is unknown where the old index was
 * wrong.
 *
 * May be abandoned at any yield, which leaves the old index as it was, or the new one once it counts.
 * No compaction may run on the file at the same time.
 *
 * @returns The number of Posts in the new index.
 * @throws {@link StoreError} if the file cannot be read or written.
 */
export function* reindex(db: Db): Generator<ReindexProgress, number> {
  const tables = indexTables(db);
  const table = postTable(db);
  const missing = tables.chunks.missing();
  if (missing.length > 0) db.write('clear', () => tables.chunks.swap([], missing));
  // Rows of earlier programs have no checksums.
  const addSums = metaOf(db).number('index') < INDEX_VERSION;
  const old = db.read(() => stateOf(tables, table));
  const progress = { posts: 0, total: old.ids.length, switched: false };
  for (const _ of clearObsolete(tables)) yield { ...progress };

  const made: Made[] = [];
  let builder = new ChunkBuilder();
  function* finish(): Generator<ReindexProgress> {
    if (builder.size === 0) return;
    const chunk = builder.build();
    builder = new ChunkBuilder();
    const writing = stage(tables, 'reindex: write', chunk);
    let part = writing.next();
    for (; !part.done; part = writing.next()) yield { ...progress };
    made.push({ c: part.value, ids: chunk.ids() });
  }
  for (let at = 0; at < old.ids.length; at += ROWS_READ) {
    const wanted = Array.from(old.ids.subarray(at, at + ROWS_READ));
    const rows = db.read(() => {
      const others = addedSince(tables, old);
      return table.rows(wanted).filter(({ id }) => !others.has(id));
    });
    if (addSums) db.write('reindex: sums', () => table.addSums(wanted));
    for (const row of rows) {
      if ((row.flags & SUPERSEDED) !== 0) continue;
      builder.add(row.id, row.createdAt, storedTerms(row, table.object));
      if (builder.full) yield* finish();
    }
    progress.posts += wanted.length;
    yield { ...progress };
  }
  yield* finish();
  db.write('reindex', () => swapIndex(tables, old, made));
  progress.switched = true;
  for (const _ of clearObsolete(tables)) yield { ...progress };
  return made.reduce((sum, { ids }) => sum + ids.length, 0);
}

/** A chunk of the new index. */
interface Made {
  readonly c: number;
  readonly ids: BigInt64Array;
}

/** The state at the beginning: the index, and the Posts. */
interface State {
  readonly chunks: readonly number[];
  /** Number of the last open Post. */
  readonly open: number;
  readonly revision: number;
  /** By the UTC day of their creation: within a chunk the builder orders them. */
  readonly ids: BigInt64Array;
  /** Whole days that contain them all. */
  readonly days: Span;
}

function stateOf({ chunks, open, revision }: IndexTables, table: PostTable): State {
  return {
    chunks: chunks.live(),
    open: open.last(),
    revision: revision(),
    ...postsByDay(table),
  };
}

/** Number of days since 1970 that a chunk's times, seconds in 32 bits, can represent. */
const DAYS = 49_711;

function postsByDay(table: PostTable): Pick<State, 'ids' | 'days'> {
  const read = new BigInt64Array(table.count());
  const dayOf = new Uint16Array(read.length);
  const next = new Uint32Array(DAYS + 1);
  let n = 0;
  for (let rows = table.times(-1n, TIMES_READ); rows.length > 0;) {
    for (const { id, createdAt } of rows) {
      const day = Math.floor(createdAt / DAY_MS);
      read[n] = id;
      dayOf[n++] = day;
      next[day + 1]! += 1;
    }
    rows = table.times(rows.at(-1)!.id, TIMES_READ);
  }
  const start = Math.max(0, next.findIndex((posts) => posts > 0) - 1);
  const end = Math.max(
    0,
    next.findLastIndex((posts) => posts > 0),
  );
  for (let day = 0; day < DAYS; day++) next[day + 1]! += next[day]!;
  const ids = new BigInt64Array(n);
  for (let i = 0; i < n; i++) ids[next[dayOf[i]!]!++] = read[i]!;
  return { ids, days: { start: start * DAY_MS, end: end * DAY_MS } };
}

/** Ids of Posts in other parts of the index, added since the beginning. */
function addedSince({ chunks, open }: IndexTables, old: State): Set<bigint> {
  const ids = new Set(open.after(old.open).map(({ id }) => id));
  for (const c of chunks.live()) {
    if (!old.chunks.includes(c)) for (const id of chunks.read(c).ids()) ids.add(id);
  }
  return ids;
}

/** Replaces the old index by the new chunks, with tombstones for Posts deleted in between. */
function swapIndex(tables: IndexTables, old: State, made: readonly Made[]): void {
  const { db, chunks, open, tombstones } = tables;
  const died = tombstones.since(old.revision).flatMap(({ c, o }) => {
    if (c === 0) return o <= old.open ? (open.id(o) ?? []) : [];
    return old.chunks.includes(c) ? chunks.read(c, 'unverified').ids()[o]! : [];
  });
  const shown = chunks.live().map((c) => chunks.read(c, 'unverified'));
  // A damaged chunk may state anything.
  const dayOf = (instant: number): number =>
    Math.min(Math.max(0, Math.floor(instant / DAY_MS)), DAYS) * DAY_MS;
  const days = shown.map(({ first, last }) => ({
    start: dayOf(first),
    end: Math.max(dayOf(first), dayOf(last)) + DAY_MS,
  }));
  const revision = revisions(db).raise(union([old.days, ...days]));
  for (const id of died) {
    for (const { c, ids } of made) {
      const o = ids.indexOf(id);
      if (o !== -1) tombstones.add({ c, o }, revision);
    }
  }
  chunks.swap(
    made.map(({ c }) => c),
    old.chunks,
  );
  open.seal(old.open);
  metaOf(db).put('index', INDEX_VERSION);
}
