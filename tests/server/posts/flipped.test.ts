import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPosts } from '#server/maintenance/check.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { indexTables, stage } from '#server/maintenance/compact.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { openDb, type Value } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { answerTo, type Question } from '#server/api/breakdown/question.ts';
import { finish, NEVER } from '#server/index/steps.ts';
import { Expected, makePost } from './changing-posts.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { startService } from '#tests/support/service/service.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';
import { StoreError } from '#server/db/store-error.ts';

const file = temporaryFolder();
const random = countingBytes();

/** A file with two chunks and an open set, each with deleted Posts. */
function made(): { name: string; expected: Expected } {
  const name = file('made');
  const expected = new Expected();
  const pick = numbers(4);
  /** Seals the open set into a chunk, as compaction does once it is large. */
  const seal = (): void => {
    const db = openPosts(name, { random });
    const tables = indexTables(db);
    const open = tables.open.after(0);
    const builder = new ChunkBuilder();
    for (const { id, createdAt, terms } of open) builder.add(id, createdAt, terms);
    const c = finish(stage(tables, 'seal: write', builder.build()));
    db.write('seal', () => {
      tables.chunks.swap([c], []);
      tables.open.seal(open.at(-1)!.n);
    });
    db.close();
  };
  const add = (from: number, n: number): void => {
    const writer = openWriter(name, { random });
    const posts = Array.from({ length: n }, (_, i) => makePost(BigInt(from + i), pick));
    for (const post of posts) expected.add(post);
    writer.add(posts);
    writer.finish();
    writer.close();
  };
  add(1, 120);
  seal();
  add(10_000, 120);
  seal();
  add(20_000, 25);
  const db = openPosts(name, { random });
  const changes = postChanges(db);
  for (const id of [7n, 8n, 10_100n, 20_007n]) {
    changes.remove(id);
    expected.remove(id);
  }
  db.close();
  expected.compareFile(name, random);
  return { name, expected };
}
const { name: whole, expected } = made();

let copies = 0;
function copy(): string {
  const name = file(`copy-${(copies += 1)}`);
  copyFileSync(whole, name);
  return name;
}

/** True if a file answers, and then correctly; otherwise why not. */
function answers(name: string): string {
  try {
    expected.compareFile(name, random);
    return 'exact';
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  }
}

function problems(name: string): number {
  return finish(checkPosts(name, { random })).problems;
}

/** Flips a random bit of a cell, or truncates it. */
function damage(cell: Value, pick: ReturnType<typeof numbers>, isCut: boolean): Value {
  if (typeof cell === 'number') return cell ^ (1 << pick(31));
  const bytes = typeof cell === 'string' ? Buffer.from(cell) : Buffer.from(cell as Uint8Array);
  if (isCut) return bytes.subarray(0, pick(bytes.length));
  bytes[pick(bytes.length)]! ^= 1 << pick(8);
  return bytes;
}

/** Everything that a count depends on. */
const CELLS: readonly (readonly [table: string, column: string])[] = [
  ...['list', 'spots', 'term', 'list_sum', 'spots_sum', 'link', 'c'].map(
    (each) => ['posting', each] as const,
  ),
  ...['block', 'h', 'next', 'sum', 'c'].map((each) => ['tail', each] as const),
  ...[
    'times',
    'times_parts',
    'ids',
    'n',
    't0',
    't1',
    'id0',
    'id1',
    'geo',
    'first_tail',
    'first_term',
    'sum',
  ].map((each) => ['chunk', each] as const),
  ...['bits', 'parts', 'c'].map((each) => ['filter', each] as const),
  ...['n', 'id', 'created_at', 'terms', 'sum'].map((each) => ['open_post', each] as const),
  ...['c', 'o'].map((each) => ['tombstone', each] as const),
  ['dead', 'sum'],
  ['live', 'c'],
];
const TEXTS = new Set(['term', 'terms']);
const BLOBS = new Set([
  'list',
  'spots',
  'block',
  'times',
  'times_parts',
  'ids',
  'bits',
  'parts',
  'data',
]);

