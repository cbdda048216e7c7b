import type { MediaCategory, MediaMetadata } from '#contract/posts/media.ts';
import { numberOrNull, textOrNull, type Cell, type Db } from '#server/db/driver.ts';
import type { Content, MediaFault } from './content.ts';

/** The state of an upload. `receiving` becomes `pending` where the file is checked later, else `succeeded`. */
export type MediaState = 'receiving' | 'pending' | 'in_progress' | 'succeeded' | 'failed';

/** A medium as stored. */
export interface StoredMedia {
  readonly id: string;
  /** Id of the account that uploads it. */
  readonly owner: string;
  /** Ids of further accounts that may use it. */
  readonly owners: readonly string[];
  readonly category: MediaCategory;
  /** Size that the client announced, bytes; null if it did not. */
  readonly total: number | null;
  readonly state: MediaState;
  /** Bytes; null until the upload is finalized. */
  readonly size: number | null;
  /** SHA-256 of the file in hexadecimal; null until the check succeeded. */
  readonly hash: string | null;
  /** Null until the check succeeded. */
  readonly content: Content | null;
  /** Null unless the check failed. */
  readonly fault: MediaFault | null;
  readonly metadata: MediaMetadata;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** A part of an unfinished upload. */
export interface UploadSegment {
  readonly n: number;
  /** Name of its file. */
  readonly file: string;
  /** Bytes. */
  readonly size: number;
}

/** Uploaded media and the segments of unfinished uploads. Changes are durable when a method returns. */
export type MediaTable = ReturnType<typeof mediaTable>;

const COLUMNS =
  'id, owner, owners, category, total, state, size, hash, content, fault, metadata, expires_at';

function jsonOf<T>(cell: Cell | undefined): T | null {
  return typeof cell === 'string' ? (JSON.parse(cell) as T) : null;
}

function mediaOf(row: readonly Cell[]): StoredMedia {
  const [id, owner, owners, category, total, state, size, hash, content, fault, metadata, expires] =
    row;
  return {
    id: String(id),
    owner: String(owner),
    owners: jsonOf<string[]>(owners) ?? [],
    category: String(category) as MediaCategory,
    total: numberOrNull(total),
    state: String(state) as MediaState,
    size: numberOrNull(size),
    hash: textOrNull(hash),
    content: jsonOf<Content>(content),
    fault: jsonOf<MediaFault>(fault),
    metadata: jsonOf<MediaMetadata>(metadata) ?? {},
    expiresAt: Number(expires),
  };
}

export function mediaTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO media (${COLUMNS}, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING`,
  );
  const find = db.prepare(`SELECT ${COLUMNS} FROM media WHERE id = ?`);
  const update = db.prepare(
    'UPDATE media SET state = ?, size = ?, hash = ?, content = ?, fault = ?, metadata = ?, expires_at = ? WHERE id = ?',
  );
  const unchecked = db.prepare(
    `SELECT ${COLUMNS} FROM media WHERE state IN ('pending', 'in_progress') ORDER BY CAST(id AS INTEGER)`,
  );
  const expired = db.prepare(
    `SELECT ${COLUMNS} FROM media WHERE used = 0 AND expires_at < ? ORDER BY expires_at LIMIT ?`,
  );
  const used = db.prepare(`SELECT ${COLUMNS} FROM media WHERE used = 1`);
  const lasting = db.prepare(`SELECT ${COLUMNS} FROM media WHERE expires_at >= ?`);
  const markUsed = db.prepare('UPDATE media SET used = 1 WHERE id = ?');
  const remove = db.prepare('DELETE FROM media WHERE id = ?');
  const hasFile = db.prepare('SELECT 1 FROM media WHERE hash = ? LIMIT 1');
  const segment = db.prepare('SELECT file FROM media_segment WHERE media = ? AND n = ?');
  const putSegment = db.prepare(
    `INSERT INTO media_segment (media, n, file, size) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET file = excluded.file, size = excluded.size`,
  );
  const segments = db.prepare('SELECT n, file, size FROM media_segment WHERE media = ? ORDER BY n');
  const dropSegments = db.prepare('DELETE FROM media_segment WHERE media = ?');
  const segmentFiles = db.prepare('SELECT file FROM media_segment');
  const json = (value: object | null): string | null =>
    value === null ? null : JSON.stringify(value);
  return {
    /** False, without a change, if there is a medium with that id. */
    add: (media: StoredMedia): boolean => {
      const { id, owner, owners, category, total, state, size, hash } = media;
      const values = [id, owner, JSON.stringify(owners), category, total, state, size, hash];
      const parts = [json(media.content), json(media.fault), JSON.stringify(media.metadata)];
      return db.write('media', () => insert.run([...values, ...parts, media.expiresAt]) === 1);
    },
    /** A medium by its id, whether or not it has expired. */
    find: (id: string): StoredMedia | undefined => {
      const row = find.get([id]);
      return row && mediaOf(row);
    },
    /** Replaces all that can change of a medium. With `done`, its segments are forgotten in the same transaction. */
    put: (
      { id, state, size, hash, content, fault, metadata, expiresAt }: StoredMedia,
      done?: 'done',
    ): void =>
      db.write('media', () => {
        const parts = [json(content), json(fault), JSON.stringify(metadata)];
        update.run([state, size, hash, ...parts, expiresAt, id]);
        if (done) dropSegments.run([id]);
      }),
    /** Media whose check has not ended, oldest first. */
    unchecked: (): StoredMedia[] => unchecked.all().map(mediaOf),
    /** At most `limit` media that expired before an instant (epoch ms) and are not marked as used. */
    expired: (before: number, limit: number): StoredMedia[] =>
      expired.all([before, limit]).map(mediaOf),
    /** Media that are marked as used. */
    used: (): StoredMedia[] => used.all().map(mediaOf),
    /** Media that do not expire before an instant (epoch ms). */
    lasting: (until: number): StoredMedia[] => lasting.all([until]).map(mediaOf),
    /** Marks a medium as used by a Post, so that it does not expire. */
    markUsed: (id: string): void => void db.write('media', () => markUsed.run([id])),
    /** Removes a medium and its segments. */
    remove: (id: string): void =>
      db.write('remove-media', () => {
        dropSegments.run([id]);
        remove.run([id]);
      }),
    /** True if a medium has the file of a hash. */
    hasFile: (hash: string): boolean => hasFile.get([hash]) !== undefined,
    /** Adds or replaces a segment. Returns the name of the file that it replaces. */
    putSegment: (media: string, { n, file, size }: UploadSegment): string | null =>
      db.write('segment', () => {
        const replaced = textOrNull(segment.get([media, n])?.[0]);
        putSegment.run([media, n, file, size]);
        return replaced;
      }),
    /** The segments of an upload, by number. */
    segments: (media: string): UploadSegment[] =>
      segments
        .all([media])
        .map(([n, file, size]) => ({ n: Number(n), file: String(file), size: Number(size) })),
    /** The names of the files of all segments. */
    segmentFiles: (): string[] => segmentFiles.all().map(([file]) => String(file)),
  };
}
