import { column, columns, type RowOf } from '#server/db/columns.ts';
import { textOrNull, type Db } from '#server/db/driver.ts';
import type { Content, MediaFault } from './content.ts';
import type { MediaCategory } from '#contract/posts/media-requests.ts';
import type { MediaMetadata } from '#contract/posts/media-metadata.ts';

/** The state of an upload. `receiving` becomes `pending` where the file is checked later, else `succeeded`. */
export type MediaState = 'receiving' | 'pending' | 'in_progress' | 'succeeded' | 'failed';

const MEDIUM = columns({
  id: column.text,
  /** Id of the account that uploads it. */
  owner: column.text,
  /** Ids of further accounts that may use it. */
  owners: column.json<readonly string[]>(),
  category: column.word<MediaCategory>(),
  /** Size that the client announced, bytes; null if it did not. */
  total: column.numberOrNull,
  state: column.word<MediaState>(),
  /** Bytes; null until the upload is finalized. */
  size: column.numberOrNull,
  /** SHA-256 of the file in hexadecimal; null until the check succeeded. */
  hash: column.textOrNull,
  /** Null until the check succeeded. */
  content: column.jsonOrNull<Content>(),
  /** Null unless the check failed. */
  fault: column.jsonOrNull<MediaFault>(),
  metadata: column.json<MediaMetadata>(),
  /** Epoch ms. */
  expiresAt: column.number,
});

/** A medium as stored. */
export type StoredMedia = RowOf<typeof MEDIUM>;

const SEGMENT = columns({
  n: column.number,
  /** Name of its file. */
  file: column.text,
  /** Bytes. */
  size: column.number,
});

/** A part of an unfinished upload. */
export type UploadSegment = RowOf<typeof SEGMENT>;

/** Uploaded media and the segments of unfinished uploads. Changes are durable when a method returns. */
export type MediaTable = ReturnType<typeof mediaTable>;

export function mediaTable(db: Db) {
  const insert = db.prepare(
    `INSERT INTO media (${MEDIUM.names}, used) VALUES (${MEDIUM.places}, 0) ON CONFLICT DO NOTHING`,
  );
  const find = MEDIUM.select(db, 'media WHERE id = ?');
  const update = MEDIUM.update(
    db,
    'media',
    ['state', 'size', 'hash', 'content', 'fault', 'metadata', 'expiresAt'],
    'id = ?',
  );
  const unchecked = MEDIUM.select(
    db,
    "media WHERE state IN ('pending', 'in_progress') ORDER BY CAST(id AS INTEGER)",
  );
  const expired = MEDIUM.select(
    db,
    'media WHERE used = 0 AND expires_at < ? ORDER BY expires_at LIMIT ?',
  );
  const used = MEDIUM.select(db, 'media WHERE used = 1');
  const lasting = MEDIUM.select(db, 'media WHERE expires_at >= ?');
  const markUsed = db.prepare('UPDATE media SET used = 1 WHERE id = ?');
  const remove = db.prepare('DELETE FROM media WHERE id = ?');
  const hasFile = db.prepare('SELECT 1 FROM media WHERE hash = ? LIMIT 1');
  const segment = db.prepare('SELECT file FROM media_segment WHERE media = ? AND n = ?');
  const putSegment = db.prepare(
    `INSERT INTO media_segment (media, n, file, size) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET file = excluded.file, size = excluded.size`,
  );
  const segments = SEGMENT.select(db, 'media_segment WHERE media = ? ORDER BY n');
  const dropSegments = db.prepare('DELETE FROM media_segment WHERE media = ?');
  const segmentFiles = db.prepare('SELECT file FROM media_segment');
  return {
    /** False, without a change, if there is a medium with that id. */
    add: (media: StoredMedia): boolean =>
      db.write('media', () => insert.run(MEDIUM.values(media)) === 1),
    /** A medium by its id, whether or not it has expired. */
    find: (id: string): StoredMedia | undefined => find.get([id]),
    /** Replaces all that can change of a medium. With `done`, its segments are forgotten in the same transaction. */
    put: (media: StoredMedia, done?: 'done'): void =>
      db.write('media', () => {
        update(media, [media.id]);
        if (done) dropSegments.run([media.id]);
      }),
    /** Media whose check has not ended, oldest first. */
    unchecked: (): StoredMedia[] => unchecked.all(),
    /** At most `limit` media that expired before an instant (epoch ms) and are not marked as used. */
    expired: (before: number, limit: number): StoredMedia[] => expired.all([before, limit]),
    /** Media that are marked as used. */
    used: (): StoredMedia[] => used.all(),
    /** Media that do not expire before an instant (epoch ms). */
    lasting: (until: number): StoredMedia[] => lasting.all([until]),
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
    segments: (media: string): UploadSegment[] => segments.all([media]),
    /** The names of the files of all segments. */
    segmentFiles: (): string[] => segmentFiles.all().map(([file]) => String(file)),
  };
}
