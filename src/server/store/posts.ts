import { openStore } from './migrate.ts';
import type { Db, DbOptions, Value } from './db.ts';
import { POSTS_1 } from './migrations/posts-1.ts';
import { POSTS_2 } from './migrations/posts-2.ts';

const KIND = { application: 0x47537770, steps: [POSTS_1, POSTS_2] };

/** One row of `post`. */
export interface PostRow {
  readonly id: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly authorId: string | null;
  readonly username: string | null;
  readonly text: string;
  readonly lang: string | null;
  /** Bits, see `flagsOf` in the domain. */
  readonly flags: number;
  /** JSON of every further v2 field. */
  readonly rest: string | null;
}

/** Something that Posts refer to: an element of `includes`. */
export interface StoredObject {
  /** `users`, `media`, `places`, `polls`, … */
  readonly kind: string;
  /** Its id or media key. */
  readonly key: string;
  readonly json: string;
}

/**
 * Opens a file of Posts, made if it is absent.
 *
 * @param random - gives so many random bytes; used for the id of a new store.
 * @throws {@link StoreError} as `openStore`.
 */
export function openPosts(
  file: string,
  deps: { random: (n: number) => Uint8Array },
  options: DbOptions = {},
): Db {
  const made = (db: Db): void => {
    const put = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)');
    put.run(['store', Buffer.from(deps.random(16)).toString('hex')]);
    put.run(['revision', '0']);
    put.run(['opened', '0']);
    put.run(['forgotten', '0']);
  };
  return openStore(file, KIND, made, options);
}

/** Rows per statement: three times faster than one by one, and no faster beyond. */
const ROWS = 16;
const COLUMNS = 8;
const ASKED = 64;

export interface PostTable {
  /** Which of the ids the table holds. */
  existing(ids: readonly bigint[]): Set<bigint>;
  /** Adds rows; those whose id is there already are left as they are. Tells how many were added. */
  insert(rows: readonly PostRow[]): number;
  putObjects(objects: readonly StoredObject[]): void;
}

export function postTable(db: Db): PostTable {
  const insert = (rows: number): string =>
    `INSERT INTO post (id, created_at, author_id, username, text, lang, flags, rest) VALUES ${Array(
      rows,
    )
      .fill(`(${Array(COLUMNS).fill('?').join()})`)
      .join()} ON CONFLICT DO NOTHING`;
  const insertMany = db.prepare(insert(ROWS));
  const insertOne = db.prepare(insert(1));
  const existing = db.prepare(
    `SELECT id FROM post WHERE id IN (${Array(ASKED).fill('?').join()})`,
    'exact',
  );
  const highest = db.prepare('SELECT max(id) FROM post', 'exact');
  const putObject = db.prepare(
    'INSERT INTO object (kind, key, json) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json',
  );
  const put = (values: Value[], row: PostRow): void => {
    values.push(row.id, row.createdAt, row.authorId, row.username);
    values.push(row.text, row.lang, row.flags, row.rest);
  };
  return {
    existing: (ids) => {
      const found = new Set<bigint>();
      const top = highest.get()?.[0];
      if (typeof top !== 'bigint') return found;
      // New Posts mostly come after all that are there.
      const asked = ids.filter((id) => id <= top);
      for (let i = 0; i < asked.length; i += ASKED) {
        const part = asked.slice(i, i + ASKED);
        while (part.length < ASKED) part.push(part[0]!);
        for (const row of existing.all(part)) found.add(row[0] as bigint);
      }
      return found;
    },
    insert: (rows) => {
      let added = 0;
      let i = 0;
      for (; i + ROWS <= rows.length; i += ROWS) {
        const values: Value[] = [];
        for (let j = i; j < i + ROWS; j++) put(values, rows[j]!);
        added += insertMany.run(values);
      }
      for (; i < rows.length; i++) {
        const values: Value[] = [];
        put(values, rows[i]!);
        added += insertOne.run(values);
      }
      return added;
    },
    putObjects: (objects) => {
      for (const { kind, key, json } of objects) putObject.run([kind, key, json]);
    },
  };
}
