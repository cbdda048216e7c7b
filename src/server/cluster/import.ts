import type { ImportWriter } from '#server/import/import-writer.ts';
import type { ImportTarget } from '#server/posts/editor/collection-import.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import { FileSpans } from '#server/posts/store/file-spans.ts';
import { openedCollection } from './collections.ts';
import { ClusterError } from './error.ts';
import type { ClusterWriter } from './writer.ts';
import { importChanges } from './import-changes.ts';

/** Posts of a batch, and the most characters in their texts: a batch is one insert on each shard. */
const BATCH_POSTS = 65_536;
const BATCH_CHARACTERS = 48 * 1024 * 1024;
/** Batches that are written at once. */
const AT_ONCE = 2;
/** Objects that wait for a batch. */
const MOST_OBJECTS = 65_536;

function charactersOf({ text, rest, facts }: NewPost): number {
  return text.length + (rest?.length ?? 0) + (facts?.length ?? 0);
}

/**
 * Adds Posts of files to a cluster, each once by its id. What is committed when it fails counts; importing again adds the
 * rest.
 *
 * @param into - The collection of the Posts; none by default.
 * @throws {@link CollectionError} if there are too many collections.
 */
export function clusterImport(writer: ClusterWriter, into?: ImportTarget): ImportWriter {
  const collection = into && openedCollection(writer.state, into, () => writer.nextCollection());
  const changes = importChanges(collection);
  const adding = writer.enter();
  let posts: NewPost[] = [];
  let objects: StoredObject[] = [];
  let characters = 0;
  /** Ids of Posts that are not committed yet. */
  const waiting = new Set<bigint>();
  /** The highest id of all Posts so far: a higher one is new. */
  let highest = writer.state.highest === null ? -1n : BigInt(writer.state.highest);
  const unknown = new Set<bigint>();
  const files = new FileSpans();
  const writing = new Set<Promise<void>>();
  let failed: unknown = null;

  /** Ids of a batch that may exist. */
  const mayExist = (batch: readonly NewPost[], ids: readonly bigint[]): readonly bigint[] => {
    if (adding.isOnly) return ids;
    // Others may have added any id up to the highest one.
    const top = writer.state.highest === null ? -1n : BigInt(writer.state.highest);
    return batch.flatMap(({ id }) => (id <= top ? [id] : []));
  };

  const flush = async (): Promise<void> => {
    if (posts.length + objects.length === 0) return;
    const [batch, refers, ids, read] = [posts, objects, [...unknown], files.spans()];
    posts = [];
    objects = [];
    characters = 0;
    unknown.clear();
    while (writing.size >= AT_ONCE) await Promise.race(writing);
    if (failed !== null) throw failed;
    // Without a pause after the check, so that no one else adds Posts in between.
    const isNew = ids.length === 0 && adding.isOnly;
    const work = (
      isNew
        ? writer.write({ ...changes.ofNew(batch, read), objects: refers })
        : writer.alone(async () => {
            const known = mayExist(batch, ids);
            const made = await changes.ofMixed(writer.reader(), batch, known, read);
            await writer.write({ ...made, objects: refers });
          })
    )
      .catch((error: unknown) => {
        failed ??= error;
      })
      .finally(() => {
        writing.delete(work);
        for (const { id } of batch) waiting.delete(id);
      });
    writing.add(work);
  };

  const settle = async (): Promise<void> => {
    await Promise.all(writing);
    if (failed !== null) throw failed;
  };

  return {
    get overtaken() {
      return changes.overtaken;
    },
    add: async (more, file) => {
      let added = 0;
      for (const post of more) {
        files.add(file, post.createdAt);
        if (waiting.has(post.id)) continue;
        added++;
        waiting.add(post.id);
        if (post.id > highest) highest = post.id;
        else unknown.add(post.id);
        posts.push(post);
        characters += charactersOf(post);
        if (posts.length >= BATCH_POSTS || characters > BATCH_CHARACTERS) await flush();
      }
      return { added, already: more.length - added };
    },
    putObjects: async (more) => {
      objects.push(...more);
      if (objects.length >= MOST_OBJECTS) await flush();
    },
    putRelations: () => {
      throw new ClusterError(
        'unsupported',
        'These files hold relations (likes, follows, lists), which a ClickHouse cluster does not store. Import files of Posts.',
      );
    },
    finish: async (end) => {
      await flush();
      await settle();
      if (!collection) return null;
      const finished = end && collection.finished(end, files.spans());
      if (finished) await writer.write({ collections: finished });
      return collection.info();
    },
    close: async () => {
      await Promise.all(writing);
      adding.leave();
    },
  };
}
