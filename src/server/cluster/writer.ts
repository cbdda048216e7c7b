import { setImmediate } from 'node:timers/promises';
import type { PostTerms } from '#core/text/post.ts';
import { collectionTerm } from '#core/text/collection.ts';
import { ALL_TIME, SECOND_MS, union, type Span } from '#core/time/span.ts';
import { coverageChange } from '#server/posts/store/coverage.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import { collectionsOf, type NewPost, type PostRow } from '#server/posts/store/post-table.ts';
import { flagsOf } from '#server/posts/json/facts.ts';
import { changedSpans } from '#server/posts/store/revision.ts';
import { storedTerms, withCollectionTerms } from '#server/posts/store/stored-post.ts';
import { coverageIn, MAX_CREATED, type Collections, type CreatedIn } from './collections.ts';
import { columnsOf, postingsOf } from './columns.ts';
import type { Node } from './connection.ts';
import { ClusterError } from './error.ts';
import {
  COUNTED,
  encodeRow,
  GONE,
  objectHash,
  REPLACED,
  USERNAMES,
  type StoredVersion,
} from './post-row.ts';
import { clusterReader, type ClusterReader } from './reader.ts';
import { RowWriter } from './row-binary.ts';
import { INCOMING, OBJECT_COLUMNS, type Tables } from './schema.ts';
import { changeLog, type ChangeLog, type ClusterState, type Committed } from './state.ts';

/** A new Post with what the cluster knows of its id. */
export interface AddedPost {
  readonly post: NewPost;
  readonly collections: readonly number[];
  /** The number of times the id was deleted before. */
  readonly generation: number;
  /** Ids of all versions, oldest first; it alone by default. */
  readonly versions?: readonly bigint[];
  /** See `StoredVersion`. */
  readonly answers?: readonly string[];
}

/** The parts of a batch of changes. A Post may be in one of them only. */
export interface ChangeBatch {
  readonly added?: readonly AddedPost[];
  /** Posts that are deleted: those that count, and versions that were replaced. */
  readonly removed?: readonly StoredVersion[];
  /** Posts that another version replaces, with the ids of all versions. */
  readonly replaced?: readonly (StoredVersion & { readonly by: readonly bigint[] })[];
  /** Posts that are put into a collection. */
  readonly joined?: readonly { readonly version: StoredVersion; readonly collection: number }[];
  readonly objects?: readonly StoredObject[];
  /** The collections after the batch, from those before it. */
  readonly collections?: (before: Collections) => Collections;
  /** Posts of {@link ChangeBatch.added} that were created, not imported. */
  readonly created?: readonly CreatedIn[];
  /** The protected users for whom all counts may have changed, see {@link PROTECTED}. */
  readonly protected?: number;
}

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

/** Rows of `incoming`. */
class IncomingRows {
  readonly #batch: number;
  readonly #rows = new RowWriter();
  size = 0;

  constructor(batch: number) {
    this.#batch = batch;
  }

