import { writeSync } from 'node:fs';
import { killer, type KillStep } from './kill-step.ts';
import { FILE, openUploads, OWNER, SEGMENTS } from './uploads.ts';

/** Start data of {@link file://./media-child.ts}, as JSON. */
export interface MediaJob {
  readonly folder: string;
  readonly kill: KillStep | null;
}

const { folder, kill } = JSON.parse(process.argv[2]!) as MediaJob;
const { uploads, send, close } = openUploads(folder, killer(kill));
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
