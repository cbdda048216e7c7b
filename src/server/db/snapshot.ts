import { formatOf, openKind, type StoreKind } from './migrate.ts';
import { StoreError } from './store-error.ts';

/** Pages that are read at once: 256 KiB. Fewer cost more calls, more are not faster. */
const PAGES_READ = 32;

/** One unchanging state of a store file while others write to it, as the bytes of a file of its own. */
export type Snapshot = ReturnType<typeof openSnapshot>;

/**
 * Opens the present state of a store file, without changing its format. Until it is closed, the log next to the file
 * grows with what others write.
 *
 * Reads page by page (sqlite.org/dbpage.html): `VACUUM INTO` would need as much disk again, and SQLite's copying of pages
 * is not offered by the driver.
 *
 * @param file - Must exist.
 * @throws {@link StoreError} as `openStore`, also while it is read.
 */
export function openSnapshot(file: string, kind: StoreKind) {
  const db = openKind(file, kind, {});
  try {
    db.exec('BEGIN');
    // The first read determines the state.
    const format = formatOf(db, kind);
    const number = (pragma: string): number => Number(db.prepare(`PRAGMA ${pragma}`).get()?.[0]);
    const [pages, size] = [number('page_count'), number('page_size')];
    const read = db.prepare(
      `WITH RECURSIVE n (i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      SELECT page.data FROM n CROSS JOIN sqlite_dbpage AS page WHERE page.pgno = n.i`,
    );
    return {
      /** Format of the store, see {@link StoreKind.steps}. */
      format,
      /** Size of the file. */
      bytes: pages * size,
      /** The bytes of the file, in order. */
      parts: function* (): Generator<Uint8Array> {
        for (let page = 1; page <= pages; page += PAGES_READ) {
          const last = Math.min(page + PAGES_READ - 1, pages);
          const part = Buffer.concat(read.all([page, last]).map(([data]) => data as Buffer));
          if (part.length !== (last - page + 1) * size) throw new StoreError('damaged', file);
          yield part;
        }
      },
      close: (): void => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
