import type { Db } from '#server/db/driver.ts';
import { changesOver, makeChanges, type PostChange, type Results } from './changes.ts';
import { groupedWrites, type GroupedWrites } from './grouped-writes.ts';
import { postTable, type PostRow } from '#server/posts/store/post-table.ts';
import { writtenTexts, type WrittenText } from '#server/posts/index/texts-by-author.ts';

/**
 * Changes Your posts, and finds single Posts. All methods reject with {@link StoreError} if the file cannot be read or
 * written.
 */
export interface PostEditor {
  /**
   * Makes changes in one transaction: all of them or, if one fails, none. They are durable when the promise resolves,
   * and count from the next refresh of the source on.
   *
   * @returns The result of each change. Rejects with what the failed one throws, such as {@link PostExistsError}.
   */
  write<const T extends readonly PostChange[]>(...changes: T): Promise<Results<T>>;
  find(id: bigint): Promise<PostRow | null>;
  /** See `WrittenBy`. */
  writtenBy(authorId: string, from: bigint, to: bigint): Promise<WrittenText[]>;
}

/**
 * An editor that runs on this thread, over a connection that the caller closes. Calls take effect in their order.
 *
 * @param now - Epoch ms.
 * @param writes - Makes the writes; by default each at once.
 */
export function editorOver(
  db: Db,
  now: () => number,
  writes: GroupedWrites = groupedWrites(db, (task) => task()),
): PostEditor {
  const over = changesOver(db, now);
  const table = postTable(db);
  const written = writtenTexts(db);
  return {
    write: (...changes) => writes.add(() => makeChanges(db, over, changes)),
    find: async (id) => {
      writes.flush();
      return table.get(id);
    },
    writtenBy: async (authorId, from, to) => {
      writes.flush();
      return written(authorId, from, to);
    },
  };
}
