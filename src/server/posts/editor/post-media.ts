import { HOUR_MS } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { snowflake } from '#core/import/id.ts';
import { object } from '#core/import/json.ts';
import { MEDIA_BIT } from '#server/posts/json/facts.ts';
import { postTable, type PostRow } from '#server/posts/store/post-table.ts';

/**
 * The longest time between two Posts with the same uploaded medium: it may be used for a day, and an edit
 * takes it over for another hour.
 */
const SHARED_MS = 26 * HOUR_MS;

/** Keys of the media of a Post, and of the image that shows its video before it plays. */
function keysOf({ rest }: Pick<PostRow, 'rest'>): string[] {
  const fields = rest === null ? null : object(JSON.parse(rest));
  const keys = object(fields?.attachments)?.media_keys;
  const preview = object(fields?.media)?.preview_media_id;
  return [
    ...(Array.isArray(keys) ? keys.map(String) : []),
    ...(typeof preview === 'string' ? [`3_${preview}`] : []),
  ];
}

/** Uploaded media of Posts, over a connection that the caller closes. */
export function postMedia(db: Db) {
  const table = postTable(db);
  const other = db.prepare(
    `SELECT 1 FROM post WHERE id BETWEEN ? AND ? AND flags & ${MEDIA_BIT} <> 0
    AND (instr(rest, ?) > 0 OR instr(rest, ?) > 0) LIMIT 1`,
  );
  /** True if another Post has a medium or its preview. Keys and ids are quoted, so no text contains them by chance. */
  const isShared = (key: string, at: number): boolean => {
    const [from, to] = [snowflake(at - SHARED_MS, 0), snowflake(at + SHARED_MS, 0)];
    const id = key.slice(key.indexOf('_') + 1);
    return other.get([from, to, `"${key}"`, `"preview_media_id":"${id}"`]) !== undefined;
  };
  return {
    /**
     * Forgets the uploaded media of removed Posts, within the transaction that removes them.
     *
     * @returns The keys of media that no Post has any more. Imported media, whose files are elsewhere, stays.
     */
    release: (rows: readonly PostRow[]): string[] => {
      const released = new Map(rows.flatMap((row) => keysOf(row).map((key) => [key, row])));
      return [...released].flatMap(([key, { createdAt }]) => {
        const json = table.object('media', key);
        const isUploaded = json !== null && object(JSON.parse(json))?.hash !== undefined;
        if (!isUploaded || isShared(key, createdAt)) return [];
        table.removeObject('media', key);
        return [key];
      });
    },
  };
}
