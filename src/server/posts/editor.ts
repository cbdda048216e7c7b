import type { Db } from '#server/db/driver.ts';
import type { PostRow } from './post-table.ts';
import { writtenTexts } from './texts-by-author.ts';
import type { WrittenText } from './texts-by-author.ts';
import { postChanges } from './writer.ts';
import type { NewPost } from './writer.ts';

/**
 * Creates, finds and removes single Posts. A change is durable when its promise resolves, and counts
 * from the next refresh of the source on. All methods reject with {@link StoreError} if the file cannot
 * be read or written.
 */
export interface PostEditor {
  /** Rejects with {@link PostExistsError} if there is a Post with that id. */
  create(post: NewPost): Promise<void>;
  /** Removes a Post; false if there is none. */
  remove(id: bigint): Promise<boolean>;
  find(id: bigint): Promise<PostRow | null>;
  /** See `WrittenBy`. */
  writtenBy(authorId: string, from: bigint, to: bigint): Promise<WrittenText[]>;
}

/** An editor that runs on this thread, over a connection that the caller closes. */
export function editorOver(db: Db): PostEditor {
  const changes = postChanges(db);
  const written = writtenTexts(db);
  return {
    create: async (post) => changes.create(post),
    remove: async (id) => changes.remove(id),
    find: async (id) => changes.find(id),
    writtenBy: async (authorId, from, to) => written(authorId, from, to),
  };
}
