import { collectionsOf, SUPERSEDED, type NewPost } from '#server/posts/store/post-table.ts';
import type { AnsweredPost } from '#server/posts/json/answers.ts';
import type { PostChange, Results } from '#server/posts/editor/changes.ts';
import { POSTED_HERE } from '#server/posts/store/collections.ts';
import { NO_COLLECTION } from '#server/posts/store/coverage.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { MEDIA_BIT, wholeText } from '#server/posts/json/facts.ts';
import { removedPost, type RemovedPosts } from '#server/posts/store/version-changes.ts';
import type { CreatedIn } from './collections.ts';
import { answerTerm } from './columns.ts';
import { type ClusterError, unsupportedError } from './error.ts';
import { COUNTED, GONE, type StoredVersion } from './post-row.ts';
import type { ClusterStore } from './store.ts';
import type { ClusterWriter } from './writer.ts';
import { PostExistsError } from '#server/posts/editor/post-changes.ts';

/** Names, for messages, of the changes that a cluster does not support. */
const UNSUPPORTED: Partial<Record<PostChange['what'], string>> = {
  putObjects: 'polls and media',
  relate: 'likes, follows and other relations',
  unrelate: 'likes, follows and other relations',
  repost: 'reposts made here',
  unrepost: 'reposts made here',
  community: 'communities',
};

/** Changes that have nothing to do with the cluster: they stay in the data folder. */
const LOCAL: ReadonlySet<PostChange['what']> = new Set([
  'charge',
  'prune',
  'append',
  'moveIn',
  'noteHandles',
]);

/** Changes that the cluster stores. */
const SUPPORTED: ReadonlySet<PostChange['what']> = new Set([
  'create',
  'edit',
  'remove',
  'answer',
  'noteProtected',
]);

function unsupported(what: PostChange['what']): ClusterError {
  return unsupportedError(UNSUPPORTED[what] ?? `changes of the kind ${what}`);
}

/** The Posts to which those of one request refer, as terms. */
function answersIn(changes: readonly PostChange[], post: NewPost): string[] {
  return changes.flatMap((change) => {
    if (change.what !== 'answer') return [];
    const [id, author, answers] = change.of as [bigint, string, readonly AnsweredPost[]];
    if (id !== post.id) return [];
    return answers.map(({ kind, target }) => answerTerm(kind, target, author));
  });
}

/** A created Post in each of its collections. */
function createdIn(
  collections: readonly number[],
  { id, createdAt }: Pick<NewPost, 'id' | 'createdAt'>,
): CreatedIn[] {
  const all = collections.length === 0 ? [NO_COLLECTION] : collections;
  return all.map((collection) => ({ collection, id: String(id), createdAt }));
}

/** Changes single Posts of a cluster, one request after another. */
class ClusterEditor {
  readonly #writer: ClusterWriter;

  constructor(writer: ClusterWriter) {
    this.#writer = writer;
  }

