import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import { termsOf } from '#core/text/terms.ts';
import { checkPosts, type CheckReport } from '#server/maintenance/check.ts';
import { importFiles } from '#server/import/import.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import { finish } from '#server/index/steps.ts';
import { OPEN_POSTS } from '#server/index/chunk.ts';
import { entriesOf } from '#server/index/rare-terms.ts';
import { openDb } from '#server/db/driver.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { makePost } from '#tests/server/posts/changing-posts.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';
import { StoreError } from '#server/db/store-error.ts';

// Some of these fill files with tens of thousands of Posts.
vi.setConfig({ testTimeout: 120_000 });

const file = temporaryFolder();
const random = countingBytes();

function add(name: string, posts: readonly NewPost[]): void {
  const writer = openWriter(name, { random });
  writer.add(posts);
  writer.finish();
  writer.close();
}

function some(from: number, n: number, pick: ReturnType<typeof numbers>): NewPost[] {
  return Array.from({ length: n }, (_, i) => makePost(BigInt(from + i), pick));
}

function check(name: string): CheckReport {
  const work = checkPosts(name, { random });
  let before = 0;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    expect(step.value.posts).toBeGreaterThanOrEqual(before);
    expect(step.value.posts).toBeLessThanOrEqual(step.value.total);
    before = step.value.posts;
  }
}

function expectClean(name: string, posts: number): void {
  expect(check(name)).toMatchObject({ shown: [], problems: 0, needsRestore: false, posts });
}

/** Works on a file without waiting for the disk. */
function change(name: string, work: (db: ReturnType<typeof openPosts>) => void): void {
  const db = openPosts(name, { random }, { unindexed: true });
  db.exec('PRAGMA synchronous = OFF');
  work(db);
  db.close();
}

function rebuild(name: string): void {
  change(name, (db) => {
    for (const _ of reindex(db));
  });
}

describe('nothing is wrong', () => {
  test('with a file without Posts', () => {
    add(file('empty'), []);
    expectClean(file('empty'), 0);
  });

  test('after an import into a chunk', { tags: 'long' }, () => {
    const name = file('imported');
    add(name, some(1, OPEN_POSTS, numbers(1)));
    expectClean(name, OPEN_POSTS);
  });

  test('after imports into the open set, and while it is sealed', { tags: 'long' }, () => {
    const name = file('sealed');
    const pick = numbers(1);
    add(name, some(9000, 8191, pick));
    add(name, some(20_000, 300, pick));
    expectClean(name, 8491);
    change(name, (db) => {
      let steps = 0;
      for (const _ of compactIndex(db)) if (steps++ % 64 === 0) expectClean(name, 8491);
      expectClean(name, 8491);
    });
  });

  test('after creates, edits, deletes and every step of rewriting a chunk and of reindexing', () => {
    const name = file('clean');
    const pick = numbers(1);
    add(name, some(1, 120, pick));
    rebuild(name);
    add(name, some(20_000, 60, pick));
    change(name, (db) => {
      const changes = postChanges(db);
      for (let id = 1n; id <= 20n; id++) changes.remove(id);
      for (let id = 40n; id < 60n; id++) changes.edit(id, makePost(id + 30_000n, pick));
      changes.create(makePost(50_000n, pick));
      changes.remove(20_000n);
      changes.create(makePost(20_000n, pick));
      changes.remove(50_000n);
      expectClean(name, 160);
      for (let id = 60_000n; id < 60_002n; id++) changes.create(makePost(id, pick));
      for (const _ of compactIndex(db)) expectClean(name, 162);
      expectClean(name, 162);
      for (const _ of reindex(db)) expectClean(name, 162);
      expect(check(name).notes).toEqual([]);
      changes.remove(60_001n);
      expectClean(name, 161);
    });
  });

  test('while an interrupted step has left something, which is noted', () => {
    const name = file('cut-off');
    add(name, some(1, 500, numbers(2)));
    change(name, (db) => {
      for (const { posts } of reindex(db)) if (posts === 500) break;
      // The first chunk is being written.
      db.exec("INSERT INTO chunk SELECT 77, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, x'00', x'00'");
    });
    expectClean(name, 500);
    expect(check(name).notes).toEqual([
      expect.stringMatching(/^Left over from a step that .*: \d chunks?\. None of it counts/),
    ]);
  });

  test('if others write meanwhile: one state is checked', () => {
    const name = file('meanwhile');
    const pick = numbers(3);
    add(name, some(1, 1500, pick));
    const work = checkPosts(name, { random });
    work.next();
    change(name, (db) => {
      postChanges(db).remove(5n);
      for (const _ of reindex(db));
      postChanges(db).create(makePost(5000n, pick));
    });
    expect(finish(work)).toMatchObject({ problems: 0, posts: 1500 });
    expectClean(name, 1500);
  });
});

