import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { openCatalogs } from '#server/catalog/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { openHost } from '#tests/support/service/host.ts';
import type { CatalogAction, CatalogJob } from './catalog-child.ts';
import { killPoints } from './kill-points.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();

/** Three batches of rows. */
const ROWS = 4500;
const HEADER = 'id,title,description,availability,condition,price,link,image_link,brand';
const BODY = Buffer.from(
  [
    HEADER,
    ...Array.from(
      { length: ROWS },
      (_, i) =>
        `p${i},Product ${i},About it,in stock,new,20.00 USD,https://shop.example/${i},https://shop.example/i.png,Shop`,
    ),
  ].join('\n'),
);
let ranges: (string | undefined)[] = [];
const { origin, close } = await openHost(({ headers }, response) => {
  ranges.push(headers.range);
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  const rest = { 'content-range': `bytes ${from}-${BODY.length - 1}/${BODY.length}` };
  response.writeHead(from > 0 ? 206 : 200, {
    etag: '"1"',
    'content-length': BODY.length - from,
    ...(from > 0 && rest),
  });
  response.end(BODY.subarray(from));
});
const url = `${origin}/feed.csv`;
afterAll(close);

const inProcess = (job: CatalogJob) => runChild('catalog-child', job);

/** The catalog in a file. */
function stateOf(name: string) {
  const store = openCatalogs(file(name));
  try {
    const catalog = store.of('7')?.id ?? 0;
    const page = { group: null, after: 0, limit: 2 * ROWS };
    const products = store.products.page(catalog, page);
    const found = store.sets.matching(catalog, [], { after: 0, limit: 2 * ROWS });
    return {
      products: products.length,
      found: found.length,
      sets: store.sets.page(catalog, 0, 10).map(({ id }) => store.sets.members(id).length),
      runs: store.runs.of(catalog),
      downloads: store.downloads.catalogs().length,
    };
  } finally {
    store.close();
  }
}

const COMPLETE = {
  id: expect.any(Number),
  startedAt: expect.any(Number),
  endedAt: expect.any(Number),
  fault: null,
  created: ROWS,
  updated: 0,
  unchanged: 0,
  refused: 0,
};
const STEPS = [
  // Step, the time that it comes, and how many actions are done before it.
  ['products', 1, 0],
  ['add-set', 1, 1],
  ['begin-feed', 1, 2],
  ['download', 1, 2],
  ['download', 3, 2],
  ['feed-batch', 1, 2],
  ['feed-batch', 2, 2],
  ['end-run', 1, 2],
  ['end-feed', 1, 2],
] as const;
const ACTIONS: readonly CatalogAction[] = ['put', 'set', 'run'];

it.each(
  killPoints(STEPS, ['commit', 'done']).map(([[step, time, before], at]) => ({
    step,
    time,
    at,
    before,
  })),
)(
  'a process killed in $step, time $time, at $at has what it reported, and the next one continues there',
  async ({ step, time, at, before }) => {
    const name = `${step}-${time}-${at}`;
    const folder = file(`${name}-feeds`);
    const job = { file: file(name), folder, url, actions: ACTIONS, kill: { step, at, n: time } };
    ranges = [];
    expect(await inProcess(job)).toEqual({ signal: 'SIGKILL', done: ACTIONS.slice(0, before) });
    const state = stateOf(name);
    const has = at === 'done' && before < 2 ? before + 1 : before;
    expect(state.sets).toEqual(has > 1 ? [1] : []);
    expect(state.found).toBe(state.products);
    // Whole batches, and as many rows as the run says.
    const written = state.runs[0]?.created ?? 0;
    expect(state.products).toBe((has > 0 ? 2 : 0) + written);
    expect([0, 2000, 4000, ROWS]).toContain(written);

    const isOver = step === 'end-feed' && at === 'done';
    const rest = isOver ? [] : ACTIONS.slice(has);
    const again = await inProcess({ ...job, actions: rest, kill: null });
    expect(again).toEqual({ signal: null, done: rest });
    expect(stateOf(name)).toEqual({
      products: 2 + ROWS,
      found: 2 + ROWS,
      sets: [1],
      runs: [COMPLETE],
      downloads: 0,
    });
    if (!isOver) expect(readdirSync(folder)).toEqual([]);
    // A feed that was downloaded is not downloaded again.
    if (step === 'download' && time > 1) expect(ranges[1]).toMatch(/^bytes=\d+-$/);
    if (step === 'feed-batch') expect(ranges.length).toBe(1);
  },
);
