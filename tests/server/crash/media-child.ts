import { writeSync } from 'node:fs';
import type { StepAt } from '#server/db/driver.ts';
import { FILE, openUploads, OWNER, SEGMENTS } from './uploads.ts';

/** Start data of {@link file://./media-child.ts}, as JSON. */
export interface MediaJob {
  readonly folder: string;
  /** The place where the process kills itself: at the n-th time, from 1, that a write of a name gets there; or null. */
  readonly kill: { readonly step: string; readonly at: StepAt; readonly n: number } | null;
}

const { folder, kill } = JSON.parse(process.argv[2]!) as MediaJob;
const seen = new Map<string, number>();
const { uploads, send, close } = openUploads(folder, (step, at) => {
  const name = `${step} ${at}`;
  seen.set(name, (seen.get(name) ?? 0) + 1);
  const isThere = step === kill?.step && at === kill.at && seen.get(name) === kill.n;
  if (isThere) process.kill(process.pid, 'SIGKILL');
});
/** Prints what is acknowledged: `begun ID`, `sent N`, `ended`, `checked`. */
const say = (line: string): void => void writeSync(1, `${line}\n`);
uploads.start();
const request = { media_category: 'tweet_video', total_bytes: FILE.length } as const;
const { id } = uploads.initialize(OWNER, request).data;
say(`begun ${id}`);
for (const n of SEGMENTS.keys()) {
  await send(id, n);
  say(`sent ${n}`);
}
await uploads.finalize(OWNER, id);
say('ended');
await uploads.idle();
say('checked');
close();
