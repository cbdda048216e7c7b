import { randomBytes } from 'node:crypto';
import { openFinder } from '#server/api/news/finder-thread.ts';
import { openNews } from '#server/api/news/news.ts';
import { startReporting } from '#server/api/news/reporting.ts';
import { openService } from '#server/auth/store.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { openSource } from '#server/posts/index/source.ts';
import { openLog } from '#server/streams/log.ts';
import { onThisThread } from '#server/threads.ts';
import { killer, type KillStep } from './kill-step.ts';

/** Start data of {@link file://./news-child.ts}, as JSON. */
export interface NewsJob {
  readonly service: string;
  readonly posts: string;
  /** Epoch ms. */
  readonly now: number;
  readonly kill: KillStep | null;
}

/** Reports new stories once. */
const job = JSON.parse(process.argv[2]!) as NewsJob;
const deps = { random: (n: number): Uint8Array => randomBytes(n) };
const now = (): number => job.now;
const service = openService(job.service, deps);
const source = { id: 'posts' as const, ...openSource(job.posts, deps) };
const db = openPosts(job.posts, deps, { onStep: killer(job.kill) });
const events = openLog(() => openPosts(job.posts, deps));
const finder = openFinder(
  onThisThread({ ...deps, now, elapsed: () => performance.now(), timer: () => () => {} }),
  { posts: job.posts, sample: job.posts },
);
const find = (): typeof source => source;
const tasks: (() => void)[] = [];
const reporting = startReporting({
  id: 'posts',
  source: find,
  news: openNews({ source: find, service, finder, slices: new Slices(() => performance.now()) }),
  events,
  write: editorOver(db, now).write,
  now,
  timer: (_, task) => {
    tasks.push(task);
    return () => {};
  },
  log: (line) => process.stderr.write(line),
});
tasks[0]?.();
await reporting.rest();
await reporting.close();
await finder.close();
for (const open of [events, db, source, service]) open.close();
