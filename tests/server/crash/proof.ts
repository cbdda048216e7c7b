import { expect } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { checkPosts } from '#server/maintenance/check.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';
import type { Db } from '#server/db/driver.ts';
import { chargesIn } from '#server/posts/editor/charges.ts';
import { collectionTable, POSTED_HERE } from '#server/posts/store/collections.ts';
import {
  collectionsOf,
  postTable,
  SUPERSEDED,
  type PostRow,
  type PostTable,
} from '#server/posts/store/post-table.ts';
import type { Source } from '#server/posts/index/source.ts';
import {
  AUTHOR,
  DAYS,
  FIRST_DAY,
  hasPoll,
  idsFrom,
  objectsOf,
  PAYER,
  postOf,
  PRICE,
  relationsOf as archived,
  repostsRemoved,
  type Action,
  type Change,
} from './script.ts';

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

type Relation = Extract<Change, { readonly source: number }>;

/** Numbers of the kinds in the file (`posts-8.ts`). */
const KINDS = {
  follow: 1,
  mute: 3,
  block: 4,
  like: 5,
  unlike: 5,
  repost: 7,
  unrepost: 7,
  member: 8,
  addMember: 8,
  removeMember: 8,
} as const;
const PRIVATE_MEMBER = 12;

function keyOf(action: Relation, lists: ReadonlyMap<number, boolean>): string {
  const { what, source, target } = action;
  const kind = KINDS[what] === KINDS.member && lists.get(source) ? PRIVATE_MEMBER : KINDS[what];
  return [kind, source, target, 'id' in action ? action.id : null].join(' ');
}

/** The payments of apps, as text. Each paid as often as it was recorded. */
function chargeRows(charges: ReadonlyMap<string, number>): ReadonlySet<string> {
  const paid = [...charges].map(([what, n]) => [what, n, n * PRICE, n * PRICE].join(' '));
  return new Set(paid);
}

/** The entries that a change appends to the log of a file with that content. */
function eventsOf(change: Change, held: Held): string[] {
  switch (change.what) {
    case 'create':
    case 'poll':
    case 'repost':
      return [`post.create ${change.id}`];
    case 'edit':
      return [`post.edit ${change.id}`];
    case 'unrepost':
      return [`post.delete ${change.id}`];
    case 'delete': {
      const { reposts, isWhole } = repostsRemoved(change.id, held.posts);
      const versions = isWhole ? (held.versions.get(change.id) ?? [change.id]) : [];
      return [...versions, ...reposts].sort((a, b) => a - b).map((id) => `post.delete ${id}`);
    }
    case 'like':
      return [`like.create ${change.target}`];
    case 'follow':
      return ['follow.follow null'];
    default:
      return [];
  }
}

/** The relations of a file. Their stored counts must be those of the rows. */
function relationsOf(db: Db): Set<string> {
  const counted = db.prepare(
    `SELECT kind, 0 AS side, source AS id, count(*) FROM relation GROUP BY kind, source
     UNION ALL SELECT kind, 1, target, count(*) FROM relation GROUP BY kind, target
     ORDER BY kind, side, id`,
  );
  const stored = db.prepare(
    'SELECT kind, side, id, total FROM relation_count ORDER BY kind, side, id',
  );
  expect(stored.all()).toEqual(counted.all());
  const rows = db.prepare('SELECT kind, source, target, post FROM relation').all();
  return new Set(rows.map((row) => row.join(' ')));
}

/** The entries of the log, whose numbers have no gap. */
function eventsIn(db: Db): string[] {
  const rows = db.prepare('SELECT n, type, post FROM event ORDER BY n').all();
  expect(rows.map(([n]) => n)).toEqual(rows.map((_, i) => i + 1));
  return rows.map(([, type, post]) => `${String(type)} ${String(post)}`);
}

/** A collection of an import. */
interface Collected {
  readonly name: string;
  readonly state: 'included' | 'excluded' | 'discarded';
  readonly posts: readonly number[];
}

/** The collections of imports, each with its Posts. */
function collectionsIn(db: Db, rows: readonly PostRow[]): Map<string, Collected> {
  const imports = collectionTable(db)
    .all()
    .filter(({ id }) => id > POSTED_HERE);
  return new Map(
    imports.map(({ id, name, source, included, removedAt }) => {
      const posts = rows.filter((row) => collectionsOf(row).includes(id)).map((row) => row.id);
      const state = removedAt !== null ? 'discarded' : included ? 'included' : 'excluded';
      return [source ?? '', { name, state, posts: posts.map(Number) }];
    }),
  );
}

