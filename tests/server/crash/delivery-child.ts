import { writeSync } from 'node:fs';
import type { StepAt } from '#server/db/driver.ts';
import { openSending } from './sending.ts';

/** Start data of {@link file://./delivery-child.ts}, as JSON. */
export interface DeliveryJob {
  readonly file: string;
  readonly url: string;
  /** The place where the process kills itself: at the n-th time, from 1, that a write of a name gets there. */
  readonly kill: { readonly step: string; readonly at: StepAt; readonly n: number } | null;
}

const { file, url, kill } = JSON.parse(process.argv[2]!) as DeliveryJob;
const seen = new Map<string, number>();
const sending = openSending(file, url, (step, at) => {
  const name = `${step} ${at}`;
  seen.set(name, (seen.get(name) ?? 0) + 1);
  const isThere = step === kill?.step && at === kill.at && seen.get(name) === kill.n;
  if (isThere) process.kill(process.pid, 'SIGKILL');
});
await sending.readLog();
await sending.replay(() => void writeSync(1, 'begun\n'));
await sending.close();
