import { writeSync } from 'node:fs';
import { killer, type KillStep } from './kill-step.ts';
import { openSending } from './sending.ts';

/** Start data of {@link file://./delivery-child.ts}, as JSON. */
export interface DeliveryJob {
  readonly file: string;
  readonly url: string;
  readonly kill: KillStep | null;
}

const { file, url, kill } = JSON.parse(process.argv[2]!) as DeliveryJob;
const sending = openSending(file, url, killer(kill));
await sending.readLog();
await sending.replay(() => void writeSync(1, 'begun\n'));
await sending.close();
