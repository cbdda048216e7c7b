import { randomBytes as random } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time/span.ts';
import { openService } from '#server/auth/store.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openLog } from '#server/streams/log.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { firePosts, usualPosts } from '#tests/support/data/stories.ts';
import { writePosts } from '#tests/support/service/service.ts';
import type { NewsJob } from './news-child.ts';
import { runChild } from './child-process.ts';

const file = temporaryFolder();
const FIRE = Date.parse('2026-11-18T09:23:00Z');

beforeAll(() => {
  openService(file('service'), { random }).close();
  writePosts(file('posts'), [...usualPosts(FIRE, 35), ...firePosts(FIRE, 30)]);
});

/** Runs the child. @returns The signal that ended it. */
const run = async (job: NewsJob) => (await runChild('news-child', job)).signal;

/** Names of the stories in the log. */
function reported({ posts }: NewsJob): unknown[] {
  const log = openLog(() => openPosts(posts, { random }));
  const names = log.after(0, 100).map(({ body }) => (body['story'] as { name: string }).name);
  log.close();
  return names;
}

it.each(['begin', 'commit', 'done'] as const)(
  'a process killed at %s of reporting a story leaves it reported once',
  async (at) => {
    const posts = file(`${at}-posts`);
    const kill = { step: 'append', at };
    copyFileSync(file('posts'), posts);
    const job = { service: file('service'), posts, now: FIRE + 30 * MINUTE_MS, kill };
    expect(await run(job)).toBe('SIGKILL');
    expect(reported(job)).toHaveLength(at === 'done' ? 1 : 0);
    for (const minutes of [31, 32]) {
      expect(await run({ ...job, now: FIRE + minutes * MINUTE_MS, kill: null })).toBe(null);
      expect(reported(job)).toEqual([expect.stringContaining('harbour')]);
    }
  },
);