const data = realData();
test.runIf(data)(
  'nothing is wrong with real Posts of every form, sealed or not',
  { tags: 'long' },
  async () => {
    const name = file('real');
    const addFiles = async (files: readonly string[]): Promise<number> => {
      const deps = {
        signal: new AbortController().signal,
        now: () => Date.UTC(2026, 10, 21),
        random,
      };
      return (await importFiles({ files, store: name }, deps)).added;
    };
    const samples = ['tweets.js', 'v2-edited.jsonl', 'v2-cashtags.jsonl'];
    const open = await addFiles(samples.map((sample) => join(data!, 'samples', sample)));
    const clean = { shown: [], problems: 0, notes: [], needsRestore: false };
    expect(check(name)).toMatchObject({ ...clean, posts: open });
    rebuild(name);
    expect(check(name)).toMatchObject({ ...clean, posts: open });
    const [fight] = postFiles(data!, 'mayweather');
    const lines = gunzipSync(readFileSync(fight!)).toString().split('\n').slice(0, 3001);
    writeFileSync(file('fight.csv'), lines.join('\n'));
    const posts = open + (await addFiles([file('fight.csv')]));
    expect(check(name)).toMatchObject({ ...clean, posts });
  },
);

/** A copy of a file that was changed. @returns Its name. */
function damaged(whole: string, as: string, sql: string): string {
  const name = file(as.replaceAll(' ', '-'));
  copyFileSync(whole, name);
  const db = openDb(name);
  db.exec(sql);
  db.close();
  return name;
}

/** A file with a chunk of 238 living Posts and an open set of 39, small enough to be copied for every test. */
function base(): string {
  const name = file('base');
  const pick = numbers(4);
  add(name, some(1, 240, pick));
  rebuild(name);
  add(name, some(1000, 40, pick));
  change(name, (db) => {
    const changes = postChanges(db);
    changes.remove(7n);
    changes.edit(8n, makePost(2000n, pick));
    changes.remove(1007n);
  });
  expectClean(name, 278);
  return name;
}

const CHUNK = '(SELECT max(c) FROM live)';

/** A file with a chunk whose Posts have the words of a pair, once for all tests. @returns Its name. */
function pairs(): string {
  const name = file('pairs');
  if (existsSync(name)) return name;
  const texts = ['milk tea', 'milk or tea', 'a cup of tea with milk'];
  const posts = Array.from({ length: OPEN_POSTS }, (_, i) => {
    const text = texts[i % texts.length]!;
    const terms = termsOf({ text, username: 'ann', lang: 'en' });
    return { ...makePost(BigInt(i + 1), numbers(i)), text, username: 'ann', lang: 'en', terms };
  });
  add(name, posts);
  expectClean(name, OPEN_POSTS);
  return name;
}

