import type { Condition } from '#core/query/ast.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { Chunk } from '#server/index/chunk.ts';
import { extent } from '#server/index/counting.ts';
import { newest, type Hit } from '#server/index/top-newest.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';

/** Posts of a term that are read at once: nearly always the first one is by the author. */
const NEWEST_READ = 4;

/** The newest Post of a user. The term of an id also finds the Posts of a user whose username is that number. */
export function newestBy(
  chunks: readonly Chunk[],
  author: bigint,
  rows: (ids: readonly bigint[]) => readonly PostRow[],
): bigint | null {
  const { first, last } = extent(chunks);
  if (first === null || last === null) return null;
  const span = { start: first, end: last + SECOND_MS };
  const by: Condition = { kind: 'term', term: `from:${author}` };
  let after: Hit | undefined;
  for (;;) {
    const hits = newest(chunks, by, span, NEWEST_READ, after && { after });
    const authors = new Map(rows(hits.map(({ id }) => id)).map((row) => [row.id, row.authorId]));
    const found = hits.find(({ id }) => authors.get(id) === String(author));
    if (found) return found.id;
    after = hits.at(-1);
    if (!after) return null;
  }
}
