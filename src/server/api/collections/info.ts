import type { CollectionInfo } from '#contract/collections.ts';
import { formatInstant } from '#contract/instant.ts';
import { POSTED_HERE } from '#server/posts/collections.ts';
import type { FilledCollection } from '#server/posts/source-collections.ts';

const shown = (instant: number | null): string | null =>
  instant === null ? null : formatInstant(instant);

/** Collections as they are listed; those that every store has are left out while they have no Post. */
export function collectionInfos(collections: readonly FilledCollection[]): CollectionInfo[] {
  return collections
    .filter(({ posts, source }) => posts > 0 || source !== null)
    .map(
      ({ id, name, source, kind, importedAt, read, added, posts, firstAt, lastAt, included }) => ({
        id: String(id),
        name,
        source,
        kind,
        imported_at: shown(importedAt),
        read,
        added,
        posts,
        first: shown(firstAt),
        last: shown(lastAt),
        included,
        removable: id !== POSTED_HERE,
      }),
    );
}
