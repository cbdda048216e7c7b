import type { PostTerms } from '#core/text/post.ts';
import { numberOrNull, type Cell, type Db, type DbOptions, type Value } from '#server/db/driver.ts';
import { insertRows } from '#server/db/insert-rows.ts';
import { metaOf } from '#server/db/meta.ts';
import { openStore } from '#server/db/migrate.ts';
import { checksumOf } from '#server/posts/index/sums.ts';
import {
  CHARGES_BY_ACCOUNT,
  HAS_ORIGINAL,
  ORIGINAL_ID,
  POSTS_SCHEMA,
  REPOSTS_BY_ORIGINAL,
} from '#server/migrations/posts.ts';
import { objectTable } from './object-table.ts';
import { markRevision } from './revision.ts';
import { StoreError } from '#server/db/store-error.ts';

export const POSTS_KIND = {
  application: 0x47537770,
  first: 15,
  steps: [POSTS_SCHEMA, CHARGES_BY_ACCOUNT, REPOSTS_BY_ORIGINAL],
};

/**
 * Version of the rules by which Posts become terms and chunks, incremented with every change. A file
 * with another version needs its index rebuilt before it counts.
 */
export const INDEX_VERSION = 5;

/** Bit of `post.flags`, above those of properties: the Post was edited, and another one counts instead. */
export const SUPERSEDED = 1 << 30;

/** One row of `post`. */
export interface PostRow {
  readonly id: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly authorId: string | null;
  readonly username: string | null;
  readonly text: string;
  readonly lang: string | null;
  /** Bits, see `flagsOf`. */
  readonly flags: number;
  /** JSON of every further v2 field; null if there is none. */
  readonly rest: string | null;
  /** JSON of the properties that queries match but no other column contains, see `factsOf`. */
  readonly facts: string | null;
  /** Numbers of its collections, ascending, separated by spaces; null if it is in none. */
  readonly collections: string | null;
}

/** A Post to add, with the terms by which it is counted. */
export interface NewPost extends Omit<PostRow, 'flags' | 'collections'> {
  readonly terms: PostTerms;
}

/**
 * Opens a file of Posts, and creates it if it does not exist.
 *
 * @param random - Returns that many random bytes; used for the id of a new store.
 * @param unindexed - Also opens a file whose index needs rebuilding.
 * @throws {@link StoreError} `unindexed` if the index is of another version; otherwise like
 *   `openStore`.
 */
export function openPosts(
  file: string,
  deps: { random: (n: number) => Uint8Array },
  { unindexed = false, ...options }: DbOptions & { readonly unindexed?: boolean } = {},
): Db {
  const made = (db: Db): void => {
    const put = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
    put.run(['store', Buffer.from(deps.random(16)).toString('hex')]);
    put.run(['revision', '0']);
    put.run(['forgotten', '0']);
    markRevision(db)(0);
    metaOf(db).put('index', INDEX_VERSION);
  };
  const db = openStore(file, POSTS_KIND, made, options);
  if (unindexed || metaOf(db).number('index') === INDEX_VERSION) return db;
  db.close();
  throw new StoreError('unindexed', file);
}

const NAMES =
  'id, created_at, author_id, username, text, lang, flags, rest, facts, sum, collections';
const COLUMNS = 11;
const TEXTS = ['author_id', 'username', 'text', 'lang', 'rest', 'facts', 'collections'];
/** {@link NAMES} with texts as bytes: the driver aborts the process if one is not UTF-8. */
const READ = NAMES.split(', ')
  .map((name) => (TEXTS.includes(name) ? `CAST(${name} AS BLOB)` : name))
  .join();
const BATCH = 64;

/** Functions that return rows throw {@link StoreError} `row-damaged` if one does not match its checksum. */
export type PostTable = ReturnType<typeof postTable>;

/** The collections of rows from formats that had none. */
const EARLIER = '1';

