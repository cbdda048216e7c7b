import { copyFile } from 'node:fs/promises';
import type { Service } from '#server/auth/store.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { feedError } from '#core/readers/error.ts';
import type { RunProgress } from '#server/catalog/feed/feed-work.ts';
import { progressInfo, runInfos } from '#server/catalog/feed/run-info.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';
import { catalogOf, catalogWithFeed } from './merchant-catalogs.ts';

/** The reason a run ended, for its report. */
const CANCELLED = 'The run was cancelled.';

const UNFINISHED =
  'The run has not ended. It continues when the service starts, or with the next groundswell feed run.';

/** Opens the job that reads a feed, or a file. A stop cancels the run. */
export function feedJob({ store, feeds }: Catalogs, service: Service): Pick<Jobs, 'feed'> {
  return jobsOf({
    feed: async (order, emit, signal) => {
      const of = order.action === 'file' ? catalogOf : catalogWithFeed;
      const { id } = of(store, service, order.username);
      const stop = (): void => void feeds.cancel(id, CANCELLED).catch(() => {});
      signal.addEventListener('abort', stop, { once: true });
      const onProgress = (progress: RunProgress): void =>
        emit({ type: 'feeding', ...progressInfo(progress) });
      const begin = async () => {
        if (order.action === 'run') return await feeds.run(id, onProgress);
        const { file, format } = order;
        // A copy, so that the run continues after the end of the process, whatever becomes of the file.
        const place = (path: string): Promise<void> =>
          copyFile(file, path).catch((error: unknown) => {
            throw feedError(file, error);
          });
        const { ended } = await feeds.take(id, { format, place }, onProgress);
        return await ended;
      };
      const done = begin();
      if (signal.aborted) stop();
      const run = await done.finally(() => signal.removeEventListener('abort', stop));
      const info = runInfos(store, id).find((each) => each.id === String(run?.id));
      if (info) return { type: 'fed', run: info };
      throw new Error(UNFINISHED);
    },
  });
}
