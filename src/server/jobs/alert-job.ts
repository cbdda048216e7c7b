import { orderAlerts } from '#server/alerts/alert-info.ts';
import type { Alerts } from '#server/alerts/alerts.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import { jobsOf } from './works.ts';

/** The job on alerts, which are those of this machine. */
export function alertJob(alerts: Alerts): Pick<Jobs, 'alert'> {
  return jobsOf({
    alert: async (order) => ({ type: 'alerted', outcome: await orderAlerts(alerts, '', order) }),
  });
}
