import { orderAlerts } from '#server/alerts/alert-info.ts';
import { openAlerts, type Alerts } from '#server/alerts/alerts.ts';
import type { Service } from '#server/auth/store.ts';
import { openChannels } from '#server/channels/channels.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import type { DataFolder } from '#server/cli/data-folder.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { openCounter } from '#server/counting/counter.ts';
import { ANYWHERE, readTarget } from '#server/fetcher/target.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';

/** The job on alerts, which are those of this machine. */
export function alertJob(alerts: Alerts): Pick<Jobs, 'alert'> {
  return jobsOf({
    alert: async (order) => ({ type: 'alerted', outcome: await orderAlerts(alerts, '', order) }),
  });
}

const nothingToSend = (): Promise<never> => Promise.reject(new Error('expected nothing to send'));

/** The same while no service runs: nothing is judged or sent, which the service does when it starts. */
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
