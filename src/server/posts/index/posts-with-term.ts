import { ALL_TIME } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { newest } from '#server/index/top-newest.ts';
import { openPostTable } from '#server/posts/editor/open-posts.ts';
import { chunkTable } from './chunks.ts';

/**
 * Finds the ids of the Posts that count and have a term that is no word, for writers, whose threads have no index in
 * memory.
 *
 * @throws {@link StoreError} `index-damaged` if what it reads of the index differs from what was written.
 */
export function postsWithTerm(db: Db): (term: string) => bigint[] {
  const chunks = chunkTable(db);
  const open = openPostTable(db);
  return (term) => {
    const sealed = chunks.counting().map((c) => chunks.read(c));
    const hits = newest(sealed, { kind: 'term', term }, ALL_TIME, Infinity);
    return [...hits.map(({ id }) => id), ...open.idsWith(term)];
  };
}
