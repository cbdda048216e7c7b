import type { ImportedInto, ImportEnd } from '#server/posts/editor/collection-import.ts';
import type { ImportedRelation } from '#server/posts/store/imported-relations.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';

type Awaitable<T> = T | Promise<T>;

/** The place to which an import writes Posts: a file (`PostWriter`, whose promises these are) or a cluster. */
export interface ImportWriter {
  /** @param file - The file that they are from. */
  add(posts: readonly NewPost[], file: string): Awaitable<{ added: number; already: number }>;
  putObjects(objects: readonly StoredObject[]): Awaitable<void>;
  putRelations(relations: readonly ImportedRelation[]): Awaitable<void>;
  /** Posts reported as new that turned out to exist. */
  readonly overtaken: number;
  finish(end?: ImportEnd): Awaitable<ImportedInto | null>;
  close(): Awaitable<void>;
}
