import type { Span } from '#core/time/span.ts';
import { collectionsOf, type NewPost } from '#server/posts/store/post-table.ts';
import { extended, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import type { Collections, OpenCollection } from './collections.ts';
import { GONE, type StoredVersion } from './post-row.ts';
import type { ClusterReader } from './reader.ts';
import type { AddedPost, ChangeBatch } from './change-rows.ts';

/**
 * Makes the changes that add imported Posts to a cluster.
 *
 * @param collection - The collection of the Posts; undefined for none.
 */
export function importChanges(collection: OpenCollection | undefined) {
  let overtaken = 0;
  const belongs = collection ? [collection.id] : [];

  /** The changes that add Posts, and put others into the collection. */
  const changesOf = (
    added: readonly AddedPost[],
    versions: readonly StoredVersion[],
    read: readonly Span[],
  ): ChangeBatch => {
    if (!collection) {
      const cover = (before: Collections): Collections => ({
        ...before,
        covered: extended(before.covered, NO_COLLECTION, read),
      });
      return { added, collections: cover };
    }
    const joined = versions.map((version) => ({ version, collection: collection.id }));
    const instants = [
      ...added.map(({ post }) => post.createdAt),
      ...versions.map(({ row }) => row.createdAt),
    ];
    if (instants.length === 0) return { added };
    return { added, joined, collections: collection.extended(added.length, instants, read) };
  };

  const newPost = (post: NewPost): AddedPost => ({ post, collections: belongs, generation: 0 });

  /** The changes for Posts of which some exist, by `ids` that may: those are put into the collection instead. */
  const ofMixed = async (
    reader: ClusterReader,
    batch: readonly NewPost[],
    ids: readonly bigint[],
    read: readonly Span[],
  ): Promise<ChangeBatch> => {
    const known = new Map((await reader.states(ids)).map((each) => [each.id, each]));
    const isThere = (id: bigint): boolean => (known.get(id)?.state ?? GONE) !== GONE;
    const added = batch
      .filter(({ id }) => !isThere(id))
      .map((post): AddedPost => {
        const before = known.get(post.id);
        return before ? { ...newPost(post), generation: before.generation + 1 } : newPost(post);
      });
    overtaken += batch.length - added.length;
    const joining = [...known.values()].filter(
      ({ id, collections }) =>
        collection && isThere(id) && !collectionsOf({ collections }).includes(collection.id),
    );
    return changesOf(added, await reader.versions(joining.map(({ id }) => id)), read);
  };

  return {
    /** Posts of {@link ofMixed} that turned out to exist. */
    get overtaken() {
      return overtaken;
    },
    /** The changes for Posts that do not exist. */
    ofNew: (batch: readonly NewPost[], read: readonly Span[]): ChangeBatch =>
      changesOf(batch.map(newPost), [], read),
    ofMixed,
  };
}
