import { afterAll, expect, test } from 'vitest';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { replayPosts } from '#server/import/replay.ts';
import { openLog } from '#server/streams/log.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { writePosts } from '#tests/support/service/service.ts';

const file = temporaryFolder();
const random = countingBytes();
const START = Date.UTC(2016, 5, 24);

/** Posts of a file that begins with the newest one. */
const POSTS = [600, 3, 2, 1, 1, 0].map((seconds, i) => ({
  id: BigInt(100 - i),
  createdAt: START + seconds * SECOND_MS,
  text: `tea number ${100 - i}`,
  username: 'ann',
  authorId: '7',
}));

writePosts(file('from'), POSTS);
const from = openPosts(file('from'), { random });
const to = openPosts(file('to'), { random });
afterAll(() => {
  from.close();
  to.close();
});

/** Replays ten times faster, until a clock shows that it takes too long. */
async function replay(until: number) {
  const clock = { now: 5000 };
  const began = clock.now;
  const stop = new AbortController();
  const editor = editorOver(to, () => DAY_MS + clock.now);
  const waits: number[] = [];
  const done = await replayPosts(from, {
    speed: 10,
    write: editor.write,
    existing: postTable(to).existing,
    elapsed: () => clock.now,
    wait: async (ms) => {
      waits.push(ms);
      clock.now += ms;
      if (clock.now - began > until) stop.abort();
    },
    signal: stop.signal,
    onProgress: () => {},
  });
  return { done, waits };
}

test('Posts come by time at their pace, each with its event, and an interrupted replay continues', async () => {
  const log = openLog(() => openPosts(file('to'), { random }));
  expect(await replay(1000)).toEqual({
    done: { added: 5, already: 0 },
    waits: [100, 100, 100, 59_700],
  });
  const entries = log.after(0, 10);
  expect(entries.map(({ type, post, at }) => [type, post, at - entries[0]!.at])).toEqual([
    ['post.create', '95', 0],
    ['post.create', '96', 100],
    ['post.create', '97', 100],
    ['post.create', '98', 200],
    ['post.create', '99', 300],
  ]);
  expect(postTable(to).get(99n)?.createdAt).toBe(START + 3 * SECOND_MS);
  expect(await replay(1000)).toEqual({ done: { added: 1, already: 5 }, waits: [] });
  expect(log.after(5, 10).map(({ post }) => post)).toEqual(['100']);
  expect(await replay(1000)).toEqual({ done: { added: 0, already: 6 }, waits: [] });
  expect(log.last()).toBe(6);
  log.close();
});
