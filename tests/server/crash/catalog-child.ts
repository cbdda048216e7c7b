import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { addSet } from '#server/api/catalog/sets.ts';
import { putProducts } from '#server/api/catalog/products.ts';
import { openFeedJobs } from '#server/catalog/feed/feed-jobs.ts';
import { workOver } from '#server/catalog/feed/feed-work.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { product } from '#tests/support/data/products.ts';
import { killer, type KillStep } from './kill-step.ts';

/** The actions on a catalog, as a request or the service takes them. */
export type CatalogAction = 'put' | 'set' | 'run';

/** Start data of {@link file://./catalog-child.ts}, as JSON. */
export interface CatalogJob {
  readonly file: string;
  /** Folder of downloads. */
  readonly folder: string;
  /** Address of the feed. */
  readonly url: string;
  readonly actions: readonly CatalogAction[];
  readonly kill: KillStep | null;
}

const USER = '7';
const { file, folder, url, actions, kill } = JSON.parse(process.argv[2]!) as CatalogJob;
const store = openCatalogs(file, { onStep: killer(kill) });
const settings = {
  feed_url: url,
  feed_format: 'CSV',
  frequency: 'DAILY',
  repeat: null,
  start_time: '00:00',
  time_zone: 'UTC',
} as const;
const catalog = (store.of(USER) ?? store.add(USER, 'Shop', Date.now())).id;
if (!store.feeds.of(catalog)) store.feeds.add(catalog, settings, Date.now());

const fetcher = testFetcher();
const timer = (ms: number, task: () => void): (() => void) => {
  const running = setTimeout(task, ms);
  return () => clearTimeout(running);
};
const { stream } = fetcher;
const now = Date.now;
const jobs = openFeedJobs({
  store,
  work: workOver({ store, stream, now, timer, limit: 2 ** 30, flushed: 20_000 }),
  folder,
  now,
  timer,
  random: (n) => randomBytes(n),
  log: (line) => void writeSync(2, `${line}\n`),
});
const act: Readonly<Record<CatalogAction, () => unknown>> = {
  put: () => putProducts(store, catalog, [product('a'), product('b')], Date.now()),
  set: () => {
    const [first] = store.products.page(catalog, { group: null, after: 0, limit: 1 });
    const product_keys = [String(first?.key)];
    return addSet(store, catalog, { name: 'Set', type: 'MANUAL', product_keys });
  },
  run: () => jobs.run(catalog),
};
for (const action of actions) {
  await act[action]();
  writeSync(1, `${action}\n`);
}
await jobs.close();
await fetcher.close();
store.close();
