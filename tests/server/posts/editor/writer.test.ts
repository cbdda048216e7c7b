import { describe, expect, test } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import type { PostTerms } from '#core/text/post.ts';
import { BUCKET_MS, floorTo } from '#core/time/bucket.ts';
import { DAY_MS } from '#core/time/span.ts';
import { createWriter, openWriter } from '#server/posts/editor/writer.ts';
import { openDb } from '#server/db/driver.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { corpus, holds, numbers } from '#tests/server/index/corpus.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { StoreError } from '#server/db/store-error.ts';

const file = temporaryFolder();
const random = countingBytes();
const START = Date.UTC(2015, 11, 20);
const SPAN = { start: START, end: START + 91 * DAY_MS };

function newPost(id: bigint, createdAt: number, terms: PostTerms, more = {}): NewPost {
  const text = terms.words.join(' ');
  return {
    id,
    createdAt,
    terms,
    text,
    authorId: null,
    username: null,
    lang: null,
    rest: null,
    facts: null,
    ...more,
  };
}

function posts(n: number, seed: number): NewPost[] {
  return corpus(n, seed, START).map(({ id, createdAt, terms }) => newPost(id, createdAt, terms));
}

function importAll(name: string, all: readonly NewPost[]): { added: number; already: number } {
  const writer = openWriter(name, { random });
  const result = writer.add(all);
  writer.finish();
  writer.close();
  return result;
}

const T = (term: string): Condition => ({ kind: 'term', term });
const CONDITIONS: Condition[] = [
  T('a'),
  T('東'),
  T('京'),
  T('rare17'),
  T('url:x17'),
  T('from:dog'),
  { kind: 'not', of: T('a') },
  { kind: 'phrase', field: 'word', tokens: ['a', 'b'] },
  { kind: 'phrase', field: 'url', tokens: ['t', 'co', 'x1'] },
  { kind: 'any', of: [T('dog'), { kind: 'not', of: T('lang:en') }] },
  { kind: 'all', of: [T('b'), { kind: 'not', of: T('c') }, { kind: 'not', of: T('is:retweet') }] },
];

/** The conditions that hold for a Post; cached, since Posts are counted several times. */
const holding = new WeakMap<PostTerms, readonly boolean[]>();
function conditionsOf(terms: PostTerms): readonly boolean[] {
  let found = holding.get(terms);
  if (!found) holding.set(terms, (found = CONDITIONS.map((condition) => holds(condition, terms))));
  return found;
}

/** More Posts than a chunk has. */
let many: NewPost[] | null = null;
const overAChunk = (): NewPost[] => (many ??= posts(66_000, 6));

function expectCounts(name: string, all: readonly NewPost[]): void {
  const source = openSource(name, { random });
  expect(source.index.posts).toBe(all.length);
  for (const [i, condition] of CONDITIONS.entries()) {
    const found = all.filter(({ terms }) => conditionsOf(terms)[i]);
    for (const granularity of ['hour', 'day'] as const) {
      const counts = source.index.histogram(condition, SPAN, granularity);
      const expected = new Uint32Array(counts.length);
      const base = floorTo(SPAN.start, granularity);
      for (const { createdAt } of found) {
        expected[Math.floor((createdAt - base) / BUCKET_MS[granularity])]!++;
      }
      // Vitest compares texts much faster than arrays.
      expect(String(counts)).toBe(String(expected));
    }
  }
  source.close();
}

function rowsOf(name: string, sql: string): unknown[][] {
  const db = openDb(name);
  const rows = db.prepare(sql).all();
  db.close();
  return rows;
}