/**
 * Checksum of a row, without the one bit that changes: superseded. Rows of formats without collections have sums without
 * them.
 */
function rowSum(row: PostRow): number {
  const { authorId, username, text, lang, rest, facts, collections } = row;
  const flags = row.flags & ~SUPERSEDED;
  const whole = [row.id, row.createdAt, flags, authorId, username, text, lang, rest, facts];
  if (collections !== null && collections !== EARLIER) whole.push(collections);
  // An absent text differs from every present one.
  return checksumOf(whole.map((value) => value ?? '\0').join('\u001f'), 'post');
}

/** The values of a row, in the order of {@link NAMES}. */
function valuesOf(row: PostRow): Value[] {
  const { id, createdAt, authorId, username, text, lang, flags, rest, facts, collections } = row;
  const sum = rowSum(row);
  return [id, createdAt, authorId, username, text, lang, flags, rest, facts, sum, collections];
}

function rowOf(cells: readonly Cell[]): PostRow & { readonly sum: number | null } {
  const [id, createdAt, authorId, username, text, lang, flags, rest, facts, sum, collections] =
    cells;
  const textOf = (cell: Cell | undefined): string | null =>
    Buffer.isBuffer(cell) ? cell.toString('utf8') : null;
  return {
    id: id as bigint,
    createdAt: Number(createdAt),
    authorId: textOf(authorId),
    username: textOf(username),
    text: textOf(text) ?? '',
    lang: textOf(lang),
    flags: Number(flags),
    rest: textOf(rest),
    facts: textOf(facts),
    collections: textOf(collections),
    sum: numberOrNull(sum),
  };
}

/** The numbers of the collections of a row. */
export function collectionsOf({ collections }: Pick<PostRow, 'collections'>): number[] {
  return collections === null ? [] : collections.split(' ').map(Number);
}

/** True if a cell of `post.collections` names a collection. */
function isAmong(cell: Cell | undefined, collection: number): boolean {
  return Buffer.isBuffer(cell) && cell.toString('latin1').split(' ').includes(String(collection));
}

/** True if a row matches its checksum; rows of earlier programs have none at first. */
function isRowAsWritten({ sum, ...row }: ReturnType<typeof rowOf>): boolean {
  return sum === null || sum === rowSum(row);
}

/** Ids in batches of {@link BATCH}, the last one filled up with a repeat. */
function* parts(ids: readonly bigint[]): Generator<bigint[]> {
  for (let i = 0; i < ids.length; i += BATCH) {
    const part = ids.slice(i, i + BATCH);
    while (part.length < BATCH) part.push(part[0]!);
    yield part;
  }
}

