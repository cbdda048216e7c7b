import { plural } from '#core/format/plural.ts';
import type { PostTerms } from '#core/text/post.ts';
import { chunkTable } from '#server/posts/index/chunks.ts';
import type { Db } from '#server/db/driver.ts';
import { inspectionOf, type OpenRow } from '#server/posts/index/inspection.ts';
import { metaOf } from '#server/db/meta.ts';
import { openPostTable } from '#server/posts/editor/open-posts.ts';
import { INDEX_VERSION, openPosts, postTable } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import {
  checkChunk,
  indexedRow,
  isChunkAsWritten,
  isOfOlderFormat,
  readableRows,
  rowTerms,
  type CheckTables,
} from './check-chunk.ts';
import { Findings, SHOWN_PROBLEMS } from './check-findings.ts';
import { StoreError } from '#server/db/store-error.ts';

export interface CheckProgress {
  /** Posts compared so far, of those that the index states. */
  readonly posts: number;
  readonly total: number;
}

export interface CheckReport {
  /**
   * The first {@link SHOWN_PROBLEMS} in plain words, with the chunk, Post or term; empty if there is
   * none.
   */
  readonly shown: readonly string[];
  /** Number of all problems. */
  readonly problems: number;
  /** True if rebuilding the index does not fix some of them. */
  readonly needsRestore: boolean;
  /** Findings that affect no count. */
  readonly notes: readonly string[];
  /** Posts that count. */
  readonly posts: number;
  readonly chunks: number;
}

const ROWS_READ = 512;
const IDS_READ = 16_384;

/**
 * Verifies a file of Posts: the file itself, and that its index contains each Post once, with the terms
 * of its row. It reads one unchanging state while others continue to write, and holds one chunk at a
 * time and an id of 8 bytes per Post. If the file itself is damaged, or the index is of another
 * version, the rest is not checked.
 *
 * Its findings about terms are exact for every row of this format. Rows of formats before 3 did not
 * store everything their terms came from (see `storedPost`): for these, words must agree, and other
 * differences become a note.
 *
 * May be abandoned at any yield.
 *
 * @param file - Must exist.
 * @throws {@link StoreError} if the file cannot be opened or read at all.
 */
export function* checkPosts(
  file: string,
  deps: { random: (n: number) => Uint8Array },
): Generator<CheckProgress, CheckReport> {
  const db = openPosts(file, deps, { unindexed: true });
  try {
    // Ends when the connection is closed.
    db.exec('BEGIN');
    return yield* new Check(db, file, deps).run();
  } finally {
    db.close();
  }
}

/** Collects ids of Posts that count. */
class Counted {
  readonly #ids: BigInt64Array;
  #used = 0;

  constructor(max: number) {
    this.#ids = new BigInt64Array(max);
  }

  add(ids: ArrayLike<bigint>): void {
    this.#ids.set(ids, this.#used);
    this.#used += ids.length;
  }

  /** Ascending, with repeats. */
  sorted(): BigInt64Array {
    return this.#ids.subarray(0, this.#used).sort();
  }
}

class Check {
  readonly #found = new Findings();
  readonly #notes: string[] = [];
  readonly #tables: CheckTables;
  readonly #open: ReturnType<typeof openPostTable>;
  readonly #version: number;
  readonly #live: readonly number[];
  readonly #file: string;
  readonly #deps: { random: (n: number) => Uint8Array };
  #posts = 0;

