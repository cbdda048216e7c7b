import { openAlerts } from '#server/alerts/alerts.ts';
import type { Service } from '#server/auth/store.ts';
import { openChannels } from '#server/channels/channels.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { openCounter } from '#server/counting/counter.ts';
import { ANYWHERE, readTarget } from '#server/fetcher/target.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { alertJob } from '#server/jobs/alert-job.ts';

const nothingToSend = (): Promise<never> => Promise.reject(new Error('expected nothing to send'));

/** Runs the job on alerts while no service runs: nothing is judged or sent, which the service does when it starts. */
export async function withAlertJob(
  folder: DataFolder,
  deps: Pick<CommandDeps, 'now' | 'elapsed' | 'random' | 'smtp'> & {
    readonly service: Service;
    readonly cluster: ClusterPosts | null;
    readonly log: (line: string) => void;
  },
  work: (job: Pick<Jobs, 'alert'>) => Promise<void>,
): Promise<void> {
  const counter = openCounter(folder, deps, deps.cluster);
  const alerts = openAlerts({
    ...deps,
    table: deps.service.alerts,
    count: counter.countAll,
    platform: null,
    revision: () => null,
    channels: openChannels({
      fetcher: {
        // The service decides about addresses of this network when it sends.
        check: (url) => void readTarget(url, ANYWHERE),
        send: nothingToSend,
      },
      mail: deps.smtp ? nothingToSend : null,
    }),
    causes: nothingToSend,
    site: () => '',
    isLogin: () => true,
    every: () => () => undefined,
  });
  try {
    await work(alertJob(alerts));
  } finally {
    await alerts.close();
    counter.close();
  }
}
