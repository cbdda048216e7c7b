import { awaited, NEVER, settle, type Due, type WaitingSteps } from '#server/index/steps.ts';
import type { Span } from '#core/time/span.ts';
import type { Evaluated } from '#server/posts/index/evaluation.ts';
import type { PostsState } from '#server/posts/store/posts-state.ts';
import type { PostFinder, StoreFinder } from '#server/posts/index/source.ts';
import { collectionNamed, coverageIn } from './collections.ts';
import { ClusterError } from './error.ts';
import { readWith } from './finder.ts';
import type { ClusterReader } from './reader.ts';
import type { ClusterStore } from './store.ts';
import type { ClusterState } from './state.ts';

/** The facts of a store in the answers about it. */
export type StoreInfo = Pick<
  ClusterState,
  'store' | 'revision' | 'mark' | 'posts' | 'first' | 'last'
> & { readonly covered: readonly Span[] };

/** The protected users of a state, as of a file of Posts. A cluster stores no follows. */
export type ClusterProtection = Pick<StoreFinder, 'protectedUsers' | 'notedProtected'>;

/** Work over one state, which may ask what that state holds. */
export type ClusterWork<T> = (
  state: PostsState,
  due: Due,
  info: () => WaitingSteps<StoreInfo>,
) => WaitingSteps<T>;

/** Your posts in a cluster, as the interface reads them. All methods reject with {@link ClusterError}. */
export type ClusterPosts = ReturnType<typeof clusterPosts>;

/** A state as counting and searching read it. @param reader - Of what may be read; `whole` of all Posts. */
function postsState(
  reader: ClusterReader,
  whole: ClusterReader,
  state: ClusterState,
  local: LocalKnowledge,
  signal: AbortSignal,
): PostsState {
  const { store, revision, mark, collections } = state;
  return {
    store,
    revision,
    mark,
    collection: (name) => collectionNamed(collections, name)?.id ?? null,
    ...local,
    hasAuthor: (nameOrId) => awaited(whole.has(`from:${nameOrId}`)),
    histogram: (condition, span, granularity, ids) =>
      awaited(reader.histogram(condition, span, granularity, ids, signal)),
    newest: (condition, span, limit, bounds) =>
      awaited(reader.newest(condition, span, limit, bounds, signal)),
    read: (work) => awaited(readWith(reader, work).then(({ result }) => result)),
    changed: () => false,
  };
}

/** Posts that count where collections are switched out, and their ends. */
async function shownInfo(state: ClusterState, reader: ClusterReader): Promise<StoreInfo> {
  const { store, revision, mark } = state;
  const whole = { store, revision, mark, covered: coverageIn(state) };
  const areAllIn = state.collections.every(
    ({ included, removedAt }) => included && removedAt === null,
  );
  if (areAllIn) {
    const { posts, first, last } = state;
    return { ...whole, posts, first, last };
  }
  const posts = await reader.total();
  const instantsOf = async (end: 'first' | 'last'): Promise<number[]> => {
    const ids = (await reader.edge(end)).map(({ id }) => id);
    return (await reader.versions(ids)).map(({ row }) => row.createdAt);
  };
  if (posts === 0) return { ...whole, posts, first: null, last: null };
  const [first, last] = [await instantsOf('first'), await instantsOf('last')];
  return { ...whole, posts, first: Math.min(...first), last: Math.max(...last) };
}

/** The facts that no cluster stores: the members of lists, and the usernames that changed. */
export type LocalKnowledge = Required<Pick<PostsState, 'members' | 'owners'>>;

export function clusterPosts(store: ClusterStore, local: LocalKnowledge) {
  /** The protected users of the last state that was asked about; those of a later one are read from what changed since. */
  let known: { readonly state: ClusterState; readonly users: Promise<readonly string[]> } | null =
    null;
  const usersIn = async (
    state: ClusterState,
    before: { readonly revision: number; readonly users: Promise<readonly string[]> } | null,
  ): Promise<readonly string[]> => {
    const users = new Set(await before?.users);
    for (const [id, isProtected] of await store.reader(state).protection(before?.revision ?? 0)) {
      if (isProtected) users.add(id);
      else users.delete(id);
    }
    return [...users].sort();
  };
  const protectionIn = async (state: ClusterState): Promise<ClusterProtection> => {
    const before = known?.state.store === state.store ? known : null;
    const isSame = before?.state.revision === state.revision && before.state.mark === state.mark;
    const isLater = before !== null && before.state.revision < state.revision;
    const users =
      before && isSame
        ? before.users
        : usersIn(state, isLater ? { revision: before.state.revision, users: before.users } : null);
    if (!isSame) {
      const mine = { state, users };
      known = mine;
      // A read that failed is repeated.
      users.catch(() => {
        if (known === mine) known = null;
      });
    }
    const found = await users;
    return { protectedUsers: () => found, notedProtected: () => state.protected };
  };
  return {
    /** The protected users of the current state. */
    protection: async (): Promise<ClusterProtection> => await protectionIn(await store.state()),
    /**
     * Evaluates something over one state, as `evaluated` does over a file.
     *
     * @param hiddenBy - Gives the ids of the users whose Posts are neither counted nor found.
     * @returns Null if the signal came first.
     */
    evaluate: async <T>(
      work: ClusterWork<T>,
      signal: AbortSignal,
      hiddenBy: (posts: ClusterProtection) => readonly string[],
    ): Promise<Evaluated<T> | null> => {
      const state = await store.state();
      try {
        const whole = store.reader(state);
        const reader = store.reader(state, hiddenBy(await protectionIn(state)));
        const info = (): WaitingSteps<StoreInfo> => awaited(shownInfo(state, whole));
        const seen = postsState(reader, whole, state, local, signal);
        const result = await settle(work(seen, NEVER, info));
        if (signal.aborted) return null;
        return { result, store: state.store, revision: state.revision, mark: state.mark };
      } catch (error) {
        // An answer that a client no longer waits for ends as an error.
        if (signal.aborted && error instanceof ClusterError) return null;
        throw error;
      }
    },
    info: async (): Promise<StoreInfo> => {
      const state = await store.state();
      return await shownInfo(state, store.reader(state));
    },
    /** The spans in which counts may differ from those at a revision; null if that is no longer known. */
    changes: async (
      since: number,
      mark: string | null,
    ): Promise<{ readonly spans: Span[] | null; readonly info: StoreInfo }> => {
      const state = await store.state();
      const info = await shownInfo(state, store.reader(state));
      return { spans: await store.changes(since, mark, state), info };
    },
    /** As `readWith`, over the current state. */
    read: async <T>(
      work: (finder: PostFinder) => T | Promise<T>,
    ): Promise<{ result: T; finder: PostFinder }> =>
      await readWith(store.reader(await store.state()), work),
  };
}
