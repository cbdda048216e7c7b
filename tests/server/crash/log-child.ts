import { randomBytes as random } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { EmitOrder, EmittedType } from '#contract/streams/emitted-events.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openService } from '#server/auth/store.ts';
import { DataFolder } from '#server/data-folder.ts';
import { openJobs } from '#server/jobs/jobs.ts';
import { editorOver, type PostEditor } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openLog } from '#server/streams/log.ts';
import { startReading, type DeliveryPart } from '#server/webhooks/log-reader.ts';
import { machineTimer } from '#tests/support/timers.ts';
import { killer, type KillStep } from './kill-step.ts';
import { openSending } from './sending.ts';

/** Start data of {@link file://./log-child.ts}, as JSON. */
export interface LogJob {
  /** The data folder. */
  readonly data: string;
  /** Module from which threads start. */
  readonly entry: string;
  /** The receiver of deliveries. */
  readonly url: string;
  readonly work:
    | { readonly import: string; readonly speed: number }
    | { readonly emit: EmittedType; readonly user: string; readonly payload: EmitOrder['payload'] }
    | null;
  /** The step is the first word of the write's name. */
  readonly kill: KillStep | null;
}

/** Entries that become deliveries at once. */
const PART = 20;

/** Does a job of the command line, as a service does, and delivers the whole log. Prints `done` after the job. */
const { data, entry, url, work, kill } = JSON.parse(process.argv[2]!) as LogJob;
const elapsed = (): number => performance.now();
const err = (text: string): void => void process.stderr.write(text);
const die = killer(kill);
const onStep: typeof die = (step, at) => die(step.split(' ')[0] ?? '', at);

const folder = new DataFolder(data);
const lock = folder.take();
const service = openService(folder.service, { random });
const db = openPosts(folder.posts, { random }, { onStep });
const log = openLog(() => openPosts(folder.posts, { random }));
const over = editorOver(db, Date.now);
const editor: PostEditor = {
  ...over,
  write: async (...changes) => {
    const results = await over.write(...changes);
    log.wake();
    return results;
  },
};
const { queue, deliverer, ...sending } = openSending(folder.deliveries, url, onStep);
const read = async (number: number): Promise<DeliveryPart> => {
  const entries = log.after(number, PART);
  const deliveries = entries.map(({ number: n, type, post, at }) => ({
    webhook: '1',
    subscription: 'a',
    event: String(n),
    body: Buffer.from(`${n} ${type} ${post}`),
    createdAt: at,
  }));
  return { last: entries.at(-1)?.number ?? number, deliveries, settled: () => {} };
};
const reader = startReading(
  { name: 'log', log, read },
  {
    queue,
    enqueue: (from, deliveries) => {
      queue.enqueue(from, deliveries, Date.now());
      deliverer.wake(['1']);
    },
    log: err,
    timer: machineTimer,
  },
);

const jobs = openJobs(folder, {
  log: err,
  now: Date.now,
  elapsed,
  random,
  editor,
  host: new URL(entry),
  auth: openAuth(service, { random, now: Date.now }),
  service,
});
const report = (event: { readonly type: string }): void => {
  if (event.type === 'imported' || event.type === 'emitted') writeSync(1, 'done\n');
  if (event.type === 'fault') err(JSON.stringify(event));
};
const stop = new AbortController().signal;
if (work && 'import' in work) {
  const order = { files: [work.import], map: {}, speed: work.speed };
  await jobs.import(order, report, stop);
} else if (work) {
  const order = { event: work.emit, username: work.user, payload: work.payload };
  await jobs.emit(order, report, stop);
}
await reader.rest();
await sending.sent();
await reader.close();
await sending.close();
log.close();
db.close();
service.close();
lock?.release();
