import type { PostTerms } from '#core/text/post.ts';
import { chunkTable } from '#server/posts/chunks.ts';
import { StoreError } from '#server/db/driver.ts';
import type { Db } from '#server/db/driver.ts';
import { inspectionOf } from '#server/posts/inspection.ts';
import type { OpenRow } from '#server/posts/inspection.ts';
import { metaOf } from '#server/db/meta.ts';
import { openPostTable } from '#server/posts/open-posts.ts';
import { INDEX_VERSION, openPosts, postTable } from '#server/posts/post-table.ts';
import { openSource } from '#server/posts/source.ts';
import { tombstoneTable } from '#server/posts/tombstones.ts';
import {
  checkChunk,
  indexedRow,
  isAsWritten,
  isOfOlderFormat,
  readableRows,
  rowTerms,
} from './check-chunk.ts';
import type { CheckTables } from './check-chunk.ts';
import { Findings, SHOWN_PROBLEMS } from './check-findings.ts';

export interface CheckProgress {
  /** Posts that were compared so far, of those that the index says it has. */
  readonly posts: number;
  readonly total: number;
}

/** What a check found. */
export interface CheckReport {
  /** The first {@link SHOWN_PROBLEMS} in plain words, with the chunk, Post or term; none where all is well. */
  readonly shown: readonly string[];
  /** How many there are in all. */
  readonly problems: number;
  /** Whether some of them are not mended by making the index anew. */
  readonly needsRestore: boolean;
  /** What is worth saying and wrong with no count. */
  readonly notes: readonly string[];
  /** Posts that count. */
  readonly posts: number;
  readonly chunks: number;
}

const ROWS_READ = 512;
const IDS_READ = 16_384;

/**
 * Verifies a file of Posts: the file itself, and that its index says of every Post what the Post's row says,
 * once. It reads one unchanging state while others go on writing, and holds one chunk at a time and an id of
 * 8 bytes per Post. Where the file itself is damaged, or the index is of another version, the rest is not
 * looked at.
 *
 * What it tells of terms is exact for every row that this format wrote. Rows of formats before 3 did not keep
 * all that their terms came from (see `storedPost`): of these, words must agree, and other differences are
 * told as a note.
 *
 * It may be abandoned at any yield.
 *
 * @param file - there already.
 * @throws {@link StoreError} when the file cannot be opened or read at all.
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

/** Ids of Posts that count, gathered place by place. */
class Counted {
  readonly #ids: BigInt64Array;
  #used = 0;

  constructor(most: number) {
    this.#ids = new BigInt64Array(most);
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
        found.add(`The index is of version ${this.#version}; this program's is ${INDEX_VERSION}.`);
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
      // What is wrong with its content was reported already.
      if (found.problems === before && !isAsWritten(c, this.#tables.chunks)) {
        found.add(`Chunk ${c}: a part of it does not have the checksum that it was written with.`);
      }
    }
    for (const ids of this.#openPosts()) {
      counted.add(ids);
      done += ids.length;
      yield { posts: done, total };
    }
    for (const { c, o } of inspection.strayTombstones()) {
      const where = c === 0 ? `open Post ${o}` : `place ${o} of chunk ${c}`;
      found.add(`${where} is marked as dead, and is not there.`.replace(/^./, upper));
    }
    yield* this.#once(counted.sorted(), total);
    this.#leftOver();
    if (found.problems === 0) this.#summary();
  }

  /** Checks the open Posts in lots; gives the ids of those that count. */
  *#openPosts(): Generator<bigint[]> {
    const { inspection, tombstones } = this.#tables;
    const dead = new Set(tombstones.of(0));
    for (let lot = inspection.open(0, ROWS_READ); lot.length > 0;) {
      const living = lot.filter(({ n }) => !dead.has(n));
      const ids = living.map(({ id }) => id);
      const rows = readableRows(ids, this.#tables, this.#found);
      for (const post of living) this.#openPost(post, rows.get(post.id));
      yield ids;
      lot = inspection.open(lot.at(-1)!.n, ROWS_READ);
    }
  }

