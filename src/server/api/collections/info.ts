import type { CollectionInfo, RemovedCollection } from '#contract/posts/collections.ts';
import { formatInstant } from '#contract/instant.ts';
import { POSTED_HERE, RESTORABLE_MS, type Collection } from '#server/posts/store/collections.ts';
import type { FilledCollection } from '#server/posts/store/source-collections.ts';

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

/** Removed collections that can still be restored, the last removed first. */
export function removedInfos(removed: readonly Collection[], now: number): RemovedCollection[] {
  return removed
    .flatMap(({ id, name, removedAt }) =>
      removedAt === null ? [] : { id: String(id), name, until: removedAt + RESTORABLE_MS },
    )
    .filter(({ until }) => until > now)
    .sort((a, b) => b.until - a.until)
    .map(({ id, name, until }) => ({ id, name, restorable_until: formatInstant(until) }));
}
