import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDb, type Db } from '#server/db/driver.ts';
import { groupedWrites, type GroupedWrites } from '#server/posts/editor/grouped-writes.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { StoreError } from '#server/db/store-error.ts';

const file = temporaryFolder();
let db: Db;
/** Transactions that were committed. */
let commits: string[];
let tasks: (() => void)[];
let writes: GroupedWrites;
let n = 0;
function open(maxPages?: number): void {
  db = openDb(file(`${(n += 1)}.sqlite`), {
    maxPages,
    onStep: (step, at) => void (at === 'done' && commits.push(step)),
  });
  db.exec('CREATE TABLE line (text TEXT PRIMARY KEY)');
  const insert = db.prepare('INSERT INTO line VALUES (?)');
  add = (text) => db.write(text.slice(0, 10), () => void insert.run([text]));
  writes = groupedWrites(db, (task) => void tasks.push(task));
}
let add: (text: string) => void;
beforeEach(() => {
  [commits, tasks] = [[], []];
  open();
});
afterEach(() => db.close());

const lines = (): unknown[] => db.prepare('SELECT text FROM line ORDER BY rowid').all().flat();
const outcome = async (write: Promise<unknown>): Promise<unknown> =>
  await write.catch((error: unknown) => error);

describe('writes that wait at the same time', () => {
  it('share a transaction, in their order, and each gets its own result', async () => {
    const all = ['a', 'b', 'c'].map((text) => writes.add(() => (add(text), text.toUpperCase())));
    expect(tasks).toHaveLength(1);
    tasks[0]?.();
    expect(await Promise.all(all)).toEqual(['A', 'B', 'C']);
    expect(commits).toEqual(['group']);
    expect(lines()).toEqual(['a', 'b', 'c']);
  });

  it('do not fail with one of them, of which nothing stays', async () => {
    const broken = new Error('broken');
    const all = [
      writes.add(() => add('a')),
      writes.add(() => {
        add('b');
        throw broken;
      }),
      writes.add(() => add('a')),
      writes.add(() => add('c')),
    ];
    tasks[0]?.();
    const [first, second, third, last] = await Promise.all(all.map(outcome));
    expect([first, second, last]).toEqual([undefined, broken, undefined]);
    expect(third).toBeInstanceOf(Error);
    expect(lines()).toEqual(['a', 'c']);
  });

  it('are made alone where there is no room for all', async () => {
    db.close();
    open(8);
    const all = ['a', 'x'.repeat(100_000), 'b'].map((text) => writes.add(() => add(text)));
    tasks[0]?.();
    const [first, second, third] = await Promise.all(all.map(outcome));
    expect([first, third]).toEqual([undefined, undefined]);
    expect(second).toBeInstanceOf(StoreError);
    expect(lines()).toEqual(['a', 'b']);
  });

  it('wait for no more than 64 others', async () => {
    const all = Array.from({ length: 130 }, (_, i) => writes.add(() => add(String(i))));
    tasks[0]?.();
    await Promise.all(all);
    expect(commits).toEqual(['group', 'group', 'group']);
    expect(lines()).toHaveLength(130);
  });
});

it('a single write has its own transaction', async () => {
  const one = writes.add(() => add('a'));
  writes.flush();
  await one;
  expect(commits).toEqual(['a']);
});
