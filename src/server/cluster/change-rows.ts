import { setImmediate } from 'node:timers/promises';
import type { PostTerms } from '#core/text/post.ts';
import { collectionTerm } from '#core/text/collection.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import { collectionsOf, type NewPost, type PostRow } from '#server/posts/store/post-table.ts';
import { flagsOf } from '#server/posts/json/facts.ts';
import { storedTerms, withCollectionTerms } from '#server/posts/store/stored-post.ts';
import type { Collections, CreatedIn } from './collections.ts';
import { columnsOf, postingsOf } from './columns.ts';
import {
  COUNTED,
  encodeRow,
  GONE,
  objectHash,
  REPLACED,
  USERNAMES,
  type StoredVersion,
} from './post-row.ts';
import { RowWriter } from './row-binary.ts';

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
export async function changeRows(
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

/** The rows of objects that Posts refer to. */
export function objectRows(objects: readonly StoredObject[], batch: number): Buffer[] {
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
