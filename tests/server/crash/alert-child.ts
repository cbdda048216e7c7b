import { openAlerting } from './alerting.ts';
import { killer, type KillStep } from './kill-step.ts';

/** Start data of {@link file://./alert-child.ts}, as JSON. */
export interface AlertJob {
  readonly file: string;
  readonly url: string;
  readonly kill: KillStep | null;
}

const { file, url, kill } = JSON.parse(process.argv[2]!) as AlertJob;
const alerting = await openAlerting(file, url, killer(kill));
await alerting.run();
await alerting.close();
