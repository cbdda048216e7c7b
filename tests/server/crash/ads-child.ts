import { writeSync } from 'node:fs';
import { openAds } from '#server/ads/store.ts';
import type { StepAt } from '#server/db/driver.ts';
import { adActions, type AdAction } from './ads-actions.ts';

/** Start data of {@link file://./ads-child.ts}, as JSON. */
export interface AdsJob {
  readonly file: string;
  /** An advertiser console's export. */
  readonly csv: string;
  /** All of them in order. */
  readonly actions: readonly AdAction[];
  /** The transaction, counted from 1, in which the process kills itself. */
  readonly kill: { readonly write: number; readonly at: StepAt };
}

const { file, csv, actions, kill } = JSON.parse(process.argv[2]!) as AdsJob;
let writes = 0;
const store = openAds(file, {
  onStep: (_, at) => {
    if (at === 'begin') writes += 1;
    if (writes === kill.write && at === kill.at) process.kill(process.pid, 'SIGKILL');
  },
});
const { act } = adActions(store, csv);
for (const action of actions) {
  await act[action]();
  writeSync(1, `${action}\n`);
}
store.close();
