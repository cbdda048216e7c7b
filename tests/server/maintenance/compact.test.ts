import { constants, copyFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { openWriter } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { needsCompaction, compactIndex } from '#server/maintenance/compact.ts';
import { openDb, type Db } from '#server/db/driver.ts';
import { CHUNK_POSTS } from '#server/index/chunk.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import { Expected, makePost } from '#tests/server/posts/changing-posts.ts';
import { postChanges, PostExistsError } from '#server/posts/editor/post-changes.ts';

// Some of these fill files with tens of thousands of Posts.
vi.setConfig({ testTimeout: 120_000 });

const file = temporaryFolder();
const random = countingBytes();

function add(name: string, expected: Expected, posts: ReturnType<typeof makePost>[]): void {
  const writer = openWriter(name, { random });
  writer.add(posts);
  writer.finish();
  writer.close();
  for (const post of posts) if (!expected.posts.has(post.id)) expected.add(post);
}

function some(from: number, n: number, pick: ReturnType<typeof numbers>) {
  return Array.from({ length: n }, (_, i) => makePost(BigInt(from + i), pick));
}

/** A file with chunks of 300, 8200 and 8200 Posts, made once and copied. One more, and they are merged. */
const threeChunks = { name: file('three-chunks'), expected: new Expected(), posts: 16_700 };
beforeAll(() => {
  const { name, expected } = threeChunks;
  const pick = numbers(2);
  add(name, expected, some(9000, 300, pick));
  const db = openQuickly(name);
  for (const _ of reindex(db));
  db.close();
  for (const from of [1, 10_000]) add(name, expected, some(from, 8200, pick));
});

function copyOfThreeChunks(name: string): Expected {
  copyFileSync(threeChunks.name, name, constants.COPYFILE_FICLONE);
  return threeChunks.expected.copy();
}

/** A file to change, without waiting for the disk. */
function openQuickly(name: string): Db {
  const db = openPosts(name, { random });
  db.exec('PRAGMA synchronous = OFF');
  return db;
}

function numberOf(name: string, sql: string): number {
  const db = openDb(name);
  const value = Number(db.prepare(sql).get()?.[0]);
  db.close();
  return value;
}

describe('single Posts', () => {
  test('count at once when created, edited and deleted, in the open set and in chunks', () => {
    const name = file('single');
    const pick = numbers(1);
    const expected = copyOfThreeChunks(name);
    add(name, expected, some(20_000, 100, pick));
    const db = openQuickly(name);
    const changes = postChanges(db);
    const source = openSource(name, { random });
    let next = 30_000n;
    for (const id of [5n, 8200n, 20_000n, 20_099n]) {
      const { revision, mark } = source.index;
      expect(changes.remove(id)).toBe(true);
      expect(changes.remove(id)).toBe(false);
      expected.remove(id);
      expected.compare(source);
      const again = makePost(id, pick);
      changes.create(again);
      expected.add(again);
      expected.compare(source);
      const edited = makePost(next++, pick);
      expect(changes.edit(id, edited)).toBe(true);
      expect(changes.edit(id, makePost(next, pick))).toBe(false);
      expected.remove(id);
      expected.add(edited);
      expected.compare(source);
      expect(source.index.revision).toBe(revision + 3);
      expect(source.index.changesSince(revision, mark)!.length).toBeGreaterThan(0);
    }
    expect(() => changes.create(makePost(6n, pick))).toThrow(PostExistsError);
    expect(() => changes.edit(7n, makePost(6n, pick))).toThrow(PostExistsError);
    expect(changes.edit(77_777n, makePost(88_888n, pick))).toBe(false);
    expected.compare(source);
    source.close();
    db.close();
    expected.compareFile(name, random);
  });
});

describe('compaction', () => {
  test('seals a full open set, merges small chunks, and leaves a file that needs none', () => {
    const name = file('joined');
    const pick = numbers(2);
    const expected = copyOfThreeChunks(name);
    for (const from of [20_000, 30_000]) add(name, expected, some(from, 5000, pick));
    const db = openQuickly(name);
    const source = openSource(name, { random });
    const { revision } = source.index;
    expect(needsCompaction(db)).toBe(true);
    expect(numberOf(name, 'SELECT count(*) FROM live')).toBe(3);
    let steps = 0;
    for (const _ of compactIndex(db)) if (steps++ % 40 === 0) expected.compare(source);
    expected.compare(source);
    expect(source.index.revision).toBe(revision);
    expect(needsCompaction(db)).toBe(false);
    for (const [table, rows] of [
      ['live', 1],
      ['chunk', 1],
      ['open_post', 0],
      ['tombstone', 0],
    ] as const) {
      expect([table, numberOf(name, `SELECT count(*) FROM ${table}`)]).toEqual([table, rows]);
    }
    expect(numberOf(name, 'SELECT count(DISTINCT c) FROM posting')).toBe(1);
    source.close();
    db.close();
  });

  test(
    'rewrites a chunk with many deleted Posts, and removes one with only deleted ones',
    { tags: 'long' },
    () => {
      const name = file('worn');
      const expected = new Expected();
      add(name, expected, some(1, 800, numbers(3)));
      const db = openQuickly(name);
      for (const _ of reindex(db));
      const changes = postChanges(db);
      const source = openSource(name, { random });
      const removeSome = (from: number, to: number): void => {
        for (let id = from; id < to; id++) {
          changes.remove(BigInt(id));
          expected.remove(BigInt(id));
        }
      };
      removeSome(1, 120);
      expected.compare(source);
      for (const _ of compactIndex(db));
      expected.compare(source);
      expect(numberOf(name, 'SELECT n FROM chunk')).toBe(681);
      expect(numberOf(name, 'SELECT count(*) FROM tombstone')).toBe(0);
      removeSome(120, 801);
      for (const _ of compactIndex(db));
      expected.compare(source);
      expect(numberOf(name, 'SELECT count(*) FROM chunk')).toBe(0);
      source.close();
      db.close();
    },
  );
});

describe('reindex', () => {
  test('leaves all answers the same, with chunks by time', { tags: 'long' }, () => {
    const name = file('reindexed');
    const pick = numbers(4);
    const expected = copyOfThreeChunks(name);
    // Just more than a full chunk, most of it with few texts.
    const texts = some(30_000, 500, pick);
    const filler = Array.from({ length: CHUNK_POSTS - threeChunks.posts }, (_, i) => {
      const { createdAt } = texts[pick(500)]!;
      return { ...texts[i % 500]!, id: BigInt(30_000 + i), createdAt: createdAt + pick(1000) };
    });
    add(name, expected, filler);
    // More than a day has: Posts of one day are in no order across chunks.
    add(name, expected, some(90_000, 2500, pick));
    const db = openQuickly(name);
    const changes = postChanges(db);
    const source = openSource(name, { random });
    for (const id of [7n, 30_001n, 90_001n]) {
      changes.remove(id);
      expected.remove(id);
    }
    const edited = makePost(200_000n, pick);
    changes.edit(8n, edited);
    expected.remove(8n);
    expected.add(edited);
    const { revision, mark } = source.index;
    const reported: number[] = [];
    for (const { posts, total } of reindex(db)) {
      expect(posts).toBeLessThanOrEqual(total);
      reported.push(posts);
    }
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    expected.compare(source);
    expect(source.index.revision).toBeGreaterThan(revision);
    expect(source.index.changesSince(revision, mark)).toHaveLength(1);
    expect(numberOf(name, 'SELECT count(*) FROM chunk')).toBe(2);
    const disjoint = 'SELECT count(*) FROM chunk a JOIN chunk b ON a.c < b.c AND a.t1 > b.t1';
    expect(numberOf(name, disjoint)).toBe(0);
    expect(numberOf(name, 'SELECT count(*) FROM open_post')).toBe(0);
    source.close();
    db.close();
    expected.compareFile(name, random);
  });

  test('fixes an index that lost Posts, counts some twice, or has another version', () => {
    const name = file('fixed');
    const expected = copyOfThreeChunks(name);
    const broken = openDb(name);
    broken.exec(`DELETE FROM live WHERE c = 2; UPDATE meta SET value = '0' WHERE key = 'index'`);
    broken.exec(`DELETE FROM posting WHERE term = 'cat'; INSERT INTO tombstone VALUES (1, 4, 1)`);
    broken.close();
    const db = openPosts(name, { random }, { unindexed: true });
    for (const _ of reindex(db));
    db.close();
    expected.compareFile(name, random);
  });
});

/** Steps of work on the index, creates, edits, deletes, imports and counts, in any order. */
function play(name: string, seed: number, rounds: number): void {
  const pick = numbers(seed);
  const expected = copyOfThreeChunks(name);
  for (const from of [40_000, 50_000]) add(name, expected, some(from, 4096, pick));
  let db = openQuickly(name);
  let changes = postChanges(db);
  let source = openSource(name, { random });
  let work: Generator<unknown> | null = null;
  let next = 100_000n;
  const anyId = (): bigint => {
    let id = BigInt(pick(50_000));
    while (!expected.posts.has(id)) id = BigInt(pick(50_000));
    return id;
  };
  for (let round = 0; round < rounds; round++) {
    switch (pick(8)) {
      case 0: {
        const post = makePost(pick(4) === 0 ? next++ : anyId(), pick);
        if (expected.posts.has(post.id)) changes.remove(post.id);
        changes.create(post);
        expected.add(post);
        break;
      }
      case 1: {
        const [previous, post] = [anyId(), makePost(next++, pick)];
        expect(changes.edit(previous, post)).toBe(true);
        expected.remove(previous);
        expected.add(post);
        break;
      }
      case 2:
        for (let i = pick(40); i >= 0; i--) {
          const id = anyId();
          expect(changes.remove(id)).toBe(true);
          expected.remove(id);
        }
        break;
      case 3:
        if (pick(4) === 0) {
          const many = pick(3) === 0 ? 8500 : pick(400);
          add(
            name,
            expected,
            Array.from({ length: many }, () => makePost(next++, pick)),
          );
        }
        break;
      case 4:
        // Interrupted, as by the end of the process; the next work finds its remains.
        if (pick(6) === 0) {
          work = null;
          source.close();
          db.close();
          db = openQuickly(name);
          changes = postChanges(db);
          source = openSource(name, { random });
        }
        break;
      default:
        work ??= pick(3) === 0 ? reindex(db) : compactIndex(db);
        for (let steps = pick(30); steps >= 0 && work; steps--) if (work.next().done) work = null;
    }
    if (pick(4) === 0) expected.compare(source);
  }
  for (const _ of work ?? []);
  expected.compare(source);
  for (const _ of compactIndex(db));
  expected.compare(source);
  source.close();
  db.close();
  expected.compareFile(name, random);
}

// Seed 12 soon interleaves both kinds of work with changes, and abandons one.
test.each(long() ? [11, 12, 13, 14, 15, 16] : [12])(
  'whatever changes between the steps of compaction and reindex counts once (seed %i)',
  (seed) => play(file(`play-${seed}`), seed, long() ? 150 : 30),
);
