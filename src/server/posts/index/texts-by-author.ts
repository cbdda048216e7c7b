import type { Db } from '#server/db/driver.ts';
import { MEDIA_BIT } from '#server/posts/json/facts.ts';
import { SUPERSEDED, type PostRow } from '#server/posts/store/post-table.ts';

/** The whole text of a Post, with its id. */
export type WrittenText = Pick<PostRow, 'id' | 'text'>;

/** Returns an author's Posts with ids from `from` through `to`, ascending, without those edited since and those with media. */
export type WrittenBy = (authorId: string, from: bigint, to: bigint) => WrittenText[];

export function writtenTexts(db: Db): WrittenBy {
  const texts = db.prepare(
    `SELECT id, coalesce(json_extract(facts, '$.text'), text) FROM post
    WHERE id BETWEEN ? AND ? AND author_id = ? AND flags & ${SUPERSEDED | MEDIA_BIT} = 0 ORDER BY id`,
    'exact',
  );
  return (authorId, from, to) =>
    texts.all([from, to, authorId]).map(([id, text]) => ({ id: id as bigint, text: String(text) }));
}
