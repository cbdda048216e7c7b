import { readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { openCatalogs } from '#server/catalog/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { product } from '#tests/support/data/products.ts';
import type { FeedJob, FirstProgress } from './feed-child.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();

/** Runs the feed in another process. @returns The signal that killed it, null if it ended; and its first progress. */
async function inProcess(job: FeedJob) {
  const { signal, done } = await runChild('feed-child', job);
  return { signal, first: done[0] === undefined ? null : (JSON.parse(done[0]) as FirstProgress) };
}

const ROWS = 4500;
/** Rows of a transaction. */
const BATCH = 2000;
/** Every 100th row is refused, and two rows of different batches have one id. */
const rows = Array.from({ length: ROWS }, (_, i) =>
  product(i === 4000 ? 'p7' : `p${i}`, i % 100 === 50 ? { price: 'free' } : {}),
);
const columns = Object.keys(product('a'));
const feed = [columns, ...rows.map((row) => columns.map((name) => String(row[name])))]
  .map((fields) => fields.join(','))
  .join('\n');

const REFUSED = ROWS / 100 + 2;
const WHOLE = { created: ROWS - REFUSED, updated: 0, unchanged: 0, refused: REFUSED, endedAt: 5 };

/** The content of a file: runs, and the number of products. */
function stateOf(name: string) {
  const store = openCatalogs(file(name));
  try {
    const catalog = store.of('1')?.id ?? 0;
    const products = store.products.page(catalog, { group: null, after: 0, limit: ROWS });
    return {
      runs: store.runs.of(catalog),
      products: products.length,
      reported: store.runs.rows(store.runs.of(catalog)[0]?.id ?? 0, { after: null, limit: ROWS })
        .length,
    };
  } finally {
    store.close();
  }
}

it.each([
  { step: 'begin-run', time: 1, at: 'done', before: 0 },
  { step: 'feed-batch', time: 1, at: 'begin', before: 0 },
  { step: 'feed-batch', time: 1, at: 'commit', before: 0 },
  { step: 'feed-batch', time: 1, at: 'done', before: BATCH },
  { step: 'feed-batch', time: 2, at: 'commit', before: BATCH },
  { step: 'feed-batch', time: 3, at: 'commit', before: 2 * BATCH },
  { step: 'feed-batch', time: 3, at: 'done', before: ROWS },
  { step: 'end-run', time: 1, at: 'commit', before: ROWS },
] as const)(
  'a feed killed in $step $time at $at continues after its last batch',
  async ({ before, ...kill }) => {
    const name = `${kill.step}-${kill.time}-${kill.at}`;
    const [path, store] = [file(`${name}.csv`), file(name)];
    writeFileSync(path, feed);
    expect((await inProcess({ file: store, feed: path, kill })).signal).toBe('SIGKILL');
    const killed = stateOf(name);
    const [run] = killed.runs;
    expect(killed.runs).toHaveLength(1);
    expect(run).toMatchObject({ updated: 0, unchanged: 0, endedAt: null });
    expect((run?.created ?? 0) + (run?.refused ?? 0)).toBe(before);
    expect(killed.products).toBe(run?.created);
    expect(killed.reported).toBe(run?.refused);
    const again = await inProcess({ file: store, feed: path, kill: null });
    expect(again.signal).toBeNull();
    // Nothing is read a second time.
    if (kill.step === 'feed-batch' && before < ROWS) expect(again.first?.state).toBe('writing');
    const ended = stateOf(name);
    expect(ended.runs).toMatchObject([{ ...WHOLE, id: run?.id, fault: null }]);
    expect(ended).toMatchObject({ products: WHOLE.created, reported: REFUSED });
  },
);

it.each([
  ['the same file with the last row that it stored', false],
  ['another file from its beginning', true],
])('a feed killed while it reads continues %s', async (name, isOther) => {
  const [path, store] = [file(`${name}.csv`), file(name)];
  writeFileSync(path, feed);
  const kill = { step: 'reading', time: 6, at: 'done' } as const;
  const killed = await inProcess({ file: store, feed: path, kill });
  expect([killed.signal, killed.first?.state]).toEqual(['SIGKILL', 'reading']);
  expect(killed.first?.rows).toBeLessThan(BATCH);
  if (isOther) writeFileSync(path, feed.replaceAll('p1,', 'q1,'));
  const again = await inProcess({ file: store, feed: path, kill: null });
  expect(again).toMatchObject({ signal: null, first: { state: 'reading' } });
  expect((again.first?.rows ?? 0) > BATCH).toBe(!isOther);
  expect(stateOf(name)).toMatchObject({ runs: [WHOLE], products: WHOLE.created });
  expect(readdirSync(dirname(path)).filter((each) => each.includes('.spool'))).toEqual([]);
});
