import type { SourceId } from '#contract/counts/source.ts';
import type { NewsSource } from '#server/api/news/finder-thread.ts';
import type { Defer } from '#server/closings.ts';
import type { Db } from '#server/db/driver.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { eventTable } from '#server/streams/event-table.ts';
import { openLog, type OpenLog } from '#server/streams/log.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { PartsDeps } from './parts-deps.ts';

/** Opens both files of Posts for counting, with their logs. */
export function openSourceFiles(folder: DataFolder, deps: PartsDeps, defer: Defer) {
  const open = new Map<SourceId, Source>();
  /** Connects to a log, sets its size, and makes it continue after a number. */
  const connect = (id: NewsSource, last = 0): Db => {
    const db = openPosts(folder[id], deps);
    const table = eventTable(db, deps.now);
    db.write('prepare-log', () => {
      table.setSize(deps.logSize);
      table.startAfter(last);
    });
    return db;
  };
  let last = 0;
  const opened = (id: NewsSource): OpenLog => {
    open.set(id, openSource(folder[id], deps));
    defer(() => open.get(id)?.close());
    const log = openLog(() => connect(id, last));
    defer(() => log.close());
    return log;
  };
  const logs = { posts: opened('posts'), sample: opened('sample') };
  return {
    get: (id: SourceId) => {
      const source = open.get(id);
      return source ? { id, ...source } : null;
    },
    logs,
    /** Closes the sample while `swap` replaces it, synchronously, so that no request comes in between. */
    swapSample: (swap: () => void): void => {
      open.get('sample')?.close();
      open.delete('sample');
      last = logs.sample.last();
      logs.sample.close();
      swap();
      open.set('sample', openSource(folder.sample, deps));
      logs.sample.open();
    },
  };
}

/** Both files of Posts, open for counting. */
export type SourceFiles = ReturnType<typeof openSourceFiles>;
