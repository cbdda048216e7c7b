import {
  closeSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { openWriter } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { openDb } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { openSnapshot } from '#server/db/snapshot.ts';
import { openPosts, POSTS_KIND } from '#server/posts/store/post-table.ts';
import { openService } from '#server/auth/store.ts';
import { openSource } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from './folder.ts';
import { StoreError } from '#server/db/store-error.ts';

const file = temporaryFolder();
const random = countingBytes();

/** The reason why work fails. */
function reason(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  }
  return 'nothing failed';
}

function filled(name: string, posts: number): string {
  const writer = openWriter(name, { random });
  writer.add(
    Array.from({ length: posts }, (_, i) => ({
      id: BigInt(i),
      createdAt: i * 1000,
      authorId: null,
      username: null,
      lang: null,
      rest: null,
      facts: null,
      text: `word${i} again`,
      terms: { words: [`word${i}`, 'again'], urlWords: [], flags: [] },
    })),
  );
  writer.finish();
  writer.close();
  return name;
}

test.each(['newer-version', 'earlier-version'] as const)(
  'a file of another format is refused and left unchanged: %s',
  (why) => {
    const name = filled(file(why), 3);
    const db = openDb(name);
    db.write('test', () => metaOf(db).put('format', why === 'newer-version' ? 1000 : 14));
    db.close();
    const before = readFileSync(name);
    expect(reason(() => openPosts(name, { random }))).toBe(why);
    expect(reason(() => openSource(name, { random }))).toBe(why);
    expect(reason(() => openSnapshot(name, POSTS_KIND))).toBe(why);
    expect(readFileSync(name).equals(before)).toBe(true);
  },
);

test('a file whose index is of another version is not counted until it is rebuilt', () => {
  const name = filled(filled(file('index'), 300), 303);
  const db = openDb(name);
  db.exec(`UPDATE meta SET value = '1' WHERE key = 'index'; UPDATE post SET sum = NULL;`);
  db.close();
  expect(reason(() => openSource(name, { random }))).toBe('unindexed');
  expect(reason(() => openWriter(name, { random }))).toBe('unindexed');
  const old = openPosts(name, { random }, { unindexed: true });
  for (const _ of reindex(old));
  expect(Number(old.prepare('SELECT count(*) FROM post WHERE sum IS NULL').get()?.[0])).toBe(0);
  old.close();
  const source = openSource(name, { random });
  const span = { start: 0, end: 10_000_000 };
  const count = (term: string): number[] => [
    ...source.index.histogram({ kind: 'term', term }, span, 'day'),
  ];
  expect([count('again'), count('word299')]).toEqual([[303], [1]]);
  source.close();
});

test('a file that is not a store of this kind is refused and left unchanged', () => {
  writeFileSync(file('text'), 'id,created_at,text\n'.repeat(500));
  expect(reason(() => openPosts(file('text'), { random }))).toBe('not-a-store');
  expect(readFileSync(file('text'), 'utf8')).toBe('id,created_at,text\n'.repeat(500));

  const foreign = openDb(file('foreign'));
  foreign.exec('CREATE TABLE post (x)');
  foreign.close();
  expect(reason(() => openPosts(file('foreign'), { random }))).toBe('not-a-store');

  openService(file('service'), { random }).close();
  expect(reason(() => openPosts(file('service'), { random }))).toBe('not-a-store');
});

test('a file in a missing folder cannot be opened', () => {
  expect(reason(() => openPosts(file('no/such/folder'), { random }))).toBe('unopenable');
});

/** Posts that are written as a chunk. */
const CHUNK = 9000;

/** Opens a file and reads all of it. */
function readAll(name: string): void {
  const source = openSource(name, { random });
  const span = { start: 0, end: 20_000_000 };
  for (const term of ['again', ...Array.from({ length: 500 }, (_, i) => `word${i * 18}`)]) {
    source.index.histogram({ kind: 'term', term }, span, 'day');
  }
  source.close();
}

test('a truncated file is reported as damaged', () => {
  const name = filled(file('cut'), CHUNK);
  readAll(name);
  truncateSync(name, Math.floor(statSync(name).size / 8192 / 2) * 8192);
  expect(reason(() => readAll(name))).toBe('damaged');
});

test('overwritten pages are reported as damaged', () => {
  const name = filled(file('overwritten'), CHUNK);
  const handle = openSync(name, 'r+');
  const pages = statSync(name).size / 8192 - 1;
  writeSync(handle, Buffer.alloc(8192 * pages, 0xaa), 0, 8192 * pages, 8192);
  closeSync(handle);
  expect(reason(() => readAll(name))).toBe('damaged');
});

test('a second writer gives up after its timeout with the reason', () => {
  const name = filled(file('busy'), 1);
  const [one, other] = [openDb(name), openDb(name, { busyMs: 1 })];
  one.write('test', () => {
    expect(reason(() => other.write('test', () => {}))).toBe('busy');
  });
  other.write('test', () => {});
  one.close();
  other.close();
});

test('a write that throws leaves nothing behind, and the next one succeeds', () => {
  const db = openPosts(file('thrown'), { random });
  const put = db.prepare(`INSERT INTO meta (key, value) VALUES (?, 'x')`);
  expect(() =>
    db.write('test', () => {
      put.run(['a']);
      throw new Error('stop');
    }),
  ).toThrow('stop');
  db.write('test', () => put.run(['b']));
  expect(db.prepare(`SELECT key FROM meta WHERE value = 'x'`).all()).toEqual([['b']]);
  db.close();
});
