import { ALL_TIME, union, type Span } from '#core/time/span.ts';
import { coverageChange } from '#server/posts/store/coverage.ts';
import { changedSpans } from '#server/posts/store/revision.ts';
import { coverageIn, MAX_CREATED, type CreatedIn } from './collections.ts';
import type { Node } from './connection.ts';
import { ClusterError } from './error.ts';
import { COUNTED, type StoredVersion } from './post-row.ts';
import { clusterReader, type ClusterReader } from './reader.ts';
import { INCOMING, OBJECT_COLUMNS, type Tables } from './schema.ts';
import { changeLog, type ChangeLog, type ClusterState, type Committed } from './state.ts';
import { type ChangeBatch, changeRows, objectRows, type AddedPost } from './change-rows.ts';

/** Adding Posts while others may add some too. */
export interface Adding {
  /** True if no one else added Posts since this began. */
  readonly isOnly: boolean;
  leave(): void;
}

const names = (columns: readonly (readonly [string, string])[]): string[] =>
  columns.map(([name]) => name);

/** The first created Posts after a batch. */
function createdAfter(
  before: readonly CreatedIn[],
  { created = [], removed = [] }: ChangeBatch,
): CreatedIn[] {
  const gone = new Set(removed.map(({ id }) => String(id)));
  return [...before, ...created]
    .filter(({ id }) => !gone.has(id))
    .sort((a, b) => a.createdAt - b.createdAt)
    .slice(0, MAX_CREATED);
}

/**
 * Becomes the only writer of a cluster. What another writer has begun and not committed never counts.
 *
 * @param mark - A random text for this writer and for each of its batches.
 */
export async function openClusterWriter(
  node: Node,
  tables: Tables,
  mark: () => string,
): Promise<ClusterWriter> {
  const log = changeLog(node, tables);
  const self = mark();
  const before = await log.writer();
  await log.take((before?.number ?? 0) + 1, self);
  const state = await log.state();
  if (!state) throw new ClusterError('tables', 'The cluster has no store of Groundswell.');
  const open = await log.open();
  return new ClusterWriter({ node, tables, log, mark, self }, state, open);
}

interface Writing {
  readonly node: Node;
  readonly tables: Tables;
  readonly log: ChangeLog;
  readonly mark: () => string;
  /** The mark of this writer. */
  readonly self: string;
}

/** Writes batches of changes. Each counts as a whole once its promise resolves, and never in part. */
export class ClusterWriter {
  /** The state after the last batch. */
  state: ClusterState;
  readonly #to: Writing;
  /** Batches that began and never count. */
  #voids: readonly number[];
  #next: number;
  /** The batch before; the next one is committed after it. */
  #last: Promise<void> = Promise.resolve();
  #failed: unknown = null;
  #alone: Promise<unknown> = Promise.resolve();
  /** The number of additions of Posts that began, and of those that have not ended. */
  #entered = 0;
  #inside = 0;
  #lastCollection: number;

  constructor(to: Writing, state: ClusterState, open: readonly number[]) {
    this.#to = to;
    this.state = state;
    this.#voids = [...new Set([...state.voids, ...open])].sort((a, b) => a - b);
    this.#next = Math.max(state.revision, ...open) + 1;
    this.#lastCollection = state.lastCollection;
  }

  /** True if a batch could not be written, after which it takes no further ones. */
  get failed(): boolean {
    return this.#failed !== null;
  }

