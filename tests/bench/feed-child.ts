import { existsSync, readFileSync } from 'node:fs';
import { readProductFeed } from '#server/catalog/feed/run-feed.ts';
import type { FeedFormat } from '#server/catalog/feed/product-file.ts';
import type { FeedRun } from '#server/catalog/feed/run-table.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { milliseconds } from './measure.ts';

/** Start data, as JSON. */
export interface FeedJob {
  readonly store: string;
  readonly path: string;
  readonly format: FeedFormat;
  readonly source: string;
}

/** The resources that a run took. */
export interface FeedCost {
  readonly run: FeedRun;
  readonly ms: number;
  /** Seconds of a processor. */
  readonly user: number;
  readonly system: number;
  /** Seconds that its main thread could have run, but other processes did; null where the system does not say. */
  readonly waited: number | null;
  /** Most memory of the process, MiB. */
  readonly memory: number;
}

/** Seconds that this thread has waited for a processor (Linux, Documentation/scheduler/sched-stats). */
function waitedSoFar(): number | null {
  const file = '/proc/self/schedstat';
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[1]) / 1e9 : null;
}

const { store: file, path, format, source } = JSON.parse(process.argv[2] ?? '{}') as FeedJob;
// As the worker of feeds opens it: a run continues after a power failure, so its batches need not wait for the disk.
const store = openCatalogs(file, { flushed: false });
const catalog = (store.of('1') ?? store.add('1', 'Shop', 0)).id;
const before = process.cpuUsage();
const waitedBefore = waitedSoFar();
let run: FeedRun | null = null;
const signal = new AbortController().signal;
const ms = await milliseconds(async () => {
  const deps = { store, catalog, path, format, source, idFile: `${path}.spool` };
  run = await readProductFeed({ ...deps, now: () => Date.now(), signal });
});
const { user, system } = process.cpuUsage(before);
const waitedAfter = waitedSoFar();
const waited = waitedAfter === null ? null : waitedAfter - (waitedBefore ?? 0);
store.close();
process.stdout.write(
  JSON.stringify({
    run,
    ms,
    user: user / 1e6,
    system: system / 1e6,
    waited,
    memory: process.resourceUsage().maxRSS / 1024,
  }),
);
