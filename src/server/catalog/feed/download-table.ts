import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import type { FeedFormat } from './product-file.ts';
import type { DownloadState } from './download-state.ts';

const DOWNLOAD = columns({
  run: column.number,
  /** Source of the run. */
  source: column.text,
  bytes: column.number,
  total: column.numberOrNull,
  etag: column.textOrNull,
  modified: column.textOrNull,
  charset: column.textOrNull,
  complete: column.named('is_complete', column.flag),
  /** The format of a file that was sent; null for a download. */
  format: column.wordOrNull<FeedFormat>(),
});

/** The download of a run that has not ended. */
export type StoredDownload = RowOf<typeof DOWNLOAD>;

const SEEN = columns({
  etag: column.textOrNull,
  modified: column.textOrNull,
  /** Epoch ms. */
  readAt: column.number,
});

/** The file that was last read to its end. */
export type SeenFile = RowOf<typeof SEEN>;

const SIZE = columns({
  /** Bytes of the file; null if it was not downloaded to its end. */
  bytes: column.numberOrNull,
  /** The time at which the file that the host still has was read, epoch ms; null unless that ended the run. */
  unchangedSince: column.numberOrNull,
});

/** The amounts that a run had to read. */
export type RunSize = RowOf<typeof SIZE>;

/** A file of products that was sent. */
export interface SentFeed {
  readonly bytes: number;
  readonly format: FeedFormat;
}

/** Downloads of the feeds of catalogs. */
export function downloadTable(db: Db) {
  const of = DOWNLOAD.select(db, 'feed_download WHERE catalog = ?');
  const catalogs = db.prepare('SELECT catalog FROM feed_download ORDER BY catalog');
  const begin = db.prepare(
    'INSERT OR REPLACE INTO feed_download (catalog, run, source) VALUES (?, ?, ?)',
  );
  const beginFile = db.prepare(
    'INSERT OR REPLACE INTO feed_download (catalog, run, source, bytes, total, is_complete, format) VALUES (?1, ?2, ?3, ?4, ?4, 1, ?5)',
  );
  const put = DOWNLOAD.update(
    db,
    'feed_download',
    ['bytes', 'total', 'etag', 'modified', 'charset', 'complete'],
    'catalog = ?',
  );
  const remove = db.prepare('DELETE FROM feed_download WHERE catalog = ?');
  const seen = SEEN.select(db, 'feed_seen WHERE catalog = ?');
  const see = db.prepare(
    `INSERT OR REPLACE INTO feed_seen (catalog, etag, modified, read_at)
      SELECT ?1, ?2, ?3, ?4 WHERE NOT EXISTS
        (SELECT 1 FROM feed_download WHERE catalog = ?1 AND is_outdated = 1)`,
  );
  const forget = db.prepare('DELETE FROM feed_seen WHERE catalog = ?');
  const outdate = db.prepare('UPDATE feed_download SET is_outdated = 1 WHERE catalog = ?');
  const putSize = SIZE.update(db, 'feed_run', ['bytes', 'unchangedSince'], 'id = ?');
  const sizes = db.prepare(`SELECT ${SIZE.names}, id FROM feed_run WHERE catalog = ?`);
  return {
    of: (catalog: number): StoredDownload | null => of.get([catalog]) ?? null,
    /** Catalogs with a run that has not ended. */
    catalogs: (): number[] => catalogs.all().map(([catalog]) => Number(catalog)),
    begin: (catalog: number, run: number, source: string): void =>
      void db.write('begin-download', () => begin.run([catalog, run, source])),
    /** Begins a run of a file that was sent, and is complete on the disk. */
    beginFile: (catalog: number, run: number, source: string, { bytes, format }: SentFeed): void =>
      void db.write('begin-file', () => beginFile.run([catalog, run, source, bytes, format])),
    put: (catalog: number, state: DownloadState): void =>
      void db.write('download', () => put(state, [catalog])),
    remove: (catalog: number): void => void db.write('end-download', () => remove.run([catalog])),
    seen: (catalog: number): SeenFile | null => seen.get([catalog]) ?? null,
    /** Stores what a run has read, unless it was to be forgotten since that run began. */
    see: (catalog: number, file: SeenFile): void =>
      void db.write('see', () => see.run([catalog, ...SEEN.values(file)])),
    /** Makes the next run read the file whatever the host says, because the catalog changed otherwise. */
    forget: (catalog: number): void =>
      void db.write('forget', () => {
        forget.run([catalog]);
        outdate.run([catalog]);
      }),
    putSize: (run: number, size: RunSize): void =>
      void db.write('run-size', () => putSize(size, [run])),
    /** By run. */
    sizes: (catalog: number): ReadonlyMap<number, RunSize> =>
      new Map(sizes.all([catalog]).map((row) => [Number(row.at(-1)), SIZE.read(row)])),
  };
}