/** The content of a file after certain changes, and no others. */
export class Held {
  readonly posts: Set<number>;
  /** Edited Posts: they stay, and do not count. */
  readonly edited: Set<number>;
  readonly objects: Set<string>;
  /** All versions of each edited Post, oldest first, by each of them. */
  readonly versions: Map<number, readonly number[]>;
  /** The Post that a Post quotes. */
  readonly quoted: Map<number, number>;
  /** Kind, source, target and Post of each relation. */
  readonly relations: Set<string>;
  /** True if each list is private. */
  readonly lists: Map<number, boolean>;
  /** The number of times each kind of change was charged. */
  readonly charges: Map<string, number>;
  /** Type and Post of each entry of the log. */
  readonly events: string[];
  /** Collections of imports by their files. */
  readonly collections: Map<string, Collected>;

  constructor(of?: Held) {
    this.posts = new Set(of?.posts);
    this.edited = new Set(of?.edited);
    this.objects = new Set(of?.objects);
    this.versions = new Map(of?.versions);
    this.quoted = new Map(of?.quoted);
    this.relations = new Set(of?.relations);
    this.lists = new Map(of?.lists);
    this.charges = new Map(of?.charges);
    this.events = [...(of?.events ?? [])];
    this.collections = new Map(of?.collections);
  }

  /** The rows of the versions, as text. */
  get versionRows(): ReadonlySet<string> {
    const rows = [...this.versions].map(([id, all]) => [id, all[0], all.indexOf(id)].join(' '));
    return new Set(rows);
  }

  /** The rows of the answers, as text. */
  get answerRows(): ReadonlySet<string> {
    return new Set([...this.quoted].map(([id, of]) => `${id} quote ${of} ${AUTHOR}`));
  }

  /** The content after an action; this one stays unchanged. */
  with(...actions: readonly Action[]): Held {
    const held = new Held(this);
    for (const action of actions) held.#take(action);
    return held;
  }

