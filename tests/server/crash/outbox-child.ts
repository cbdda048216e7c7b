import { randomBytes as random } from 'node:crypto';
import { openService } from '#server/auth/store.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { startMoving } from '#server/streams/outbox.ts';
import { orderAccounts } from '#server/users/accounts.ts';
import { machineTimer } from '#tests/support/timers.ts';
import { killer, type KillStep } from './kill-step.ts';

/** Start data of {@link file://./outbox-child.ts}, as JSON. */
export interface OutboxJob {
  readonly service: string;
  readonly posts: string;
  /** Description to give to the account. */
  readonly bio: string;
  readonly kill: KillStep | null;
}

/** Changes the description of `@ann`, and moves all events to the log. */
const job = JSON.parse(process.argv[2]!) as OutboxJob;
const onStep = killer(job.kill);
const service = openService(job.service, { random }, { onStep });
const db = openPosts(job.posts, { random }, { onStep });
const editor = editorOver(db, Date.now);
const profile = { description: job.bio };
const accounts = { service, newId: () => '1', now: Date.now };
orderAccounts(accounts, { action: 'set', username: 'ann', profile });
const moving = startMoving({
  outbox: service.outbox,
  moveIn: (events) => editor.write({ what: 'moveIn', of: [events] }),
  log: (line) => process.stderr.write(line),
  timer: machineTimer,
});
await moving.rest();
db.close();
service.close();
