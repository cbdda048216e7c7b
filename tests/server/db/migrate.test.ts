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
import { openWriter, postChanges } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { openDb, StoreError } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openService } from '#server/auth/store.ts';
import { openSource } from '#server/posts/index/source.ts';
import { POSTS_2 } from '#server/migrations/posts-2.ts';
import { writeEarlier } from './earlier.ts';
import { countingBytes, temporaryFolder } from './folder.ts';

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

test('a file of a newer version is refused and left unchanged', () => {
  const name = filled(file('newer'), 3);
  const db = openDb(name);
  db.exec(`UPDATE meta SET value = '1000' WHERE key = 'format'`);
  db.close();
  const before = readFileSync(name);
  expect(reason(() => openPosts(name, { random }))).toBe('newer-version');
  expect(reason(() => openSource(name, { random }))).toBe('newer-version');
  expect(readFileSync(name)).toEqual(before);
});

test.each([1, 2] as const)('a file of format %i is upgraded, and counts as before', (format) => {
  const name = file(`of-${format}`);
  writeEarlier(filled(filled(file(`now-${format}`), 9000), 9003), name, format);
  const [last, again] = [
    { kind: 'term', term: 'word8999' },
    { kind: 'term', term: 'again' },
  ] as const;
  // An earlier program's index has no checksums: it is rebuilt from the Posts.
  expect(reason(() => openSource(name, { random }))).toBe('unindexed');
  const old = openPosts(name, { random }, { unindexed: true });
  for (const _ of reindex(old));
  expect(Number(old.prepare('SELECT count(*) FROM post WHERE sum IS NULL').get()?.[0])).toBe(0);
  old.close();
  const source = openSource(name, { random });
  expect(source.index.members('1')).toEqual([]);
  const span = { start: 0, end: 10_000_000 };
  expect([...source.index.histogram(again, span, 'day')]).toEqual([9003]);
  expect([...source.index.histogram(last, span, 'day')]).toEqual([1]);
  source.close();
  const db = openDb(name);
  const changes = postChanges(db);
  expect([changes.remove(8999n), changes.remove(9001n), changes.remove(9003n)]).toEqual([
    true,
    true,
    false,
  ]);
  db.close();
  const after = openSource(name, { random });
  expect([...after.index.histogram(again, span, 'day')]).toEqual([9001]);
  expect([...after.index.histogram(last, span, 'day')]).toEqual([0]);
  after.close();
});

test('the members of lists of format 7 become relations', () => {
  const name = filled(file('members'), 3);
  const db = openDb(name);
  db.exec(`
    DROP INDEX protected_user; DROP TABLE covered; DROP TABLE posted;
    DROP TABLE relation; DROP TABLE relation_count; DROP TABLE list; DROP TABLE charge;
    DROP TABLE event; DROP TABLE event_moved; DROP TABLE event_session; DROP TABLE forward;
    DROP TABLE collection; ALTER TABLE post DROP COLUMN collections;
    DELETE FROM meta WHERE key = 'collections';
    ${POSTS_2}
    INSERT INTO member VALUES ('7', '12'), ('7', '14'), ('8', '12');
    UPDATE meta SET value = '7' WHERE key = 'format';
  `);
  db.close();
  const source = openSource(name, { random });
  expect([...source.index.members('7')].sort()).toEqual(['12', '14']);
  expect(source.index.members('8')).toEqual(['12']);
  expect(source.posts.relations.count('member', 'target', 12n)).toEqual({ total: 2, made: 0 });
  source.close();
});

test('a file whose index is of another version is not counted', () => {
  const name = filled(file('index'), 3);
  const db = openDb(name);
  db.exec(`UPDATE meta SET value = '0' WHERE key = 'index'`);
  db.close();
  expect(reason(() => openSource(name, { random }))).toBe('unindexed');
  expect(reason(() => openWriter(name, { random }))).toBe('unindexed');
  openPosts(name, { random }, { unindexed: true }).close();
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

/** Opens a file and reads all of it. */
function readAll(name: string): void {
  const source = openSource(name, { random });
  const span = { start: 0, end: 20_000_000 };
  for (const term of ['again', ...Array.from({ length: 500 }, (_, i) => `word${i * 40}`)]) {
    source.index.histogram({ kind: 'term', term }, span, 'day');
  }
  source.close();
}

test('a truncated file is reported as damaged', () => {
  const name = filled(file('cut'), 20_000);
  readAll(name);
  truncateSync(name, Math.floor(statSync(name).size / 8192 / 2) * 8192);
  expect(reason(() => readAll(name))).toBe('damaged');
});

test('overwritten pages are reported as damaged', () => {
  const name = filled(file('overwritten'), 20_000);
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