  #openPost({ id, createdAt, terms }: OpenRow, read: Parameters<typeof indexedRow>[1]): void {
    const found = this.#found;
    const row = indexedRow(id, read, 'the open set', found);
    if (!row) return;
    if (row.createdAt !== createdAt) {
      const [told, is] = [createdAt, row.createdAt].map((at) => new Date(at).toISOString());
      found.add(`The open set has Post ${id} at ${told}; it is of ${is}.`);
    }
    const own = rowTerms(row, this.#tables.posts, found);
    if (!own) return;
    const held = openTerms(terms);
    if (!held) {
      found.add(`The open set: the terms of Post ${id} cannot be read.`);
      return;
    }
    const term = differing(held, own, isOfOlderFormat(row));
    if (term === null) return;
    if (term === undefined) this.#found.uncertain += 1;
    else found.add(`The open set, term "${term}": it is not of Post ${id} as the store has it.`);
  }

  /** Compares what counts with the Posts that are to count. */
  *#once(ids: BigInt64Array, total: number): Generator<CheckProgress> {
    const { inspection } = this.#tables;
    const found = this.#found;
    let at = 0;
    for (let lot = inspection.counting(-1n, IDS_READ); lot.length > 0;) {
      for (const id of lot) {
        while (at < ids.length && ids[at]! < id) at++;
        const first = at;
        while (at < ids.length && ids[at] === id) at++;
        if (at - first === 0) found.add(`Post ${id} is in the store, and does not count.`);
        if (at - first > 1) found.add(`Post ${id} counts ${at - first} times.`);
      }
      this.#posts += lot.length;
      yield { posts: total, total };
      lot = inspection.counting(lot.at(-1)!, IDS_READ);
    }
  }

  /** What the index says of all its chunks, tombstones and open Posts, which a source verifies when it is opened. */
  #summary(): void {
    try {
      openSource(this.#file, this.#deps).close();
    } catch (error) {
      if (!(error instanceof StoreError) || error.reason !== 'index-damaged') throw error;
      this.#found.add(
        'The lists of what counts do not have the checksums that they were written with.',
      );
    }
  }

  #leftOver(): void {
    const { chunks, inspection } = this.#tables;
    const unused = chunks.leftOver().length;
    const sealed = inspection.sealedRows();
    const what = [
      ...(unused > 0 ? [counted(unused, 'chunk')] : []),
      ...(sealed > 0 ? [counted(sealed, 'row of the open set', 'rows of the open set')] : []),
    ].join(' and ');
    if (what === '') return;
    this.#notes.push(
      `Left by a step that is under way or was cut off: ${what}. None of it counts; the service clears it away.`,
    );
  }
}

/** The terms of an open Post; null where they are not what this program writes. */
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

function counted(n: number, one: string, many = `${one}s`): string {
  return n === 1 ? `1 ${one}` : `${n} ${many}`;
}

function olderNote(posts: number): string {
  return (
    `${counted(posts, 'Post')} of an older format: names, places or other terms beside the words ` +
    'differ from what the store gives today. That format did not keep all that they came from, so they may be right; ' +
    'making the index anew would change them.'
  );
}

/**
 * A term that is not the same in both.
 *
 * @param doubtful - words alone must agree.
 * @returns Null where there is none; undefined where only others than words differ, and these are doubtful.
 */
function differing(a: PostTerms, b: PostTerms, doubtful: boolean): string | null | undefined {
  const word = firstApart(a.words, b.words);
  if (word !== null) return word;
  const other =
    firstApart(a.urlWords, b.urlWords) ?? firstApart([...a.flags].sort(), [...b.flags].sort());
  return other !== null && doubtful ? undefined : other;
}

function firstApart(a: readonly string[], b: readonly string[]): string | null {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i] ?? b[i]!;
  }
  return null;
}
