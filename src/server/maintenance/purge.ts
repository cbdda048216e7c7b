import { collectionTerm } from '#core/text/collection.ts';
import type { Db } from '#server/db/driver.ts';
import { andNot, listed, or } from '#server/index/ordinals.ts';
import { answerTable } from '#server/posts/json/answers.ts';
import { chunkTable, type PostPlace } from '#server/posts/index/chunks.ts';
import { collectionTable, RESTORABLE_MS } from '#server/posts/store/collections.ts';
import { coverageTable } from '#server/posts/store/coverage.ts';
import { openPostTable } from '#server/posts/editor/open-posts.ts';
import { postTable } from '#server/posts/store/post-table.ts';
import { revisions } from '#server/posts/store/revision.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import { versionTable } from '#server/posts/store/versions.ts';

/** Posts deleted in one transaction, which takes some tens of milliseconds. */
const POSTS_PURGED = 1000;

/** A Post and where it is indexed. */
interface Found {
  readonly id: bigint;
  readonly place: PostPlace;
}

/**
 * Deletes the Posts of collections that were removed too long ago to be restored. A Post that is in another collection stays.
 * No count changes: the Posts did not count any more.
 *
 * It may be abandoned at any yield; the next run continues.
 *
 * @param now - Epoch ms.
 * @throws {@link StoreError} if the file cannot be read or written.
 */
export function* purgeCollections(db: Db, now: number): Generator<void> {
  const table = collectionTable(db);
  const coverage = coverageTable(db);
  const posts = postTable(db);
  const chunks = chunkTable(db);
  const open = openPostTable(db);
  const tombstones = tombstoneTable(db);
  const revision = revisions(db);
  const versions = versionTable(db);
  const answers = answerTable(db);

  /** Some Posts that are in a collection and in none of the others. */
  const inOnly = (id: number, others: readonly number[]): Found[] => {
    for (const c of chunks.live()) {
      const chunk = chunks.read(c);
      const list = chunk.list(collectionTerm(id));
      if (list.length === 0) continue;
      const elsewhere = or([
        chunk.dead,
        ...others.map((other) => chunk.list(collectionTerm(other))),
      ]);
      const found = listed(andNot(list, elsewhere)).subarray(0, POSTS_PURGED);
      if (found.length === 0) continue;
      const ids = chunk.ids();
      return Array.from(found, (o) => ({ id: ids[o]!, place: { c, o } }));
    }
    const dead = new Set(tombstones.of(0));
    return open
      .after(0)
      .filter(
        ({ n, terms: { flags } }) =>
          !dead.has(n) &&
          flags.includes(collectionTerm(id)) &&
          !others.some((other) => flags.includes(collectionTerm(other))),
      )
      .slice(0, POSTS_PURGED)
      .map(({ n, id }) => ({ id, place: { c: 0, o: n } }));
  };
  const purge = (found: readonly Found[]): void => {
    const raised = revision.raise([]);
    for (const { id, place } of found) {
      tombstones.add(place, raised);
      for (const version of versions.of(id)) {
        posts.remove(version);
        answers.remove(version);
      }
      versions.remove(id);
    }
  };

  const removed = table
    .all()
    .filter(({ removedAt }) => removedAt !== null && removedAt <= now - RESTORABLE_MS);
  for (const { id } of removed) {
    for (let more = true; more;) {
      more = db.write('purge', () => {
        const all = table.all();
        // Restored meanwhile, or dropped.
        if (!all.some((each) => each.id === id && each.removedAt !== null)) return false;
        const others = all.map((each) => each.id).filter((other) => other !== id);
        const found = inOnly(id, others);
        if (found.length > 0) purge(found);
        else {
          table.drop(id);
          coverage.drop(id);
          revision.raise([]);
        }
        return found.length > 0;
      });
      yield;
    }
  }
}
