import { randomBytes as random } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openLog } from '#server/streams/log.ts';
import { orderAccounts } from '#server/users/accounts.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import type { OutboxJob } from './outbox-child.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();

beforeAll(() => {
  const service = openService(file('service'), { random });
  const deps = { service, newId: () => '7', now: Date.now };
  orderAccounts(deps, { action: 'add', username: 'ann', profile: { description: 'first' } });
  service.close();
  openPosts(file('posts'), { random }).close();
});

/** Runs the child. @returns The signal that ended it. */
const run = async (job: OutboxJob) => (await runChild('outbox-child', job)).signal;

/** The values in the log, and the account's description. */
function stateOf({ service: name, posts }: OutboxJob): { changes: unknown[]; bio: unknown } {
  const log = openLog(() => openPosts(posts, { random }));
  const changes = log.after(0, 100).map(({ body }) => body['after']);
  log.close();
  const service = openService(name, { random });
  const bio = service.findAccount('ann')?.profile.description;
  expect(service.outbox.oldest(1)).toEqual([]);
  service.close();
  return { changes, bio };
}

const POINTS = (['profile', 'moveIn', 'outbox'] as const).flatMap((step) =>
  (['begin', 'commit', 'done'] as const).map((at) => ({ step, at })),
);

it.each(POINTS)(
  'a process killed in the step $step at $at leaves a changed profile and its event together',
  async (kill) => {
    const name = `${kill.step}-${kill.at}`;
    const [service, posts] = [file(`${name}-service`), file(`${name}-posts`)];
    copyFileSync(file('service'), service);
    copyFileSync(file('posts'), posts);
    expect(await run({ service, posts, bio: 'second', kill })).toBe('SIGKILL');
    // The next process moves what the killed one left.
    const next = { service, posts, bio: 'third', kill: null };
    expect(await run(next)).toBe(null);
    const isChanged = kill.step !== 'profile' || kill.at === 'done';
    const changes = isChanged ? ['second', 'third'] : ['third'];
    expect(stateOf(next)).toEqual({ changes, bio: 'third' });
  },
);