  /** @param hidden - Whether the list is private from now on; null if it is removed. */
  #changeList(id: number, hidden: boolean | null): void {
    const before = [...this.relations];
    for (const key of before) {
      const [kind, list, ...rest] = key.split(' ');
      if (
        Number(list) !== id ||
        ![KINDS.member, PRIVATE_MEMBER].some((each) => each === Number(kind))
      )
        continue;
      this.relations.delete(key);
      if (hidden === null) continue;
      const now = hidden ? PRIVATE_MEMBER : KINDS.member;
      this.relations.add([now, list, ...rest].join(' '));
    }
    if (hidden === null) this.lists.delete(id);
    else this.lists.set(id, hidden);
  }

  #takeArchive(from: number, n: number): void {
    for (const { relation, list } of archived(from, n)) {
      const { kind, source, target } = relation!;
      this.relations.add(`${KINDS[kind as keyof typeof KINDS]} ${source} ${target} `);
      if (list) this.lists.set(Number(list.id), false);
    }
  }

  #takeCollection(action: Change): void {
    if (action.what === 'collect') {
      const ids = idsFrom(action.from, action.posts);
      for (const id of ids) this.posts.add(id);
      const { name = action.into, posts = [] } = this.collections.get(action.into) ?? {};
      const all = [...new Set([...posts, ...ids])].sort((a, b) => a - b);
      this.collections.set(action.into, { name, state: 'included', posts: all });
    }
    if (action.what === 'purge') {
      for (const [into, collected] of this.collections) {
        if (collected.state !== 'discarded') continue;
        const others = [...this.collections.values()].filter((other) => other !== collected);
        const elsewhere = new Set(others.flatMap(({ posts }) => posts));
        const left = collected.posts.filter((id) => elsewhere.has(id));
        for (const id of collected.posts) if (!elsewhere.has(id)) this.posts.delete(id);
        if (action.only) this.collections.set(into, { ...collected, posts: left });
        else this.collections.delete(into);
      }
    }
    const collected = 'into' in action ? this.collections.get(action.into) : undefined;
    if (!collected || !('into' in action)) return;
    if (action.what === 'rename')
      this.collections.set(action.into, { ...collected, name: action.name });
    const states = {
      include: 'included',
      restore: 'included',
      exclude: 'excluded',
      discard: 'discarded',
    } as const;
    if (action.what in states) {
      const state = states[action.what as keyof typeof states];
      this.collections.set(action.into, { ...collected, state });
    }
  }

  #take(action: Action): void {
    if (!isChange(action)) return;
    this.events.push(...eventsOf(action, this));
    switch (action.what) {
      case 'like':
      case 'follow':
      case 'addMember':
      case 'repost':
        this.relations.add(keyOf(action, this.lists));
        break;
      case 'unlike':
      case 'removeMember':
      case 'unrepost':
        this.relations.delete(keyOf(action, this.lists));
        break;
      case 'addList':
        this.lists.set(action.id, false);
        break;
      case 'setList':
        this.#changeList(action.id, action.private);
        break;
      case 'removeList':
        this.#changeList(action.id, null);
        break;
      case 'archive':
        this.#takeArchive(action.from, action.relations);
        break;
      default:
    }
    this.#takeCollection(action);
    const removed = action.what === 'delete' ? repostsRemoved(action.id, this.posts) : null;
    if (action.charged && removed?.isWhole !== false)
      this.charges.set(action.what, (this.charges.get(action.what) ?? 0) + 1);
    if (action.what === 'repost') this.posts.add(action.id);
    if (action.what === 'unrepost') this.posts.delete(action.id);
    for (const key of objectsOf(action)) this.objects.add(key);
    if (action.what === 'create' || action.what === 'edit') this.posts.add(action.id);
    if (action.what === 'poll') {
      this.posts.add(action.id);
      this.quoted.set(action.id, action.target);
    }
    if (action.what === 'import') {
      for (const id of idsFrom(action.from, action.posts)) {
        if (!this.edited.has(id)) this.posts.add(id);
      }
    }
    for (const id of removed?.reposts ?? []) this.posts.delete(id);
    if (action.what === 'delete' && removed?.isWhole) {
      for (const id of this.versions.get(action.id) ?? [action.id]) {
        this.posts.delete(id);
        this.edited.delete(id);
        this.versions.delete(id);
        this.quoted.delete(id);
        if (hasPoll(id)) this.objects.delete(String(id));
        for (const key of this.relations) {
          const [kind, , target, post] = key.split(' ');
          const isLikeOfIt = Number(kind) === KINDS.like && target === String(id);
          if (isLikeOfIt || post === String(id)) this.relations.delete(key);
        }
      }
    }
    if (action.what === 'edit') {
      const { previous, id } = action;
      this.posts.delete(previous);
      this.edited.add(previous);
      const all = [...(this.versions.get(previous) ?? [previous]), id];
      for (const version of all) this.versions.set(version, all);
      const quoted = this.quoted.get(previous);
      if (quoted !== undefined) this.quoted.set(id, quoted);
      this.quoted.delete(previous);
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
  const counting = collectionTable(db)
    .all()
    .filter(({ included, removedAt }) => included && removedAt === null)
    .map(({ id }) => id);
  const isShown = (row: PostRow): boolean =>
    row.collections === null || collectionsOf(row).some((id) => counting.includes(id));
  for (const row of rows)
    if ((row.flags & SUPERSEDED) === 0 && isShown(row)) recount.add(row, object);
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

/** Nothing if two texts are the same, else both. */
function sameText(is: string, should: string): string[] {
  return is === should ? [] : [is, should];
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
  const rowsOf = (sql: string): Set<string> =>
    new Set(
      db
        .prepare(sql)
        .all()
        .map((row) => row.join(' ')),
    );
  const versions = rowsOf('SELECT post, first, n FROM version');
  const answers = rowsOf('SELECT post, kind, target, author FROM answer');
  for (const key of relationsOf(db)) is.relations.add(key);
  const lists = rowsOf('SELECT id, private FROM list');
  const charges = new Set(
    chargesIn(db)(PAYER, 0).map(({ operation, requests, charged, price }) =>
      [operation, requests, charged, price].join(' '),
    ),
  );
  const events = eventsIn(db);
  const collections = JSON.stringify([...collectionsIn(db, rows)]);
  const found = could.map((held) => ({
    held,
    differs: {
      posts: difference(is.posts, held.posts),
      edited: difference(is.edited, held.edited),
      objects: difference(is.objects, held.objects),
      versions: difference(versions, held.versionRows),
      answers: difference(answers, held.answerRows),
      relations: difference(is.relations, held.relations),
      lists: difference(lists, new Set([...held.lists].map(([id, is]) => `${id} ${is ? 1 : 0}`))),
      charges: difference(charges, chargeRows(held.charges)),
      events: events.join() === held.events.join() ? [] : [events, held.events],
      collections: sameText(collections, JSON.stringify([...held.collections])),
    },
  }));
  const same = {
    posts: SAME,
    edited: SAME,
    objects: SAME,
    versions: SAME,
    answers: SAME,
    relations: SAME,
    lists: SAME,
    charges: SAME,
    events: [],
    collections: [],
  };
  const [first] = found;
  const fits = found.find(({ differs }) => JSON.stringify(differs) === JSON.stringify(same));
  expect(fits?.differs ?? first?.differs).toEqual(same);
  for (const { flags: _, ...row } of rows) {
    if (textOf(row) !== textOfId(Number(row.id))) expect(row).toEqual(postOf(Number(row.id)));
  }
  return fits!.held;
}

function textOf(row: Omit<PostRow, 'flags' | 'collections'>): string {
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
