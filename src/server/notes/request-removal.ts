import { putNewest } from '#core/newest.ts';
import type { Cell, Db } from '#server/db/driver.ts';

/** Posts whose requests can be restored: the last that were removed. */
const MOST_RESTORABLE = 100;

/** Removes the requests for a Post from all tables, and puts them back. */
export function requestRemoval(db: Db) {
  /** The rows of a Post in each table, and what puts one back. The id of a request may have been given again. */
  const parts = [
    {
      rows: db.prepare('SELECT CAST(post AS TEXT), created_at FROM requested_post WHERE post = ?'),
      add: db.prepare('INSERT OR IGNORE INTO requested_post VALUES (CAST(? AS INTEGER), ?)'),
      remove: db.prepare('DELETE FROM requested_post WHERE post = ?'),
    },
    {
      rows: db.prepare(
        'SELECT id, CAST(post AS TEXT), link, suggestion, requested_at FROM note_request WHERE post = ?',
      ),
      add: db.prepare(
        `INSERT INTO note_request VALUES (
           CASE WHEN EXISTS (SELECT 1 FROM note_request WHERE id = ?1) THEN NULL ELSE ?1 END,
           CAST(?2 AS INTEGER), ?3, ?4, ?5)`,
      ),
      remove: db.prepare('DELETE FROM note_request WHERE post = ?'),
    },
    {
      rows: db.prepare(
        'SELECT CAST(post AS TEXT), link, count FROM imported_request WHERE post = ?',
      ),
      add: db.prepare(
        `INSERT INTO imported_request VALUES (CAST(? AS INTEGER), ?, ?)
         ON CONFLICT (post, link) DO UPDATE SET count = max(count, excluded.count)`,
      ),
      remove: db.prepare('DELETE FROM imported_request WHERE post = ?'),
    },
  ];
  /** Rows of removed Posts by table, those removed last at the end. */
  const removed = new Map<bigint, Cell[][][]>();
  return {
    /** Removes all requests for a Post. @returns False if there are none. */
    remove: (post: bigint): boolean => {
      const rows = db.write('remove-requests', () => {
        const found = parts.map((part) => part.rows.all([post]));
        for (const part of parts) part.remove.run([post]);
        return found;
      });
      if (rows[0]?.length === 0) return false;
      putNewest(removed, post, rows, MOST_RESTORABLE);
      return true;
    },
    /** Undoes {@link remove}. @returns False if it is too long ago, or was before the service started. */
    restore: (post: bigint): boolean => {
      const rows = removed.get(post);
      if (!rows) return false;
      db.write('restore-requests', () => {
        for (const [i, part] of parts.entries()) {
          for (const row of rows[i] ?? []) part.add.run(row);
        }
      });
      removed.delete(post);
      return true;
    },
  };
}