const KEYS: Readonly<Record<string, string>> = {
  tail: '(c, h)',
  tombstone: '(c, o)',
  forward: '(c, part)',
};

/** Damages one random cell of a file; false if that leaves an invalid table. */
function damageOne(name: string, table: string, column: string, seed: number): boolean {
  const pick = numbers(seed * 977 + table.length * 31 + column.length);
  const db = openDb(name);
  try {
    const key = KEYS[table] ?? 'rowid';
    const keys = key.startsWith('(') ? key.slice(1, -1) : key;
    const where = `${column} IS NOT NULL`;
    const count = Number(db.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).get()?.[0]);
    const read = TEXTS.has(column) ? `CAST(${column} AS BLOB)` : column;
    const [cell, ...id] =
      db
        .prepare(`SELECT ${read}, ${keys} FROM ${table} WHERE ${where} LIMIT 1 OFFSET ?`)
        .get([pick(count)]) ?? [];
    const damaged = damage(cell ?? null, pick, BLOBS.has(column) && seed % 3 === 0);
    const written = TEXTS.has(column) ? 'CAST(? AS TEXT)' : '?';
    const values = key.startsWith('(') ? '(?, ?)' : '?';
    const update = `UPDATE ${table} SET ${column} = ${written} WHERE ${key} = ${values}`;
    db.prepare(update).run([damaged, ...(id as Value[])]);
    return true;
  } catch (error) {
    if (error instanceof Error && /UNIQUE/.test(error.message)) return false;
    throw error;
  } finally {
    db.close();
  }
}

test.each(CELLS)(
  '%s.%s with a flipped bit, or truncated, is counted exactly or not at all, and repaired',
  (table, column) => {
    let repaired = false;
    for (let seed = 1; seed <= 3; seed += 1) {
      const name = copy();
      if (!damageOne(name, table, column, seed)) continue;
      const before = answers(name);
      expect(['exact', 'index-damaged']).toContain(before);
      if (repaired || before === 'exact') continue;
      expect(problems(name)).toBeGreaterThan(0);
      const db = openPosts(name, { random }, { unindexed: true });
      db.exec('PRAGMA synchronous = OFF');
      for (const _ of reindex(db));
      db.close();
      expect(answers(name)).toBe('exact');
      expect(problems(name)).toBe(0);
      repaired = true;
    }
  },
);

/** The content of a file's Posts; the reason there is none, if it does not answer. */
function breakdown(name: string): string {
  const source = openSource(name, { random });
  const [start, middle, end] = [0, Date.UTC(2017, 2, 20), Date.UTC(2018, 0)];
  const question: Question = {
    what: 'breakdown',
    query: null,
    span: { start: middle, end },
    compared: { start, end: middle },
    limit: 50,
  };
  try {
    const step = source.over((state, due) => answerTo(state, question, due))(NEVER);
    return JSON.stringify(step.value);
  } catch (error) {
    if (error instanceof StoreError) return error.reason;
    throw error;
  } finally {
    source.close();
  }
}

test.each(['data', 'sum', 'part', 'c'])(
  'forward.%s with a flipped bit, or truncated, is broken down exactly or not at all, and repaired',
  (column) => {
    const right = breakdown(whole);
    expect(JSON.parse(right)).toMatchObject({ authors: { distinct: 9 } });
    for (let seed = 1; seed <= 3; seed += 1) {
      const name = copy();
      if (!damageOne(name, 'forward', column, seed)) continue;
      expect(breakdown(name)).toBe('index-damaged');
      expect(problems(name)).toBeGreaterThan(0);
      const db = openPosts(name, { random });
      for (const _ of reindex(db));
      db.close();
      expect([breakdown(name), problems(name)]).toEqual([right, 0]);
    }
  },
);

