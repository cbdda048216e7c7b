import { writeSync } from 'node:fs';
import { openCatalogs } from '#server/catalog/store.ts';
import { readProductFeed } from '#server/catalog/feed/run-feed.ts';
import type { StepAt } from '#server/db/driver.ts';

/** Start data of {@link file://./feed-child.ts}, as JSON. */
export interface FeedJob {
  readonly file: string;
  readonly feed: string;
  /** The place where the process kills itself: in a step or a state, at its time so many; null for nowhere. */
  readonly kill: { readonly step: string; readonly time: number; readonly at: StepAt } | null;
}

/** The progress of a run, on stdout: its first report. */
export interface FirstProgress {
  readonly state: string;
  readonly rows: number;
}

const { file, feed, kill } = JSON.parse(process.argv[2]!) as FeedJob;
let times = 0;
let isFirst = true;
const store = openCatalogs(file, {
  // As the worker of feeds opens it.
  flushed: false,
  onStep: (step, at) => {
    if (step !== kill?.step) return;
    if (at === 'begin') times += 1;
    if (at === kill.at && times === kill.time) process.kill(process.pid, 'SIGKILL');
  },
});
const catalog = (store.of('1') ?? store.add('1', 'Shop', 0)).id;
await readProductFeed({
  store,
  catalog,
  path: feed,
  format: 'CSV',
  source: 'a feed',
  idFile: `${feed}.spool`,
  now: () => 5,
  signal: new AbortController().signal,
  onProgress: ({ state, rows }) => {
    if (isFirst) writeSync(1, JSON.stringify({ state, rows } satisfies FirstProgress));
    isFirst = false;
    if (state === kill?.step && ++times === kill.time) process.kill(process.pid, 'SIGKILL');
  },
});
store.close();
