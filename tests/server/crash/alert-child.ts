import type { StepAt } from '#server/db/driver.ts';
import { openAlerting } from './alerting.ts';

/** Start data of {@link file://./alert-child.ts}, as JSON. */
export interface AlertJob {
  readonly file: string;
  readonly url: string;
  /** The place where the process kills itself: at the n-th time, from 1, that a write of a name gets there. */
  readonly kill: { readonly step: string; readonly at: StepAt; readonly n: number } | null;
}

const { file, url, kill } = JSON.parse(process.argv[2]!) as AlertJob;
let seen = 0;
const alerting = await openAlerting(file, url, (step, at) => {
  if (step !== kill?.step || at !== kill.at) return;
  seen += 1;
  if (seen === kill.n) process.kill(process.pid, 'SIGKILL');
});
await alerting.run();
await alerting.close();