test.each([
  ['posting', 'list', 'term'],
  ['posting', 'spots', 'term'],
  ['tail', 'block', 'h'],
  ['chunk', 'times', 'c'],
  ['chunk', 'ids', 'c'],
  ['filter', 'bits', 'c'],
])('the %s.%s of two rows exchanged is not counted', (table, column, key) => {
  const name = copy();
  const db = openDb(name);
  const rows = db
    .prepare(`SELECT ${key}, ${column} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${key}`)
    .all();
  const put = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
  for (let i = 0; i + 1 < rows.length; i += 2) {
    put.run([rows[i + 1]![1]!, rows[i]![0]!]);
    put.run([rows[i]![1]!, rows[i + 1]![0]!]);
  }
  db.close();
  // None of these queries reads ids or the rarest terms.
  expect(answers(name)).toBe(['ids', 'block'].includes(column) ? 'exact' : 'index-damaged');
  expect(problems(name)).toBeGreaterThan(0);
});

test('verified data is not read again, and a chunk that is damaged meanwhile is detected', () => {
  const name = copy();
  const source = openSource(name, { random });
  expected.compare(source);
  expected.compare(source);
  const db = openDb(name);
  db.exec('DELETE FROM tombstone WHERE c > 0');
  db.exec(`UPDATE meta SET value = '0' WHERE key = 'live'`);
  db.close();
  // Data in memory stays correct.
  expected.compare(source);
  source.close();
  expect(answers(name)).toBe('index-damaged');
});

test('lists that are read together are those that are read one by one, and are verified', () => {
  const name = copy();
  const db = openPosts(name, { random });
  const tables = indexTables(db);
  const frequent: string[] = [];
  for (const c of tables.chunks.counting()) {
    const chunk = tables.chunks.read(c);
    const terms = [...chunk.terms()]
      .map(({ term }) => term)
      .concat('absent', 'Ä', '\u0000', '\ud800');
    expect(chunk.listsOf(terms)).toEqual(terms.map((term) => chunk.list(term)));
    expect(chunk.listsOf([])).toEqual([]);
    frequent.push(...[...chunk.lists(20, () => true)].map(({ term }) => term));
  }
  db.exec(`UPDATE posting SET list = zeroblob(length(list))`);
  const { chunks } = indexTables(db);
  for (const c of chunks.counting()) {
    expect(() => chunks.read(c).listsOf(frequent)).toThrow(StoreError);
  }
  db.close();
});

test('the service answers 503 with the remedy, and never a number', async () => {
  const posts = Array.from({ length: 8300 }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: Date.UTC(2026, 0, 1) + i * 1000,
    text: i % 2 === 0 ? 'tea' : 'milk tea',
  }));
  const service = startService({ posts, now: () => Date.UTC(2026, 0, 3) });
  const get = async (path: string): Promise<[number, string]> => {
    const answer = await service.request(`/2/tweets/${path}`);
    return [answer.status, await answer.text()];
  };
  try {
    const window = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
    expect((await get(`counts/all?query=tea&${window}`))[0]).toBe(200);
    const damageWith = (sql: string): void => {
      const db = openDb(join(service.folder, 'posts.sqlite'));
      db.exec(sql);
      db.close();
    };
    await service.restart(() =>
      damageWith(
        `UPDATE posting SET list = CAST(x'01' || substr(list, 2) AS BLOB) WHERE term = 'milk'`,
      ),
    );
    const [status, text] = await get(`counts/all?query=milk&${window}`);
    expect(status).toBe(503);
    expect(text).toMatch(/groundswell check .* groundswell reindex/);
    expect((await get(`search/all?query=milk&${window}`))[0]).toBe(503);
    expect((await get(`counts/all?query=tea&${window}`))[0]).toBe(200);
    for (const wrong of [`'teb'`, `CAST(x'74e561' AS TEXT)`]) {
      await service.restart(() => damageWith(`UPDATE post SET text = ${wrong} WHERE id = 8299`));
      const [found, why] = await get(`search/all?query=tea&${window}`);
      expect([found, why]).toEqual([503, expect.stringContaining('groundswell check')]);
    }
  } finally {
    await service.close();
  }
});
