import { numberOrNull, textOrNull, type Cell, type Db } from '#server/db/driver.ts';
import type { DownloadState, Validators } from './download.ts';
import type { FeedFormat } from './product-file.ts';

/** The download of a run that has not ended. */
export interface StoredDownload extends DownloadState {
  readonly run: number;
  /** Source of the run. */
  readonly source: string;
  /** The format of a file that was sent; null for a download. */
  readonly format: FeedFormat | null;
}

/** The file that was last read to its end. */
export interface SeenFile extends Validators {
  /** Epoch ms. */
  readonly readAt: number;
}

/** The amounts that a run had to read. */
export interface RunSize {
  /** Bytes of the file; null if it was not downloaded to its end. */
  readonly bytes: number | null;
  /** The time at which the file that the host still has was read, epoch ms; null unless that ended the run. */
  readonly unchangedSince: number | null;
}

/** A file of products that was sent. */
export interface SentFeed {
  readonly bytes: number;
  readonly format: FeedFormat;
}

/** Downloads of the feeds of catalogs. */
export interface DownloadTable {
  of(catalog: number): StoredDownload | null;
  /** Catalogs with a run that has not ended. */
  catalogs(): number[];
  begin(catalog: number, run: number, source: string): void;
  /** Begins a run of a file that was sent, and is complete on the disk. */
  beginFile(catalog: number, run: number, source: string, file: SentFeed): void;
  put(catalog: number, state: DownloadState): void;
  remove(catalog: number): void;
  seen(catalog: number): SeenFile | null;
  /** Stores what a run has read, unless it was to be forgotten since that run began. */
  see(catalog: number, file: SeenFile): void;
  /** Makes the next run read the file whatever the host says, because the catalog changed otherwise. */
  forget(catalog: number): void;
  putSize(run: number, size: RunSize): void;
  /** By run. */
  sizes(catalog: number): ReadonlyMap<number, RunSize>;
}

function downloadOf(row: readonly Cell[]): StoredDownload {
  const [run, source, bytes, total, etag, modified, charset, complete, format] = row;
  return {
    run: Number(run),
    source: String(source),
    bytes: Number(bytes),
    total: numberOrNull(total),
    etag: textOrNull(etag),
    modified: textOrNull(modified),
    charset: textOrNull(charset),
    complete: Number(complete) === 1,
    format: textOrNull(format) as FeedFormat | null,
  };
}

export function downloadTable(db: Db): DownloadTable {
  const of = db.prepare(
    'SELECT run, source, bytes, total, etag, modified, charset, is_complete, format FROM feed_download WHERE catalog = ?',
  );
  const catalogs = db.prepare('SELECT catalog FROM feed_download ORDER BY catalog');
  const begin = db.prepare(
    'INSERT OR REPLACE INTO feed_download (catalog, run, source) VALUES (?, ?, ?)',
  );
  const beginFile = db.prepare(
    'INSERT OR REPLACE INTO feed_download (catalog, run, source, bytes, total, is_complete, format) VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5)',
  );
  const put = db.prepare(
    'UPDATE feed_download SET (bytes, total, etag, modified, charset, is_complete) = (?, ?, ?, ?, ?, ?) WHERE catalog = ?',
  );
  const remove = db.prepare('DELETE FROM feed_download WHERE catalog = ?');
  const seen = db.prepare('SELECT etag, modified, read_at FROM feed_seen WHERE catalog = ?');
  const see = db.prepare(
    `INSERT OR REPLACE INTO feed_seen (catalog, etag, modified, read_at)
      SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS
        (SELECT 1 FROM feed_download WHERE catalog = ?1 AND is_outdated = 1)`,
  );
  const forget = db.prepare('DELETE FROM feed_seen WHERE catalog = ?');
  const outdate = db.prepare('UPDATE feed_download SET is_outdated = 1 WHERE catalog = ?');
  const putSize = db.prepare('UPDATE feed_run SET (bytes, unchanged_since) = (?, ?) WHERE id = ?');
  const sizes = db.prepare('SELECT id, bytes, unchanged_since FROM feed_run WHERE catalog = ?');
  return {
    of: (catalog) => {
      const row = of.get([catalog]);
      return row ? downloadOf(row) : null;
    },
    catalogs: () => catalogs.all().map(([catalog]) => Number(catalog)),
    begin: (catalog, run, source) =>
      void db.write('begin-download', () => begin.run([catalog, run, source])),
    beginFile: (catalog, run, source, { bytes, format }) =>
      void db.write('begin-file', () => beginFile.run([catalog, run, source, bytes, format])),
    put: (catalog, { bytes, total, etag, modified, charset, complete }) =>
      void db.write('download', () =>
        put.run([bytes, total, etag, modified, charset, complete ? 1 : 0, catalog]),
      ),
    remove: (catalog) => void db.write('end-download', () => remove.run([catalog])),
    seen: (catalog) => {
      const row = seen.get([catalog]);
      if (!row) return null;
      return { etag: textOrNull(row[0]), modified: textOrNull(row[1]), readAt: Number(row[2]) };
    },
    see: (catalog, { etag, modified, readAt }) =>
      void db.write('see', () => see.run([catalog, etag, modified, readAt])),
    forget: (catalog) =>
      void db.write('forget', () => {
        forget.run([catalog]);
        outdate.run([catalog]);
      }),
    putSize: (run, { bytes, unchangedSince }) =>
      void db.write('run-size', () => putSize.run([bytes, unchangedSince, run])),
    sizes: (catalog) =>
      new Map(
        sizes
          .all([catalog])
          .map(([id, bytes, since]) => [
            Number(id),
            { bytes: numberOrNull(bytes), unchangedSince: numberOrNull(since) },
          ]),
      ),
  };
}
