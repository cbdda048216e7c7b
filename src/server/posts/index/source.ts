import type { SourceId } from '#contract/counts/source.ts';
import type { StoreKnowledge } from '#core/query/condition.ts';
import type { Condition } from '#core/query/ast.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import { anyWith, countOf, histogramSteps, type IdBounds } from '#server/index/counting.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import { newestSteps } from '#server/index/top-newest.ts';
import { oldestSteps } from '#server/index/top-oldest.ts';
import { NEVER, oneStep, type Due, type Steps, type WaitingSteps } from '#server/index/steps.ts';
import { chargesIn } from '#server/posts/editor/charges.ts';
import { type AnswerCounts } from '#server/posts/json/answers.ts';
import { finderIn } from './finder.ts';
import { loadedIndex } from './loaded-index.ts';
import { type SourceCollections } from '#server/posts/store/source-collections.ts';
import { type CommunityReader } from '#server/posts/store/communities.ts';
import { readId } from '#core/import/id.ts';
import type { Json } from '#core/import/json.ts';
import { amountsIn } from '#server/posts/store/amounts.ts';
import { handlesIn } from '#server/posts/store/handles.ts';
import { HiddenPosts } from './hidden-posts.ts';
import { type ListReader } from '#server/posts/store/lists.ts';
import { userFigures, type UserFigures } from '#server/posts/json/metrics.ts';
import { newestBy } from './newest-post.ts';
import {
  collectionsOf,
  openPosts,
  postTable,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { type RelationReader } from '#server/posts/store/relations.ts';

/** Finds the ids of a list's members; of a list that does not exist, none. */
export function membersIn(relations: Pick<RelationReader, 'page'>): (list: string) => string[] {
  return (list) => {
    const id = readId(list);
    if (id === null) return [];
    return relations
      .page('member', 'source', id, 'older', null, MOST_MEMBERS)
      .map((member) => String(member.id));
  };
}

/** Most members of a list, as on the platform. */
export const MOST_MEMBERS = 5000;

/** Reads Posts and the objects they refer to. */
export interface PostFinder extends CommunityReader {
  /** The rows of ids that exist now, in any order. */
  rows(ids: readonly bigint[]): PostRow[];
  /** The JSON of an element of `includes` by its kind and key; null if there is none. */
  object(kind: string, key: string): string | null;
  /** The account that looks: it sees its own Posts even if they are protected. Absent for all others. */
  readonly viewer?: string;
  /** The id of the user that imports know by a username, in lower case; null if there is none. */
  userId(username: string): string | null;
  /** Ids of all versions of a Post, oldest first: one if it was never edited. */
  versions(id: bigint): readonly bigint[];
  /** Replies and quotes of a Post that were posted here, of all its versions together. */
  answers(id: bigint): AnswerCounts;
  /** The figures of a Post that this service counted, in addition to those of its import; absent means nothing. */
  metrics?(id: bigint): Json;
  /** The figures of a user that this service counted; absent means nothing. */
  figures?(id: bigint): UserFigures;
  /** True if a user follows another one; absent means never. */
  follows?(source: bigint, target: bigint): boolean;
  /** Ids of the users that a user follows, as decimal text: the same set until something changes. Absent means none. */
  followees?(source: bigint): ReadonlySet<string>;
  /** The relations of a user to another one, in words of `connection_status`; absent means none at all. */
  connections?(viewer: bigint, user: bigint): readonly string[];
  /** The id of a user's newest Post; null if there is none. Absent means none. */
  newestOf?(author: bigint): bigint | null;
}

/** Also reads relations and lists. */
export interface StoreFinder extends PostFinder {
  /** Ids of the protected users that imports brought, in the order of text: the same list until that changes. */
  protectedUsers(): readonly string[];
  /** The usernames of accounts that changed, as `HandleChanges` stored them. */
  notedHandles(): string;
  /** The checksum of the protected users for which the revision was last raised; 0 for none. */
  notedProtected(): number;
  readonly relations: RelationReader;
  readonly lists: ListReader;
  figures(id: bigint): UserFigures;
  newestOf(author: bigint): bigint | null;
}

/** One state of a file, for counting and searching in steps, whatever changes in the file meanwhile. */
export interface SourceState extends StoreFinder, ReturnType<typeof evaluatedOver> {
  /** Id of the store, and the revision of this state with its mark. */
  readonly store: string;
  readonly revision: number;
  readonly mark: string;
  /** The times that it has data for, in whole minutes, ascending, disjoint; an end of Infinity means now. */
  readonly covered: readonly Span[];
  /** The collections that were not removed, and their Posts, whether they count or not. */
  readonly collections: SourceCollections;
  /** Number of the collection with a name; null if there is none. */
  collection(name: string): number | null;
  owners: NonNullable<StoreKnowledge['owners']>;
  amounts: NonNullable<StoreKnowledge['amounts']>;
  /** True if the Posts have an author with that folded username, or that numeric id. */
  hasUser(nameOrId: string): boolean;
  /** The same in steps. */
  hasAuthor(nameOrId: string): Steps<boolean>;
  /** Ids of the accounts on a list; empty if there is no such list. */
  members(list: string): readonly string[];
  /** Computes something from this state. */
  read<T>(work: (finder: PostFinder) => T): Steps<T>;
  /** True if Posts were added, edited or deleted since. */
  changed(): boolean;
  /** The same state without the Posts of users in counts and search, in steps. Users themselves are found. */
  without(users: readonly string[], due: Due): Steps<SourceState>;
}

/** Runs work until a pause is due or the work is done; the next call continues it. */
export type Slice<T> = (due: Due) => IteratorResult<void, T>;

/** Thrown by work on a {@link SourceState} that needs a newer one: the work starts again. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/**
 * Thrown when work would continue over a source that was closed meanwhile, such as a sample that was
 * replaced.
 */
export class SourceClosedError extends Error {
  override readonly name = 'SourceClosedError';
}

/** A file of Posts, open for counting and search. */
export type Source = ReturnType<typeof openSource>;

/** A source of counts and Posts. */
export interface CountSource extends Omit<Source, 'close'> {
  readonly id: SourceId;
}

/** The way a state counts and searches its chunks. */
function evaluatedOver(chunks: readonly WholeChunk[]) {
  const over =
    <A extends readonly unknown[], T>(steps: (of: readonly WholeChunk[], ...rest: A) => Steps<T>) =>
    (...rest: A): Steps<T> =>
      steps(chunks, ...rest);
  return {
    chunks,
    histogram: over(histogramSteps),
    newest: over(newestSteps),
    /** As `newest`, but the oldest, oldest first. */
    oldest: over(oldestSteps),
  };
}

/** Counting over the Posts of a source, as of its last refresh. */
function countingIndex(
  store: string,
  loaded: ReturnType<typeof loadedIndex>,
  members: (list: string) => string[],
  atOnce: <T>(work: (state: SourceState) => Steps<T>) => T,
) {
  return {
    /** Id of the store; unique to its file. */
    store,
    /** Incremented with every committed change of the counts. */
    get revision(): number {
      return loaded.revision;
    },
    /** Number of its parts. */
    get chunks(): number {
      return loaded.chunks.length;
    },
    /** Random, for this revision: a file restored from a backup issues the number again with another mark. */
    get mark(): string {
      return loaded.mark;
    },
    get posts(): number {
      return loaded.facts.posts;
    },
    /** Instants of the oldest and newest Post, epoch ms; null if there is none. */
    get first(): number | null {
      return loaded.facts.first;
    },
    get last(): number | null {
      return loaded.facts.last;
    },
    /** As of {@link SourceState}. */
    get covered(): readonly Span[] {
      return loaded.covered;
    },
    /** As {@link histogramSteps}, but blocks the thread until it is done; requests count in steps instead. */
    histogram: (condition: Condition, span: Span, granularity: Granularity, ids: IdBounds = {}) =>
      atOnce((state) => state.histogram(condition, span, granularity, ids, NEVER)),
    /** Ids of the accounts on a list; empty if there is no such list. */
    members,
    /** Number of the collection with a name; null if there is none. */
    collection: (name: string): number | null => loaded.collections.named(name),
    /**
     * The spans in which counts may differ from those at a revision, ascending; null if that is no longer known, or
     * the mark is not the revision's.
     */
    changesSince: (since: number, given: string | null): Span[] | null =>
      loaded.changes(since, given, loaded.revision),
  };
}

/**
 * Opens a file of Posts, and creates it if it does not exist. Others may write to it meanwhile: the
 * index changes only by {@link Source.refresh}.
 *
 * @throws {@link StoreError} like `openPosts`; every function, if the file cannot be read.
 */
export function openSource(file: string, deps: { random: (n: number) => Uint8Array }) {
  const db = openPosts(file, deps, { mapped: true });
  const rows = postTable(db);
  const dataVersion = db.prepare('PRAGMA data_version');
  const version = (): unknown => dataVersion.get()?.[0];
  const store = String(db.prepare(`SELECT value FROM meta WHERE key = 'store'`).get()?.[0]);
  const loaded = loadedIndex(db, version);
  let closed = false;
  try {
    loaded.refresh();
  } catch (error) {
    db.close();
    throw error;
  }
  const finder = finderIn(db, version);
  const { relations } = finder;
  const members = membersIn(relations);
  const { find: owners } = handlesIn(db);
  const amounts = amountsIn(db, () => loaded.revision);
  const hidden = new HiddenPosts();
  /** The rows of Posts that count, as far as their collections decide. */
  const rowsOf =
    ({ counts }: SourceCollections) =>
    (ids: readonly bigint[]): PostRow[] =>
      rows.rows(ids).filter((row) => counts(collectionsOf(row)));
  /** The state as of the last refresh, which never changes. */
  const stateNow = (): SourceState => {
    const { chunks: taken, revision, mark, collections: parts, covered } = loaded;
    const rows = rowsOf(parts);
    const state: SourceState = {
      store,
      revision,
      mark,
      covered,
      collections: parts,
      collection: parts.named,
      owners,
      amounts,
      members,
      rows,
      hasUser: (nameOrId) => anyWith(taken, `from:${nameOrId}`),
      hasAuthor: (nameOrId) => oneStep(() => state.hasUser(nameOrId)),
      ...evaluatedOver(taken),
      ...finder,
      figures: (id) => userFigures(relations, id, (condition) => countOf(taken, condition)),
      newestOf: (author) => newestBy(taken, author, rows),
      changed: () => loaded.current() !== revision,
      read: (work) => oneStep(() => work(state)),
      *without(users, due) {
        const shown = yield* hidden.without(taken, users, due);
        return shown === taken ? state : { ...state, ...evaluatedOver(shown) };
      },
    };
    return state;
  };

  /**
   * Runs work over one state of the file, the newest when it begins. Each call of the result runs in
   * one read transaction. If a chunk of the state was replaced between two calls, and so may be gone,
   * the work starts again with the current state.
   *
   * @throws {@link SourceClosedError} from a call after the source was closed.
   */
  const over = <T>(work: (state: SourceState, due: Due) => WaitingSteps<T>): Slice<T> => {
    let due: Due = NEVER;
    let under: { steps: ReturnType<typeof work>; chunks: readonly number[]; seen: unknown } | null =
      null;
    return (pauseIsDue) => {
      due = pauseIsDue;
      for (;;) {
        if (closed) throw new SourceClosedError();
        if (!under) {
          loaded.refresh();
          const steps = work(stateNow(), () => due());
          under = { steps, chunks: loaded.sealed(), seen: loaded.version };
        }
        const { steps, chunks: read, seen } = under;
        try {
          const step = db.read(() => {
            const now = version();
            if (now !== seen && !loaded.areLive(read)) return null;
            under = { steps, chunks: read, seen: now };
            return steps.next();
          });
          if (step?.done) return step;
          if (step?.value instanceof Promise) {
            throw new TypeError('expected steps that wait for nothing: a file answers at once');
          }
          if (step) return { done: false, value: undefined };
        } catch (error) {
          if (!(error instanceof OutdatedError)) throw error;
        }
        under = null;
      }
    };
  };

  /** Runs work without a pause, over the current state. */
  const atOnce = <T>(work: (state: SourceState) => Steps<T>): T => {
    const step = over(work)(NEVER);
    if (step.done) return step.value;
    throw new RangeError('expected steps that pause only when a pause is due');
  };

  const index = countingIndex(store, loaded, members, atOnce);
  const posts: StoreFinder = {
    ...finder,
    rows: (ids) => rowsOf(loaded.collections)(ids),
    // Over one state: a chunk may be replaced meanwhile.
    figures: (id) => atOnce((state) => oneStep(() => state.figures(id))),
    newestOf: (author) => atOnce((state) => oneStep(() => state.newestOf(author))),
  };
  return {
    index,
    posts,
    /** The payments of apps for changes. */
    charges: chargesIn(db),
    over,
    /** Loads what any connection committed since; cheap if there is nothing. */
    refresh: loaded.refresh,
    close: (): void => {
      closed = true;
      db.close();
    },
  };
}