  /**
   * @param sign - See `INCOMING`.
   * @param of - The Post's whole terms, for the columns of its postings.
   * @param terms - The postings that are added or ended.
   */
  put(
    row: Pick<PostRow, 'id' | 'createdAt'>,
    [generation, sign, state]: readonly [generation: number, sign: -1 | 0 | 1, state: number],
    of: PostTerms,
    terms: ReadonlyMap<string, readonly number[]>,
    [collections, json]: readonly [collections: string, json: string],
  ): void {
    const to = this.#rows;
    const { lang, flags } = columnsOf(of);
    to.i64(row.id);
    to.u32(this.#batch);
    to.u16(generation);
    to.i8(sign);
    to.u32(Math.floor(row.createdAt / SECOND_MS));
    to.u64(lang);
    to.u32(flags);
    to.length(terms.size);
    for (const term of terms.keys()) to.text(term);
    to.length(terms.size);
    for (const positions of terms.values()) {
      const listed = sign === 1 ? positions : [];
      to.length(listed.length);
      for (const position of listed) to.u32(position);
    }
    to.u8(state);
    to.text(collections);
    to.text(json);
    this.size += 1;
  }

  take(): Buffer[] {
    return this.#rows.take();
  }
}

const NO_TERMS: PostTerms = { words: [], urlWords: [], flags: [] };
const NONE: ReadonlyMap<string, readonly number[]> = new Map();
/** All facts of a Post are in its row, see `addedRow`. */
const noObject = (): null => null;

/** The row of a new Post. */
function addedRow({ post, collections }: AddedPost): PostRow {
  const { terms, ...row } = post;
  return { ...row, flags: flagsOf(terms), collections: collections.join(' ') || null };
}

/** All terms of a Post: its own, its collections', and those of what it refers to. */
function withAnswers(terms: PostTerms, answers: readonly string[]): PostTerms {
  return answers.length === 0 ? terms : { ...terms, flags: [...terms.flags, ...answers] };
}

function putAdded(rows: IncomingRows, added: AddedPost): void {
  const { post, collections, generation, versions = [post.id], answers = [] } = added;
  const terms = withAnswers(withCollectionTerms(collections, post.terms), answers);
  const texts = [collections.join(' '), encodeRow(addedRow(added), versions, answers)] as const;
  rows.put(post, [generation, 1, COUNTED], terms, postingsOf(terms), texts);
}

/** Ends the postings of a Post that counts. */
function putEnded(
  rows: IncomingRows,
  { row, generation, state, answers }: StoredVersion,
  next: number,
  json: string,
): void {
  const terms = state === COUNTED ? withAnswers(storedTerms(row, noObject), answers) : NO_TERMS;
  const ended = state === COUNTED ? postingsOf(terms) : NONE;
  const sign = state === COUNTED ? -1 : 0;
  rows.put(row, [generation, sign, next], terms, ended, [row.collections ?? '', json]);
}

function putJoined(
  rows: IncomingRows,
  { row, generation, state }: StoredVersion,
  collection: number,
): void {
  const all = [...collectionsOf(row), collection].sort((a, b) => a - b).join(' ');
  const counts = state === COUNTED;
  const terms = counts ? storedTerms(row, noObject) : NO_TERMS;
  const added = counts ? new Map([[collectionTerm(collection), []]]) : NONE;
  rows.put(row, [generation, counts ? 1 : 0, state], terms, added, [all, '']);
}

/** Posts that become rows without a pause: some 5 ms. */
const POSTS_AT_ONCE = 500;

/** The rows of a batch, and where counts change: epoch ms, ascending. */
async function rowsOf(
  changes: ChangeBatch,
  batch: number,
): Promise<{ rows: IncomingRows; instants: number[] }> {
  const { added = [], removed = [], replaced = [], joined = [] } = changes;
  const rows = new IncomingRows(batch);
  const instants: number[] = [];
  for (let i = 0; i < added.length; i++) {
    putAdded(rows, added[i]!);
    instants.push(added[i]!.post.createdAt);
    // An import must not block the other requests of the service.
    if (i % POSTS_AT_ONCE === POSTS_AT_ONCE - 1) await setImmediate();
  }
  for (const version of removed) {
    putEnded(rows, version, GONE, '');
    if (version.state === COUNTED) instants.push(version.row.createdAt);
  }
  for (const version of replaced) {
    putEnded(rows, version, REPLACED, encodeRow(version.row, version.by, []));
    if (version.state === COUNTED) instants.push(version.row.createdAt);
  }
  for (const { version, collection } of joined) {
    putJoined(rows, version, collection);
    if (version.state === COUNTED) instants.push(version.row.createdAt);
  }
  return { rows, instants: instants.sort((a, b) => a - b) };
}

/** Users are also found by their usernames. */
function usernameOf({ kind, key, json }: StoredObject): StoredObject[] {
  const name = kind === 'users' ? (JSON.parse(json) as { username?: unknown }).username : null;
  return typeof name === 'string' ? [{ kind: USERNAMES, key: name.toLowerCase(), json: key }] : [];
}

function objectRows(objects: readonly StoredObject[], batch: number): Buffer[] {
  const rows = new RowWriter();
  // Of several with a key in a batch, the last one is stored.
  const newest = new Map(
    objects
      .flatMap((each) => [each, ...usernameOf(each)])
      .map((each) => [each.kind + '\0' + each.key, each]),
  );
  for (const { kind, key, json } of newest.values()) {
    rows.u64(objectHash(kind, key));
    rows.text(kind);
    rows.text(key);
    rows.u32(batch);
    rows.text(json);
  }
  return rows.take();
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
    const { rows, instants } = await rowsOf(changes, batch);
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