describe('damage is found', () => {
  const made = base();
  const idOf = (o: number): bigint => {
    const db = openDb(made);
    const ids = db.prepare('SELECT ids FROM chunk WHERE c = (SELECT c FROM live)').get()?.[0];
    db.close();
    if (!Buffer.isBuffer(ids)) throw new TypeError('expected ids');
    return ids.readBigInt64LE(o * 8);
  };
  const middle = idOf(120);
  const rare = ((): string => {
    const db = openDb(made);
    const block = db.prepare('SELECT block FROM tail ORDER BY h').get()?.[0];
    db.close();
    const [entry] = Buffer.isBuffer(block) ? entriesOf(block) : [];
    if (!entry) throw new TypeError('expected a rare term');
    return entry.term;
  })();
  const list = (sql: string): string => `${sql} WHERE c = ${CHUNK} AND term = 'cat'`;

  test.each([
    ['a chunk is gone', `DELETE FROM chunk`, /^Chunk 1 counts but is not in the store\.$/],
    ['a chunk does not count', `DELETE FROM live`, /^Post 1 is in the store but does not count\.$/],
    [
      'a chunk has another number of Posts than it says',
      `UPDATE chunk SET n = 239`,
      /^Chunk 1 says that it has 239 Posts but has times of 240 Posts and ids of 240\.$/,
    ],
    [
      'times are out of order',
      `UPDATE chunk SET times = CAST(substr(times, 481, 480) || substr(times, 1, 480) AS BLOB)`,
      /^Chunk 1: Post \d+ is out of the order of time\.$/,
    ],
    [
      'a time is wrong',
      `UPDATE post SET created_at = created_at + 1000, sum = NULL WHERE id = ${middle}`,
      new RegExp(`^Chunk 1 has Post ${middle} at 2017\\S+Z; it is from 2017\\S+Z\\.$`),
    ],
    [
      'the first instant is wrong',
      `UPDATE chunk SET t0 = t0 - 1`,
      /^Chunk 1 says that its first Post is from 2017\S+; it is from 2017\S+\.$/,
    ],
    [
      'the last instant is wrong',
      `UPDATE chunk SET t1 = t1 + 5000`,
      /^Chunk 1 says that its last Post is from 2017\S+; it is from 2017\S+\.$/,
    ],
    [
      'the lowest id is wrong',
      `UPDATE chunk SET id0 = 2`,
      /^Chunk 1 says that its ids are 2 to 240; they are 1 to 240\.$/,
    ],
    [
      'the highest id is wrong',
      `UPDATE chunk SET id1 = 241`,
      /^Chunk 1 says that its ids are 1 to 241; they are 1 to 240\.$/,
    ],
    [
      'a Post that counts has no row',
      `DELETE FROM post WHERE id = ${middle}`,
      new RegExp(`^Post ${middle} counts in chunk 1 but is not in the store\\.$`),
    ],
    [
      'a Post that was edited counts',
      `DELETE FROM tombstone WHERE c > 0`,
      /^Post 8 was edited but still counts in chunk 1\.$/,
    ],
    [
      'a Post is marked as dead that is not',
      `INSERT INTO tombstone VALUES (1, 120, 1)`,
      new RegExp(`^Post ${middle} is in the store but does not count\\.$`),
    ],
    [
      'a tombstone points beyond its chunk',
      `INSERT INTO tombstone VALUES (1, 240, 1)`,
      /^Chunk 1: place 240 is marked as deleted, but there are 240 places\.$/,
    ],
    [
      'a tombstone points at no chunk',
      `INSERT INTO tombstone VALUES (9, 3, 1)`,
      /^Place 3 of chunk 9 is marked as deleted but is not there\.$/,
    ],
    [
      'a tombstone points at no open Post',
      `INSERT INTO tombstone VALUES (0, 90000, 1)`,
      /^Open Post 90000 is marked as deleted but is not there\.$/,
    ],
    [
      'a Post counts twice',
      `INSERT INTO open_post SELECT n + 5000, id, created_at, terms, sum FROM open_post WHERE id = 1020`,
      /^Post 1020 counts 2 times\.$/,
    ],
    [
      'a term is gone',
      list(`DELETE FROM posting`),
      /^Chunk 1, term "cat": it does not find Post \d+, which has it \(\d+ Posts in all\)\.$/,
    ],
    [
      'a term is on too many Posts',
      list(
        `UPDATE posting SET list = (SELECT list FROM posting WHERE term = 'lang:en'), spots = NULL`,
      ),
      /^Chunk 1, term "cat": it (finds Post \d+, which does not have|does not find Post \d+, which has) it/,
    ],
    [
      'a word is at other places',
      list(
        `UPDATE posting SET spots = CAST(substr(spots, 1, length(spots) - 4) || x'09' || substr(spots, -3) AS BLOB)`,
      ),
      /^Chunk 1, term "cat": Post \d+ has it at other places\.$/,
    ],
    [
      'positions are cut off',
      list(`UPDATE posting SET spots = CAST(substr(spots, 2) AS BLOB)`),
      /^Chunk 1, term "cat": its positions do not fit its list of Posts\.$/,
    ],
    [
      'a list is out of order',
      list(`UPDATE posting SET list = CAST(substr(list, 3) || substr(list, 1, 2) AS BLOB)`),
      /^Chunk 1, term "cat": its list of Posts is out of order/,
    ],
    [
      'a list points beyond the chunk',
      list(`UPDATE posting SET list = CAST(list || x'ffff' AS BLOB)`),
      /^Chunk 1, term "cat": its list of Posts is out of order, or empty, or points beyond the chunk\.$/,
    ],
    [
      'a rare term is gone',
      `DELETE FROM tail WHERE h = (SELECT min(h) FROM tail)`,
      /^Chunk 1, term "\S+": it does not find Post \d+, which has it/,
    ],
    [
      'a block of rare terms is in another place',
      `UPDATE tail SET h = h + 1 WHERE h = (SELECT max(h) FROM tail)`,
      /^Chunk 1, term "\S+": it is stored where no query looks for it\.$/,
    ],
    [
      'a rare term is there twice',
      `INSERT INTO posting SELECT c, '${rare}', 0, 0, 0, list, spots FROM posting WHERE term = 'cat'`,
      new RegExp(`^Chunk 1, term "${rare}": it is there twice, and one of them is never read`),
    ],
    [
      'the filter denies terms',
      `UPDATE filter SET bits = zeroblob(length(bits))`,
      /^Chunk 1, term "\S+": the chunk's filter denies it\.$/,
    ],
    [
      'an open Post has another time',
      `UPDATE open_post SET created_at = created_at + 1 WHERE id = 1020`,
      /^The open set has Post 1020 at 2017\S+; it is from 2017\S+\.$/,
    ],
    [
      'an open Post has other terms',
      `UPDATE open_post SET terms = replace(terms, '"words":[', '"words":["zebra",') WHERE id = 1020`,
      /^The open set, term "zebra": it differs for Post 1020 in the store\.$/,
    ],
    [
      'an open Post has other flags',
      `UPDATE open_post SET terms = replace(terms, '"flags":[', '"flags":["is:quote",') WHERE id = 1020`,
      /^The open set, term "\S+": it differs for Post 1020 in the store\.$/,
    ],
    [
      'the terms of an open Post are cut off',
      `UPDATE open_post SET terms = substr(terms, 1, 20) WHERE id = 1020`,
      /^The open set: the terms of Post 1020 cannot be read\.$/,
    ],
    [
      'the terms of an open Post are of another form',
      `UPDATE open_post SET terms = '{"words":["a"],"flags":[]}' WHERE id = 1020`,
      /^The open set: the terms of Post 1020 cannot be read\.$/,
    ],
    [
      'the terms of an open Post are not UTF-8',
      `UPDATE open_post SET terms = CAST(x'7bff' AS TEXT) WHERE id = 1020`,
      /^The open set: the terms of Post 1020 cannot be read\.$/,
    ],
    [
      'a term is not UTF-8',
      list(`UPDATE posting SET term = CAST(x'6361ff' AS TEXT)`),
      /^Chunk 1, term "cat": it does not find Post \d+, which has it/,
    ],
    [
      'an open Post has no row',
      `DELETE FROM post WHERE id = 1020`,
      /^Post 1020 counts in the open set but is not in the store\.$/,
    ],
    [
      'an open Post is gone',
      `DELETE FROM open_post WHERE id = 1020`,
      /^Post 1020 is in the store but does not count\.$/,
    ],
    [
      'the index is of another version',
      `UPDATE meta SET value = '0' WHERE key = 'index'`,
      /^The index has version 0; this program needs \d+\.$/,
    ],
  ])('%s, and fixed by a rebuilt index', (what, sql, problem) => {
    const name = damaged(made, what, sql);
    const report = check(name);
    expect(report.shown).toContainEqual(expect.stringMatching(problem));
    expect(report.problems).toBeGreaterThanOrEqual(report.shown.length);
    expect(report.needsRestore).toBe(false);
    rebuild(name);
    const { problems, shown, notes } = check(name);
    expect({ problems, shown, notes }).toEqual({ problems: 0, shown: [], notes: [] });
  });

  test.each([
    [
      'gone',
      `DELETE FROM posting WHERE term = 'pair:milk tea'`,
      /^Chunk 1, term "pair:milk tea": it does not have the Posts in which these words follow/,
    ],
    [
      'on other Posts',
      `UPDATE posting SET list = (SELECT list FROM posting WHERE term = 'milk') WHERE term = 'pair:milk tea'`,
      /^Chunk 1, term "pair:milk tea": it does not have the Posts in which these words follow/,
    ],
    [
      'of words that are not common',
      `INSERT INTO posting SELECT c, 'pair:milk cup', 0, 0, 0, list, NULL FROM posting WHERE term = 'milk'`,
      /^Chunk 1, term "pair:milk cup": it is there, but these words are not common/,
    ],
  ])('a pair is %s, and no phrase is counted by it', { tags: 'long' }, (what, sql, problem) => {
    const name = file(`pair-${what.replaceAll(' ', '-')}`);
    copyFileSync(pairs(), name);
    const phrase: Condition = { kind: 'phrase', field: 'word', tokens: ['milk', 'tea'] };
    const count = (): number => {
      const source = openSource(name, { random });
      try {
        const span = { start: 0, end: Date.UTC(2020, 0, 1) };
        return source.index.histogram(phrase, span, 'day').reduce((sum, n) => sum + n, 0);
      } finally {
        source.close();
      }
    };
    expect(count()).toBe(Math.ceil(OPEN_POSTS / 3));
    const db = openDb(name);
    db.exec(sql);
    db.close();
    expect(check(name).shown).toContainEqual(expect.stringMatching(problem));
    if (what.includes('common')) expect(count()).toBe(Math.ceil(OPEN_POSTS / 3));
    else expect(count).toThrow(StoreError);
    rebuild(name);
    expectClean(name, OPEN_POSTS);
  });

  test('the first twenty are described, the others counted', () => {
    const { shown, problems } = check(damaged(made, 'many', 'DELETE FROM open_post'));
    expect([shown.length, problems]).toEqual([20, 41]);
  });

  test.each([
    ['facts', "'[['"],
    ['rest', "'[1]'"],
    ['text', "CAST(x'7465ff' AS TEXT)"],
    ['username', "CAST(x'c3' AS TEXT)"],
  ])('a row cannot be read because of its %s, which no rebuilt index fixes', (column, value) => {
    const sql = `UPDATE post SET ${column} = ${value} WHERE id IN (${middle}, 1020)`;
    const name = damaged(made, `row ${column}`, sql);
    const { shown, problems, needsRestore } = check(name);
    expect([problems, needsRestore]).toEqual([2, true]);
    expect(shown).toEqual(
      [middle, 1020].map((id) => expect.stringMatching(`^The row of Post ${id} cannot be read: `)),
    );
  });

  test('the file itself is broken', () => {
    const name = file('broken');
    copyFileSync(made, name);
    const db = openDb(name);
    const page = Number(
      db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'post'`).get()?.[0],
    );
    db.close();
    const bytes = openSync(name, 'r+');
    writeSync(bytes, Buffer.alloc(8192, 0xa5), 0, 8192, (page - 1) * 8192);
    closeSync(bytes);
    const { shown, needsRestore } = check(name);
    expect(shown[0]).toMatch(/^The file is damaged: /);
    expect(needsRestore).toBe(true);
  });

  test('the file is too short to be opened', () => {
    const name = file('cut');
    copyFileSync(made, name);
    truncateSync(name, Math.floor(statSync(name).size / 2 / 8192) * 8192);
    expect(() => check(name)).toThrow(/is damaged; restore it from a backup/);
  });
});

describe('rows of an older format', () => {
  /** A Post with fields in `rest` and without facts, indexed by another term than they give today. */
  function older(name: string, sealed: boolean, text: string): void {
    const post = {
      ...makePost(1n, numbers(5)),
      text: 'tea',
      rest: '{"conversation_id":"5"}',
      terms: { words: [text], urlWords: [], flags: ['conversation_id:5', 'to:ann', 'lang:en'] },
      username: null,
      lang: 'en',
    };
    add(name, [post, ...some(2, 20, numbers(6))]);
    if (!sealed) return;
    rebuild(name);
    change(name, (db) => {
      db.exec(
        `UPDATE post SET sum = NULL, facts = '{"text":"${text}","inReplyToUsername":"ann"}' WHERE id = 1`,
      );
      for (const _ of reindex(db));
      db.exec('UPDATE post SET facts = NULL WHERE id = 1');
    });
  }

  test.each([false, true])('may differ in names, which is a note (sealed: %s)', (sealed) => {
    const name = file(`older-${sealed}`);
    older(name, sealed, 'tea');
    const { problems, shown, notes } = check(name);
    expect({ problems, shown }).toEqual({ problems: 0, shown: [] });
    expect(notes).toEqual([expect.stringMatching(/^1 Post of an older format/)]);
  });

  test.each([false, true])('may not differ in words (sealed: %s)', (sealed) => {
    const name = file(`older-words-${sealed}`);
    older(name, sealed, 'milk');
    expect(check(name).shown).toContainEqual(expect.stringContaining('term "milk"'));
  });
});
