import { numberOrNull, type Cell, type Db } from '#server/db/driver.ts';
import type { Direction } from './relations.ts';

/** A list of accounts. */
export interface StoredList {
  readonly id: bigint;
  /** Null where an import did not say. */
  readonly owner: bigint | null;
  readonly name: string;
  readonly description: string;
  /** Only its owner sees it. */
  readonly private: boolean;
  /** Epoch ms; null where an import did not say. */
  readonly createdAt: number | null;
}

/** The fields that the owner of a list may change. */
export type ListChange = Partial<Pick<StoredList, 'name' | 'description' | 'private'>>;

export type ListReader = ReturnType<typeof listReader>;

/** Changes of lists, within a write transaction. */
export interface ListTable extends ListReader {
  /** Adds a list, unless one of that id exists; whether it was added. */
  add(list: StoredList): boolean;
  put(list: StoredList): void;
  remove(id: bigint): void;
}

const COLUMNS = 'id, owner, name, description, private, created_at';
const LARGEST_ID = 0x7fffffffffffffffn;

function listOf([id, owner, name, description, hidden, createdAt]: readonly Cell[]): StoredList {
  return {
    id: id as bigint,
    owner: typeof owner === 'bigint' ? owner : null,
    name: String(name),
    description: String(description),
    private: Number(hidden) === 1,
    createdAt: numberOrNull(createdAt),
  };
}

/** Reads lists. */
export function listReader(db: Db) {
  const get = db.prepare(`SELECT ${COLUMNS} FROM list WHERE id = ?`, 'exact');
  const pages = {
    older: db.prepare(
      `SELECT ${COLUMNS} FROM list WHERE owner = ? AND id < ? ORDER BY id DESC LIMIT ?`,
      'exact',
    ),
    newer: db.prepare(
      `SELECT ${COLUMNS} FROM list WHERE owner = ? AND id > ? ORDER BY id LIMIT ?`,
      'exact',
    ),
  };
  return {
    get: (id: bigint): StoredList | null => {
      const row = get.get([id]);
      return row ? listOf(row) : null;
    },
    /** The nearest lists of an owner by id, after `from` in the direction. */
    of: (owner: bigint, direction: Direction, from: bigint | null, limit: number): StoredList[] =>
      pages[direction]
        .all([owner, from ?? (direction === 'older' ? LARGEST_ID : 0n), limit])
        .map(listOf),
  };
}

/** Reads and changes lists. */
export function listTable(db: Db): ListTable {
  const reader = listReader(db);
  const add = db.prepare(
    `INSERT INTO list (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const put = db.prepare(
    'UPDATE list SET owner = ?, name = ?, description = ?, private = ?, created_at = ? WHERE id = ?',
  );
  const remove = db.prepare('DELETE FROM list WHERE id = ?');
  const values = (list: StoredList) =>
    [list.owner, list.name, list.description, list.private ? 1 : 0, list.createdAt] as const;
  return {
    ...reader,
    add: (list) => add.run([list.id, ...values(list)]) === 1,
    put: (list) => void put.run([...values(list), list.id]),
    remove: (id) => void remove.run([id]),
  };
}
