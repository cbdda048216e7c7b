import { openDb } from '#server/db/driver.ts';
import { POSTS_1 } from '#server/migrations/posts-1.ts';
import { POSTS_2 } from '#server/migrations/posts-2.ts';

/**
 * Converts a file of Posts to the content of an earlier format.
 *
 * @param now - A file of this format without tombstones, facts, and chunks that do not count, which
 *   earlier formats lack.
 */
export function writeEarlier(now: string, old: string, format: 1 | 2): void {
  const db = openDb(old);
  db.exec(POSTS_1);
  if (format === 2) db.exec(POSTS_2);
  db.exec(`ATTACH '${now}' AS now`);
  db.exec(`
    INSERT INTO meta SELECT key, value FROM now.meta WHERE key IN ('store', 'revision', 'forgotten');
    INSERT INTO meta VALUES ('format', '${format}'), ('opened', '1');
    INSERT INTO post SELECT id, created_at, author_id, username, text, lang, flags, rest FROM now.post;
    INSERT INTO object SELECT * FROM now.object;
    INSERT INTO chunk SELECT c, n, t0, t1, id0, id1, NULL, times, ids FROM now.chunk;
    INSERT INTO posting SELECT c, term, list, spots FROM now.posting;
    INSERT INTO tail SELECT c, h, block FROM now.tail;
    INSERT INTO open_post SELECT n, id, created_at, terms FROM now.open_post;
    INSERT INTO change SELECT * FROM now.change;
  `);
  db.exec(`PRAGMA application_id = ${0x47537770}`);
  db.close();
}