  async #version(id: bigint): Promise<StoredVersion | null> {
    const [found] = await this.#writer.reader().versions([id]);
    return found ?? null;
  }

  /** The generation of a new Post. @throws {@link PostExistsError} if there is one with its id. */
  async #generation({ id }: NewPost): Promise<number> {
    const before = await this.#version(id);
    if (!before) return 0;
    if (before.state !== GONE) throw new PostExistsError(`a Post with the id ${id} exists already`);
    return before.generation + 1;
  }

  async create(post: NewPost, answers: readonly string[]): Promise<void> {
    const generation = await this.#generation(post);
    const added = [{ post, collections: [POSTED_HERE], generation, answers }];
    await this.#writer.write({ added, created: createdIn([POSTED_HERE], post) });
  }

  /** As of `ProtectionChanges`. */
  async noteProtected(sum: number): Promise<void> {
    if (this.#writer.state.protected !== sum) await this.#writer.write({ protected: sum });
  }

  /** As of `VersionChanges`. */
  async edit(previous: bigint, post: NewPost): Promise<boolean> {
    const version = await this.#version(previous);
    if (version?.state !== COUNTED) return false;
    const generation = await this.#generation(post);
    const { versions, answers, row } = version;
    const by = [...versions, post.id];
    const older = await this.#writer.reader().versions(versions.slice(0, -1));
    await this.#writer.write({
      added: [{ post, collections: collectionsOf(row), generation, versions: by, answers }],
      replaced: [...older, version]
        .filter(({ state }) => state !== GONE)
        .map((each) => ({ ...each, by })),
      created: createdIn(collectionsOf(row), post),
    });
    return true;
  }

  /** As of `VersionChanges`. */
  async remove(id: bigint): Promise<RemovedPosts> {
    const version = await this.#version(id);
    if (!version || version.state === GONE) return { posts: [], isWhole: true, media: [] };
    const reader = this.#writer.reader();
    const reposts = await Promise.all(
      version.versions.map((each) => reader.idsWith(`retweets_of_tweet_id:${each}`, {})),
    );
    const all = await reader.versions([...version.versions, ...reposts.flat()]);
    const removed = all
      .filter(({ state }) => state !== GONE)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    await this.#writer.write({ removed });
    return { posts: removed.map(({ row }) => removedPost(row)), isWhole: true, media: [] };
  }
}

/** Refuses a request whose changes a cluster does not store, before any of them is made. */
function checkSupported(changes: readonly PostChange[]): void {
  for (const { what, of } of changes) {
    if (LOCAL.has(what) || SUPPORTED.has(what)) continue;
    const [first] = of as readonly unknown[];
    if (what === 'putObjects' && Array.isArray(first) && first.length === 0) continue;
    throw unsupported(what);
  }
}

/**
 * An editor of Your posts in a cluster. What is no Post, such as charges, goes into the data folder, after the Posts.
 *
 * @param open - Gives the writer; called again after it failed.
 */
export function clusterEditor(
  store: ClusterStore,
  open: () => Promise<ClusterWriter>,
  local: PostEditor,
): PostEditor {
  const make = async (
    changes: readonly PostChange[],
    writer: ClusterWriter,
  ): Promise<unknown[]> => {
    const editor = new ClusterEditor(writer);
    const results: unknown[] = [];
    const rest: PostChange[] = [];
    let refused = false;
    for (const change of changes) {
      let result: unknown;
      if (change.what === 'create') {
        await editor.create(change.of[0], answersIn(changes, change.of[0]));
      } else if (change.what === 'edit') {
        result = await editor.edit(...change.of);
        refused ||= result === false;
      } else if (change.what === 'noteProtected') {
        await editor.noteProtected(...change.of);
      } else if (change.what === 'remove') {
        const removed = await editor.remove(...change.of);
        result = removed;
        refused ||= removed.posts.length === 0;
      } else if (LOCAL.has(change.what) && !(refused && change.what === 'charge'))
        rest.push(change);
      results.push(result);
    }
    if (rest.length > 0) await local.write(...rest);
    return results;
  };
  return {
    write: async <const T extends readonly PostChange[]>(...changes: T): Promise<Results<T>> => {
      checkSupported(changes);
      if (changes.every(({ what }) => LOCAL.has(what))) return await local.write(...changes);
      const writer = await open();
      const adding = writer.enter();
      try {
        return (await writer.alone(() => make(changes, writer))) as unknown as Results<T>;
      } finally {
        adding.leave();
      }
    },
    find: async (id) => {
      const [found] = await store.reader(await store.state()).versions([id]);
      return found && found.state !== GONE ? found.row : null;
    },
    writtenBy: async (authorId, from, to) => {
      const reader = store.reader(await store.state());
      const ids = await reader.idsWith(`from:${authorId}`, { since: from - 1n, until: to + 1n });
      const rows = (await reader.versions(ids)).map(({ row }) => row);
      return rows
        .filter((row) => (row.flags & (SUPERSEDED | MEDIA_BIT)) === 0)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((row) => ({ id: row.id, text: wholeText(row) }));
    },
  };
}