describe('adding Posts', () => {
  test(
    'in any order of time, in batches of any size, across sealed chunks and the open set',
    { tags: 'long' },
    () => {
      const all = posts(44_000, 4);
      const name = file('order.sqlite');
      const pick = numbers(5);
      const writer = openWriter(name, { random });
      for (let at = 0; at < all.length;) {
        const batch = all.slice(at, at + 1 + pick(3000));
        at += batch.length;
        expect(writer.add(batch)).toEqual({ added: batch.length, already: 0 });
        if (pick(8) === 0) writer.finish();
      }
      writer.finish();
      writer.close();
      expectCounts(name, all);
      expect(rowsOf(name, 'SELECT count(*) FROM chunk')[0]![0]).toBeGreaterThan(1);
    },
  );

  test(
    'full chunks are committed as they fill; the result of a killed import is consistent, and the rest can follow',
    { tags: 'long' },
    () => {
      const all = overAChunk();
      const name = file('killed.sqlite');
      const writer = openWriter(name, { random });
      writer.add(all);
      writer.close();
      expectCounts(name, all.slice(0, 65_536));
      expect(importAll(name, all)).toEqual({ added: 66_000 - 65_536, already: 65_536 });
      expectCounts(name, all);
    },
  );

  test('abandon drops what is not committed, and the writer can continue', () => {
    const all = posts(30, 7);
    const name = file('abandoned.sqlite');
    const writer = openWriter(name, { random });
    writer.add(all.slice(0, 10));
    writer.finish();
    writer.add(all.slice(10, 20));
    writer.abandon();
    expect(writer.add(all.slice(5, 30))).toEqual({ added: 20, already: 5 });
    writer.finish();
    writer.close();
    expectCounts(name, all);
  });

  test(
    'what two writers report as new adds up to the Posts that are in the file',
    { tags: 'long' },
    () => {
      const all = overAChunk();
      const name = file('both.sqlite');
      const writers = [openWriter(name, { random }), openWriter(name, { random })];
      const added = [0, 0];
      for (const some of [all.slice(0, 60_000), all.slice(60_000)]) {
        for (const [i, writer] of writers.entries()) added[i]! += writer.add(some).added;
      }
      for (const writer of writers) writer.finish();
      const overtaken = writers.map((writer) => writer.overtaken);
      for (const writer of writers) writer.close();
      expect(added[0]! + added[1]! - overtaken[0]! - overtaken[1]!).toBe(all.length);
      expectCounts(name, all);
    },
  );

  test('a known id is not added again: in a batch, between commits, in another import', () => {
    const all = posts(100, 8);
    const name = file('repeats.sqlite');
    const writer = openWriter(name, { random });
    expect(writer.add([...all.slice(0, 40), ...all.slice(0, 10)])).toEqual({
      added: 40,
      already: 10,
    });
    expect(writer.add(all.slice(30, 60))).toEqual({ added: 20, already: 10 });
    writer.finish();
    expect(writer.add(all.slice(50, 70))).toEqual({ added: 10, already: 10 });
    writer.finish();
    writer.close();
    expect(importAll(name, all)).toEqual({ added: 30, already: 70 });
    expectCounts(name, all);

    const revision = rowsOf(name, `SELECT value FROM meta WHERE key = 'revision'`);
    expect(importAll(name, all)).toEqual({ added: 0, already: 100 });
    expect(rowsOf(name, `SELECT value FROM meta WHERE key = 'revision'`)).toEqual(revision);
    expectCounts(name, all);
  });

  test('Posts that another writer added meanwhile are not counted twice', () => {
    const all = posts(50, 9);
    const name = file('two-writers.sqlite');
    const writer = openWriter(name, { random });
    const other = openWriter(name, { random });
    writer.add(all.slice(0, 30));
    other.add(all.slice(10, 50));
    other.finish();
    writer.finish();
    writer.close();
    other.close();
    expectCounts(name, all);
  });

  test('few Posts stay open; many become a chunk, and so do those that come when the open set is full', () => {
    const all = posts(18_000, 10);
    const name = file('open.sqlite');
    const places = 'SELECT (SELECT count(*) FROM live), (SELECT count(*) FROM open_post)';
    for (const [from, to, live, open] of [
      [0, 5000, 0, 5000],
      [5000, 13_192, 1, 5000],
      [13_192, 17_000, 1, 8808],
      [17_000, 18_000, 2, 8808],
    ] as const) {
      importAll(name, all.slice(from, to));
      expect(rowsOf(name, places)).toEqual([[live, open]]);
      expectCounts(name, all.slice(0, to));
    }
  });

  test('a Post that cannot be indexed is refused with a reason; those before it stay', () => {
    const name = file('refused.sqlite');
    const [good, other] = posts(2, 11);
    const bad = newPost(99n, START, {
      words: Array<string>(65_536).fill('x'),
      urlWords: [],
      flags: [],
    });
    const writer = openWriter(name, { random });
    expect(() => writer.add([good!, bad])).toThrow(RangeError);
    expect(writer.add([good!, other!])).toEqual({ added: 1, already: 1 });
    writer.finish();
    writer.close();
    expectCounts(name, [good!, other!]);
  });

  test('rows keep every field, ids of 63 bits exactly', () => {
    const name = file('rows.sqlite');
    const id = 9_223_372_036_854_775_807n;
    const terms = { words: ['hé'], urlWords: [], flags: ['is:retweet', 'has:media', '#x'] };
    const more = {
      authorId: '12',
      username: 'Ann',
      text: 'Hé\u{1F600}',
      lang: 'en',
      rest: '{"a":1}',
      facts: '{"b":2}',
    };
    importAll(name, [newPost(id, START + 1, terms, more)]);
    const db = openDb(name);
    expect(
      db
        .prepare(
          'SELECT id, created_at, author_id, username, text, lang, flags, rest, facts FROM post',
          'exact',
        )
        .all(),
    ).toEqual([
      [id, BigInt(START + 1), '12', 'Ann', 'Hé\u{1F600}', 'en', 0b100001n, '{"a":1}', '{"b":2}'],
    ]);
    db.close();
  });

  test('objects are stored by kind and key, the newest of each', () => {
    const name = file('objects.sqlite');
    const writer = openWriter(name, { random });
    writer.putObjects([
      { kind: 'users', key: '1', json: '{"id":"1"}' },
      { kind: 'media', key: '1', json: '{"m":1}' },
    ]);
    writer.putObjects([{ kind: 'users', key: '1', json: '{"id":"1","name":"x"}' }]);
    writer.finish();
    writer.close();
    expect(rowsOf(name, 'SELECT kind, key, json FROM object ORDER BY kind')).toEqual([
      ['media', '1', '{"m":1}'],
      ['users', '1', '{"id":"1","name":"x"}'],
    ]);
  });
});

test('a full disk is reported, leaves the file unchanged, and more can be added once there is space', () => {
  const all = posts(12_000, 12);
  const name = file('full.sqlite');
  importAll(name, all.slice(0, 1000));
  const db = openPosts(name, { random });
  const pages = Number(db.prepare('PRAGMA page_count').get()![0]);
  db.exec(`PRAGMA max_page_count = ${pages + 20}`);
  const writer = createWriter(db);
  writer.add(all.slice(0, 10_000));
  let caught: unknown;
  try {
    writer.finish();
  } catch (error) {
    caught = error;
  }
  writer.close();
  expect(caught).toBeInstanceOf(StoreError);
  expect(caught).toMatchObject({ reason: 'full', file: name });
  expectCounts(name, all.slice(0, 1000));
  expect(importAll(name, all)).toEqual({ added: 11_000, already: 1000 });
  expectCounts(name, all);
});
