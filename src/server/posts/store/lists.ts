import { column, columns, type RowOf } from '#server/db/columns.ts';
import { LARGEST_INTEGER, type Db } from '#server/db/driver.ts';
import type { Direction } from './relation-kinds.ts';

const LIST = columns({
  id: column.exact,
  /** Null where an import did not say. */
  owner: column.exactOrNull,
  name: column.text,
  description: column.text,
  /** Only its owner sees it. */
  private: column.flag,
  /** Epoch ms; null where an import did not say. */
  createdAt: column.numberOrNull,
});

/** A list of accounts. */
export type StoredList = RowOf<typeof LIST>;

/** The fields that the owner of a list may change. */
export type ListChange = Partial<Pick<StoredList, 'name' | 'description' | 'private'>>;

export type ListReader = ReturnType<typeof listReader>;

/** Reads lists. */
export function listReader(db: Db) {
  const get = LIST.select(db, 'list WHERE id = ?', 'exact');
  const pages = {
    older: LIST.select(db, 'list WHERE owner = ? AND id < ? ORDER BY id DESC LIMIT ?', 'exact'),
    newer: LIST.select(db, 'list WHERE owner = ? AND id > ? ORDER BY id LIMIT ?', 'exact'),
  };
  return {
    get: (id: bigint): StoredList | null => get.get([id]) ?? null,
    /** The nearest lists of an owner by id, after `from` in the direction. */
    of: (owner: bigint, direction: Direction, from: bigint | null, limit: number): StoredList[] =>
      pages[direction].all([owner, from ?? (direction === 'older' ? LARGEST_INTEGER : 0n), limit]),
  };
}

/** Reads and changes lists; changes run within a write transaction. */
export function listTable(db: Db) {
  const reader = listReader(db);
  const add = LIST.insert(db, 'list', 'ON CONFLICT DO NOTHING');
  const changed = ['owner', 'name', 'description', 'private', 'createdAt'] as const;
  const put = LIST.update(db, 'list', changed, 'id = ?');
  const remove = db.prepare('DELETE FROM list WHERE id = ?');
  return {
    ...reader,
    /** Adds a list, unless one of that id exists; whether it was added. */
    add: (list: StoredList): boolean => add(list) === 1,
    put: (list: StoredList): void => void put(list, [list.id]),
    remove: (id: bigint): void => void remove.run([id]),
  };
}
