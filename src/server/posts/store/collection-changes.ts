import { union } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { CollectionError, collectionTable, POSTED_HERE, type Collection } from './collections.ts';
import { coverageChange, coverageTable } from './coverage.ts';
import { revisions } from './revision.ts';

/**
 * Changes of collections, each one transaction or part of a surrounding one. Every one reports that counts may have changed
 * wherever the collection ever had Posts, or covers the time.
 *
 * Over a connection that the caller closes.
 */
export function collectionChanges(db: Db) {
  const table = collectionTable(db);
  const revision = revisions(db);
  const coverage = coverageTable(db);
  const change = (id: number, isRemoved: boolean, work: (collection: Collection) => void): void =>
    db.write('collection', () => {
      const found = table.all().find((collection) => collection.id === id);
      if (!found || (found.removedAt !== null) !== isRemoved) {
        throw new CollectionError(
          isRemoved
            ? `The collection ${id} can no longer be restored.`
            : `There is no collection ${id}.`,
        );
      }
      work(found);
      revision.raise(union([found.span, ...coverageChange([], coverage.of(id))]));
    });
  return {
    /** @throws {@link CollectionError} if there is none, or another one has the name. */
    renameCollection: (id: number, name: string): void =>
      change(id, false, () => table.rename(id, name)),
    /** Lets the Posts of a collection count, or not. @throws {@link CollectionError} if there is none. */
    includeCollection: (id: number, included: boolean): void =>
      change(id, false, () => table.include(id, included)),
    /**
     * Removes a collection. Its Posts remain until `RESTORABLE_MS` have passed, but do not count.
     *
     * @param at - Epoch ms.
     * @throws {@link CollectionError} if there is none, or it is that of Posts made here.
     */
    removeCollection: (id: number, at: number): void =>
      change(id, false, ({ name }) => {
        if (id === POSTED_HERE) {
          throw new CollectionError(
            `“${name}” has the Posts that were made here and cannot be removed; switch it out instead.`,
          );
        }
        table.remove(id, at);
      }),
    /** Undoes a removal. @throws {@link CollectionError} if the Posts are gone. */
    restoreCollection: (id: number): void => change(id, true, () => table.restore(id)),
  };
}