  /** Reads the state after the last batch. */
  reader(): ClusterReader {
    return clusterReader(this.#to.node, this.#to.tables, this.state);
  }

  /** Runs work that reads what it then changes, after other such work and all batches before it have ended. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#alone.then(async () => {
      await this.#last;
      return await work();
    });
    this.#alone = done.catch(() => {});
    return done;
  }

  /** Begins to add Posts whose ids the caller knows to be new only as long as no one else adds any. */
  enter(): Adding {
    const begun = ++this.#entered;
    const others = this.#inside++;
    const isOnly = (): boolean => others === 0 && this.#entered === begun;
    return {
      get isOnly() {
        return isOnly();
      },
      leave: () => void this.#inside--,
    };
  }

  /** A number that no collection has. */
  nextCollection(): number {
    return ++this.#lastCollection;
  }

  /**
   * Writes changes. Calls take effect in their order; several may be written at once.
   *
   * @throws {@link ClusterError} if they could not be written, or another service writes to the cluster: nothing of them
   *   counts, and the writer takes no further ones.
   */
  write(changes: ChangeBatch): Promise<void> {
    const batch = this.#next++;
    const before = this.#last;
    const written = this.#insert(changes, batch);
    // If the batch before fails first, nothing waits for this one.
    written.catch(() => {});
    const done = before.then(async () => {
      if (this.#failed !== null) throw this.#failed;
      try {
        await this.#commit(changes, batch, await written);
      } catch (error) {
        this.#failed ??= error;
        throw error;
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** Writes the rows of a batch, which do not count yet. @returns The instants of Posts whose counts change. */
  async #insert(changes: ChangeBatch, batch: number): Promise<number[]> {
    if (this.#failed !== null) throw this.#failed;
    const { node, tables, log } = this.#to;
    await log.begin(batch);
    // A writer that replaces this one from now on finds the batch in the log, and never counts it.
    await this.#checkWriter();
    const { rows, instants } = await changeRows(changes, batch);
    const { objects = [] } = changes;
    if (objects.length > 0) {
      await node.insert(tables.all.object, names(OBJECT_COLUMNS), objectRows(objects, batch));
    }
    if (rows.size > 0) await node.insert(tables.all.incoming, names(INCOMING), rows.take());
    return instants;
  }

  /** @throws {@link ClusterError} `taken` if another writer has replaced this one. */
  async #checkWriter(): Promise<void> {
    const { log, self } = this.#to;
    if ((await log.writer())?.mark === self) return;
    const message = 'Another service writes to the ClickHouse cluster now; end one of the two.';
    throw new ClusterError('taken', message);
  }

  async #commit(changes: ChangeBatch, batch: number, instants: readonly number[]): Promise<void> {
    const { log, mark } = this.#to;
    await this.#checkWriter();
    const committed = await this.#after(changes, batch);
    const covered = coverageChange(coverageIn(this.state), coverageIn(committed));
    const spans: Span[] =
      changes.protected === undefined ? union([...changedSpans(instants), ...covered]) : [ALL_TIME];
    const batchMark = mark();
    await log.commit(batch, batchMark, committed, spans);
    // A writer that began before this commit does not know of it.
    await this.#checkWriter();
    this.state = { ...committed, store: this.state.store, revision: batch, mark: batchMark };
  }

  /** The content of the store after a batch. */
  async #after(changes: ChangeBatch, batch: number): Promise<Committed> {
    const { added = [], removed = [], replaced = [] } = changes;
    const { state } = this;
    const ended = [...removed, ...replaced].filter((version) => version.state === COUNTED);
    const ids = added.map(({ post }) => post.id);
    const highest = ids.reduce(
      (most, id) => (id > most ? id : most),
      state.highest === null ? -1n : BigInt(state.highest),
    );
    const next = {
      ...state,
      voids: this.#voids,
      posts: state.posts + added.length - ended.length,
      protected: changes.protected ?? state.protected,
      hasDead: state.hasDead || ended.length > 0,
      hasRevived: state.hasRevived || added.some(({ generation }) => generation > 0),
      highest: highest < 0n ? null : String(highest),
      ...changes.collections?.(state),
    };
    next.created = createdAfter(next.created, changes);
    const edges = await this.#edges(next, batch, added, ended);
    const { store: _, revision: __, mark: ___, ...committed } = { ...next, ...edges };
    return committed;
  }

  /** The instants of the first and last Post after a batch. */
  async #edges(
    next: ClusterState,
    batch: number,
    added: readonly AddedPost[],
    ended: readonly StoredVersion[],
  ): Promise<Pick<ClusterState, 'first' | 'last'>> {
    if (next.posts === 0) return { first: null, last: null };
    const { first, last } = this.state;
    const lost = ended.some(({ row: { createdAt } }) => createdAt === first || createdAt === last);
    if (!lost) {
      let [low, high] = [first ?? Infinity, last ?? -Infinity];
      for (const { post } of added) {
        low = Math.min(low, post.createdAt);
        high = Math.max(high, post.createdAt);
      }
      return { first: low, last: high };
    }
    // Read as if the batch were committed, in all collections.
    const reader = clusterReader(this.#to.node, this.#to.tables, {
      ...next,
      revision: batch,
      collections: [],
      first: 0,
      last: Number.MAX_SAFE_INTEGER,
    });
    const instantsOf = async (end: 'first' | 'last'): Promise<number[]> => {
      const seconds = await reader.edge(end);
      return (await reader.versions(seconds.map(({ id }) => id))).map(({ row }) => row.createdAt);
    };
    return {
      first: Math.min(...(await instantsOf('first'))),
      last: Math.max(...(await instantsOf('last'))),
    };
  }
}