  constructor(db: Db, file: string, deps: { random: (n: number) => Uint8Array }) {
    this.#file = file;
    this.#deps = deps;
    this.#tables = {
      inspection: inspectionOf(db),
      posts: postTable(db),
      chunks: chunkTable(db),
      tombstones: tombstoneTable(db),
    };
    this.#open = openPostTable(db);
    this.#version = metaOf(db).number('index');
    this.#live = this.#tables.chunks.live();
  }

  *run(): Generator<CheckProgress, CheckReport> {
    const found = this.#found;
    yield { posts: 0, total: 0 };
    try {
      const damage = this.#tables.inspection.damage(SHOWN_PROBLEMS);
      for (const line of damage) found.add(`The file is damaged: ${line}.`, 'restore');
      if (damage.length === 0 && this.#version !== INDEX_VERSION) {
        found.add(`The index has version ${this.#version}; this program needs ${INDEX_VERSION}.`);
      } else if (damage.length === 0) yield* this.#index();
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'damaged') throw error;
      found.add('The file is damaged: a part of it cannot be read.', 'restore');
    }
    const { shown, problems, needsRestore, uncertain } = found;
    if (uncertain > 0) this.#notes.push(olderNote(uncertain));
    const [notes, posts, chunks] = [this.#notes, this.#posts, this.#live.length];
    return { shown, problems, needsRestore, notes, posts, chunks };
  }

  *#index(): Generator<CheckProgress> {
    const { inspection } = this.#tables;
    const found = this.#found;
    let [places, done] = [0, 0];
    for (const c of this.#live) places += (inspection.chunk(c)?.ids.length ?? 0) / 8;
    const total = Math.floor(places) + this.#open.count();
    const counted = new Counted(total);
    for (const c of this.#live) {
      const before = found.problems;
      const work = checkChunk(c, this.#tables, found);
      let step = work.next();
      for (; !step.done; step = work.next()) {
        done += step.value;
        yield { posts: done, total };
      }
      counted.add(step.value);
      // Faults of its content were reported already.
      if (found.problems === before && !isChunkAsWritten(c, this.#tables.chunks)) {
        found.add(`Chunk ${c}: a part of it does not match its checksum.`);
      }
    }
    for (const ids of this.#openPosts()) {
      counted.add(ids);
      done += ids.length;
      yield { posts: done, total };
    }
    for (const { c, o } of inspection.strayTombstones()) {
      const where = c === 0 ? `open Post ${o}` : `place ${o} of chunk ${c}`;
      found.add(`${where} is marked as deleted but is not there.`.replace(/^./, upper));
    }
    yield* this.#once(counted.sorted(), total);
    this.#obsolete();
    if (found.problems === 0) this.#summary();
  }

  /** Checks the open Posts in batches; yields the ids of those that count. */
  *#openPosts(): Generator<bigint[]> {
    const { inspection, tombstones } = this.#tables;
    const dead = new Set(tombstones.of(0));
    for (let batch = inspection.open(0, ROWS_READ); batch.length > 0;) {
      const living = batch.filter(({ n }) => !dead.has(n));
      const ids = living.map(({ id }) => id);
      const rows = readableRows(ids, this.#tables, this.#found);
      for (const post of living) this.#openPost(post, rows.get(post.id));
      yield ids;
      batch = inspection.open(batch.at(-1)!.n, ROWS_READ);
    }
  }

  #openPost({ id, createdAt, terms }: OpenRow, read: Parameters<typeof indexedRow>[1]): void {
    const found = this.#found;
    const row = indexedRow(id, read, 'the open set', found);
    if (!row) return;
    if (row.createdAt !== createdAt) {
      const [stated, is] = [createdAt, row.createdAt].map((at) => new Date(at).toISOString());
      found.add(`The open set has Post ${id} at ${stated}; it is from ${is}.`);
    }
    const own = rowTerms(row, this.#tables.posts, found);
    if (!own) return;
    const stored = openTerms(terms);
    if (!stored) {
      found.add(`The open set: the terms of Post ${id} cannot be read.`);
      return;
    }
    const term = differing(stored, own, isOfOlderFormat(row));
    if (term === null) return;
    if (term === undefined) this.#found.uncertain += 1;
    else found.add(`The open set, term "${term}": it differs for Post ${id} in the store.`);
  }

  /** Compares the Posts that count with those that should. */
  *#once(ids: BigInt64Array, total: number): Generator<CheckProgress> {
    const { inspection } = this.#tables;
    const found = this.#found;
    let at = 0;
    for (let batch = inspection.counting(-1n, IDS_READ); batch.length > 0;) {
      for (const id of batch) {
        while (at < ids.length && ids[at]! < id) at++;
        const first = at;
        while (at < ids.length && ids[at] === id) at++;
        if (at - first === 0) found.add(`Post ${id} is in the store but does not count.`);
        if (at - first > 1) found.add(`Post ${id} counts ${at - first} times.`);
      }
      this.#posts += batch.length;
      yield { posts: total, total };
      batch = inspection.counting(batch.at(-1)!, IDS_READ);
    }
  }

  /**
   * Checks the summaries of all chunks, tombstones and open Posts, which a source verifies when it is
   * opened.
   */
  #summary(): void {
    try {
      openSource(this.#file, this.#deps).close();
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'index-damaged') throw error;
      this.#found.add('The lists of what counts do not match their checksums.');
    }
  }

  #obsolete(): void {
    const { chunks, inspection } = this.#tables;
    const unused = chunks.obsolete().length;
    const sealed = inspection.sealedRows();
    const what = [
      ...(unused > 0 ? [plural(unused, 'chunk')] : []),
      ...(sealed > 0 ? [plural(sealed, 'row of the open set', 'rows of the open set')] : []),
    ].join(' and ');
    if (what === '') return;
    this.#notes.push(
      `Left over from a step that is running or was interrupted: ${what}. None of it counts; the service removes it.`,
    );
  }
}

/** The terms of an open Post; null if this program did not write them. */
function openTerms(json: Buffer): PostTerms | null {
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.every((term) => typeof term === 'string');
  try {
    const terms = JSON.parse(json.toString('utf8')) as Partial<PostTerms> | null;
    const lists = [terms?.words, terms?.urlWords, terms?.flags];
    return lists.every(isList) ? (terms as PostTerms) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function upper(letter: string): string {
  return letter.toUpperCase();
}

function olderNote(posts: number): string {
  return (
    `${plural(posts, 'Post')} of an older format: names, places or other terms apart from words ` +
    'differ from what the store gives today. That format did not store everything they came from, so they may be right; ' +
    'rebuilding the index would change them.'
  );
}

/**
 * A term that differs.
 *
 * @param doubtful - Only words must agree.
 * @returns Null if there is none; undefined if only other terms than words differ, and these are
 *   doubtful.
 */
function differing(a: PostTerms, b: PostTerms, doubtful: boolean): string | null | undefined {
  const word = firstDifference(a.words, b.words);
  if (word !== null) return word;
  const other =
    firstDifference(a.urlWords, b.urlWords) ??
    firstDifference([...a.flags].sort(), [...b.flags].sort());
  return other !== null && doubtful ? undefined : other;
}

function firstDifference(a: readonly string[], b: readonly string[]): string | null {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i] ?? b[i]!;
  }
  return null;
}
