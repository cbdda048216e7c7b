import { expect } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { checkPosts } from '#server/maintenance/check.ts';
import { storedPost } from '#server/posts/stored-post.ts';
import type { Db } from '#server/db/driver.ts';
import { chargesIn } from '#server/posts/charges.ts';
import { postTable, SUPERSEDED } from '#server/posts/post-table.ts';
import type { PostRow, PostTable } from '#server/posts/post-table.ts';
import type { Source } from '#server/posts/source.ts';
import { CHARGE, DAYS, FIRST_DAY, idsFrom, objectsOf, postOf } from './script.ts';
import type { Action, Change } from './script.ts';

const SPAN = { start: FIRST_DAY, end: FIRST_DAY + DAYS * DAY_MS };
const ROWS = 100_000;

/** Queries over the words of {@link postOf}, of every kind that is counted differently. */
const QUERIES = [
  'cat',
  '"cat dog"',
  'katzchen OR 京',
  'dog -lang:en',
  'from:u3 is:reply',
  '#news 🎉',
  'rare7',
  'in_reply_to_tweet_id:4',
];
const CONDITIONS = QUERIES.map((query) => {
  const read = parse(query);
  if (!read.ok) throw new RangeError(`expected a query, got ${query}`);
  return condition(read.ast);
});

export function isChange(action: Action): action is Change {
  return action.what !== 'compact' && action.what !== 'reindex';
}

/** The content of a file after certain changes, and no others. */
export class Held {
  readonly posts: Set<number>;
  /** Edited Posts: they stay, and do not count. */
  readonly edited: Set<number>;
  readonly objects: Set<string>;
  /** Charged Posts. */
  charged: number;

  constructor(of?: Held) {
    this.posts = new Set(of?.posts);
    this.edited = new Set(of?.edited);
    this.objects = new Set(of?.objects);
    this.charged = of?.charged ?? 0;
  }

  /** The content after an action; this one stays unchanged. */
  with(...actions: readonly Action[]): Held {
    const held = new Held(this);
    for (const action of actions) held.#take(action);
    return held;
  }

  #take(action: Action): void {
    if (!isChange(action)) return;
    for (const key of objectsOf(action)) this.objects.add(key);
    if (action.what === 'charge') this.charged += 1;
    if (action.what === 'create' || action.what === 'charge' || action.what === 'edit') {
      this.posts.add(action.id);
    }
    if (action.what === 'import') {
      for (const id of idsFrom(action.from, action.posts)) {
        if (!this.edited.has(id)) this.posts.add(id);
      }
    }
    if (action.what === 'delete') {
      this.posts.delete(action.id);
      this.edited.delete(action.id);
    }
    if (action.what === 'edit') {
      this.posts.delete(action.previous);
      this.edited.add(action.previous);
    }
  }
}

/**
 * The content according to the rows: a day's count of every query, Post by Post, from the terms of the
 * rows alone.
 */
class Recount {
  readonly counts = CONDITIONS.map(() => new Uint32Array(DAYS));
  posts = 0;
  /** Equal rows give equal terms; tokenising their texts takes the most time. */
  static readonly #known = new Map<string, readonly boolean[]>();

  add(row: PostRow, object: PostTable['object']): void {
    const key = [row.username, row.lang, row.flags, row.text, row.facts, row.rest].join('\t');
    let matched = Recount.#known.get(key);
    if (!matched) {
      const terms = termsOf(storedPost(row, object));
      matched = CONDITIONS.map((each) => match(each, terms));
      Recount.#known.set(key, matched);
    }
    const day = Math.floor((row.createdAt - FIRST_DAY) / DAY_MS);
    for (const [i, is] of matched.entries()) if (is) this.counts[i]![day]! += 1;
    this.posts++;
  }
}

/** Checks a source's counts against a recount over all rows of the file; returns the rows. */
export function proveCounts(db: Db, source: Source): PostRow[] {
  source.refresh();
  const { index } = source;
  const { after, object } = postTable(db);
  const rows = after(-1n, ROWS);
  const recount = new Recount();
  for (const row of rows) if ((row.flags & SUPERSEDED) === 0) recount.add(row, object);
  expect(index.posts).toBe(recount.posts);
  for (const [i, each] of CONDITIONS.entries()) {
    const counts = [...index.histogram(each, SPAN, 'day')];
    expect([QUERIES[i], ...counts]).toEqual([QUERIES[i], ...recount.counts[i]!]);
  }
  return rows;
}

function difference<T>(is: ReadonlySet<T>, should: ReadonlySet<T>): { more: T[]; less: T[] } {
  const some = (of: ReadonlySet<T>, not: ReadonlySet<T>): T[] =>
    [...of].filter((each) => !not.has(each)).slice(0, 20);
  return { more: some(is, should), less: some(should, is) };
}

const SAME = { more: [], less: [] };

/**
 * Checks that a file has exactly one of several contents, and counts it; returns which.
 *
 * @param could - The possible contents; the first with the same ids is taken.
 */
export function proveHeld(db: Db, source: Source, could: readonly Held[]): Held {
  const rows = proveCounts(db, source);
  const is = new Held();
  for (const { id, flags } of rows) {
    ((flags & SUPERSEDED) === 0 ? is.posts : is.edited).add(Number(id));
  }
  for (const [key] of db.prepare('SELECT key FROM object').all()) is.objects.add(String(key));
  const [paid] = chargesIn(db)(CHARGE.app, 0);
  is.charged = paid?.requests ?? 0;
  expect(paid?.charged ?? 0).toBe(is.charged * CHARGE.charged);
  const found = could.map((held) => ({
    held,
    differs: {
      posts: difference(is.posts, held.posts),
      edited: difference(is.edited, held.edited),
      objects: difference(is.objects, held.objects),
      charged: is.charged - held.charged,
    },
  }));
  const same = { posts: SAME, edited: SAME, objects: SAME, charged: 0 };
  const [first] = found;
  const fits = found.find(({ differs }) => JSON.stringify(differs) === JSON.stringify(same));
  expect(fits?.differs ?? first?.differs).toEqual(same);
  for (const { flags: _, ...row } of rows) {
    if (textOf(row) !== textOfId(Number(row.id))) expect(row).toEqual(postOf(Number(row.id)));
  }
  return fits!.held;
}

function textOf(row: Omit<PostRow, 'flags'>): string {
  const { id, createdAt, authorId, username, text, lang, rest, facts } = row;
  return [id, createdAt, authorId, username, text, lang, rest, facts].join('\t');
}

const texts = new Map<number, string>();

/** {@link textOf} the Post of an id; cached, since every proof needs thousands. */
function textOfId(id: number): string {
  let text = texts.get(id);
  if (text === undefined) texts.set(id, (text = textOf(postOf(id))));
  return text;
}

/** Checks that SQLite finds nothing wrong with a file. */
export function proveWhole(db: Db): void {
  expect(db.prepare('PRAGMA integrity_check').all()).toEqual([['ok']]);
}

/** Checks that `groundswell check` finds nothing wrong with a file. */
export function proveSound(file: string): void {
  const random = (n: number): Uint8Array => new Uint8Array(n);
  const checking = checkPosts(file, { random });
  for (;;) {
    const { done, value } = checking.next();
    if (!done) continue;
    expect([value.problems, value.shown]).toEqual([0, []]);
    return;
  }
}