/** Rows of Posts, and the objects that they refer to. */
export function postTable(db: Db) {
  const marks = (n: number): string => Array(n).fill('?').join();
  const insert = insertRows(db, `post (${NAMES})`, COLUMNS, 'ON CONFLICT DO NOTHING');
  const existing = db.prepare(`SELECT id FROM post WHERE id IN (${marks(BATCH)})`, 'exact');
  const belonging = db.prepare(
    `SELECT id, CAST(collections AS BLOB) FROM post WHERE id IN (${marks(BATCH)})`,
    'exact',
  );
  const get = db.prepare(`SELECT ${READ} FROM post WHERE id = ?`, 'exact');
  const some = db.prepare(`SELECT ${READ} FROM post WHERE id IN (${marks(BATCH)})`, 'exact');
  const after = db.prepare(`SELECT ${READ} FROM post WHERE id > ? ORDER BY id LIMIT ?`, 'exact');
  const times = db.prepare(
    'SELECT id, created_at FROM post WHERE id > ? ORDER BY id LIMIT ?',
    'exact',
  );
  const reposts = db.prepare(
    `SELECT id FROM post WHERE ${HAS_ORIGINAL} AND ${ORIGINAL_ID} = ? ORDER BY id LIMIT ?`,
    'exact',
  );
  const count = db.prepare('SELECT count(*) FROM post');
  const remove = db.prepare('DELETE FROM post WHERE id = ?');
  const mark = db.prepare('UPDATE post SET flags = flags | ? WHERE id = ?');
  const putCollections = db.prepare('UPDATE post SET collections = ?, sum = ? WHERE id = ?');
  const putSum = db.prepare('UPDATE post SET sum = ? WHERE id = ?');
  const highest = db.prepare('SELECT max(id) FROM post', 'exact');
  const sound = (cells: readonly Cell[]): PostRow => {
    const { sum, ...row } = rowOf(cells);
    if (isRowAsWritten({ ...row, sum })) return row;
    throw new StoreError('row-damaged', db.file);
  };
  return {
    ...objectTable(db),
    /** The ids that the table contains. */
    existing: (ids: readonly bigint[]): Set<bigint> => {
      const found = new Set<bigint>();
      const top = highest.get()?.[0];
      if (typeof top !== 'bigint') return found;
      // New Posts usually follow all existing ones.
      const asked = ids.filter((id) => id <= top);
      for (const part of parts(asked)) {
        for (const row of existing.all(part)) found.add(row[0] as bigint);
      }
      return found;
    },
    /** Those of some ids whose Posts exist and are not in a collection. */
    outside: (ids: readonly bigint[], collection: number): Set<bigint> => {
      const found = new Set<bigint>();
      for (const part of parts(ids)) {
        for (const [id, collections] of belonging.all(part)) {
          if (!isAmong(collections, collection)) found.add(id as bigint);
        }
      }
      return found;
    },
    /** Adds rows, except those whose id exists. Returns how many were added. */
    insert: (rows: readonly PostRow[]): number => insert(rows.map(valuesOf)),
    /** The row of an id; null if there is none. */
    get: (id: bigint): PostRow | null => {
      const row = get.get([id]);
      return row ? sound(row) : null;
    },
    /** Rows with an id above `after`, ascending, at most `limit`. */
    after: (from: bigint, limit: number): PostRow[] => after.all([from, limit]).map(sound),
    /** Ids and instants (epoch ms) of Posts with an id above `after`, ascending, at most `limit`. */
    times: (from: bigint, limit: number): { readonly id: bigint; readonly createdAt: number }[] =>
      times
        .all([from, limit])
        .map(([id, createdAt]) => ({ id: id as bigint, createdAt: Number(createdAt) })),
    /** The ids whose rows do not match their checksums. */
    damaged: (ids: readonly bigint[]): bigint[] =>
      [...parts(ids)].flatMap((part) =>
        some
          .all(part)
          .map(rowOf)
          .filter((row) => !isRowAsWritten(row))
          .map(({ id }) => id),
      ),
    /** Adds checksums to rows without one, within a write transaction. */
    addSums: (ids: readonly bigint[]) => {
      for (const part of parts(ids)) {
        for (const { sum, ...row } of some.all(part).map(rowOf)) {
          if (sum === null) putSum.run([rowSum(row), row.id]);
        }
      }
    },
    /** The existing rows of ids, in any order. */
    rows: (ids: readonly bigint[]): PostRow[] =>
      [...parts(ids)].flatMap((part) => some.all(part).map(sound)),
    /** Ids of the reposts of a Post, ascending, at most `limit`. */
    repostsOf: (original: bigint, limit: number): bigint[] =>
      reposts.all([original, limit]).map(([id]) => id as bigint),
    count: (): number => Number(count.get()?.[0]),
    remove: (id: bigint): void => void remove.run([id]),
    /** Puts the Post of a row into other collections. */
    setCollections: (row: PostRow, collections: string): void =>
      void putCollections.run([collections, rowSum({ ...row, collections }), row.id]),
    /** Marks a Post as {@link SUPERSEDED}. */
    supersede: (id: bigint): void => void mark.run([SUPERSEDED, id]),
  };
}
