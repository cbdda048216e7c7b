import { copyFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { startLiveSample } from '#server/sample/live.ts';
import { makeSample } from '#server/sample/sample.ts';
import { openLog } from '#server/streams/log.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';

const file = temporaryFolder();
const random = countingBytes();
const END = Date.UTC(2026, 10, 20, 17, 30);

beforeAll(() => makeSample(file('base'), { end: END, seed: 1, posts: 9000, random }));

/** A sample of about eight Posts a day. */
function sample(name: string) {
  copyFileSync(file('base'), file(name));
  const clock = { now: END };
  const source = openSource(file(name), { random });
  const last = source.index.last ?? 0;
  source.close();
  const log = openLog(() => openPosts(file(name), { random }));
  /** Runs a service from an instant on, which is woken as often as it wants until another one. */
  const run = async (from: number, until: number): Promise<void> => {
    clock.now = from;
    const source = openSource(file(name), { random });
    const { posts, last: newest } = source.index;
    source.close();
    const db = openPosts(file(name), { random });
    let due: { readonly work: () => void; readonly at: number } | null = null;
    const lines: string[] = [];
    const live = startLiveSample({
      db,
      posts,
      newest,
      write: editorOver(db, () => clock.now).write,
      now: () => clock.now,
      timer: (ms, work) => {
        due = { work, at: clock.now + ms };
        return () => (due = null);
      },
      log: (line) => void lines.push(line),
    });
    for (;;) {
      await live.rest();
      const next = due as { readonly work: () => void; readonly at: number } | null;
      if (!next || next.at > until) break;
      clock.now = next.at;
      next.work();
    }
    await live.close();
    db.close();
    expect(lines).toEqual([]);
  };
  const posts = () => {
    const db = openPosts(file(name), { random });
    const rows = db.prepare(
      'SELECT id, created_at, text FROM post WHERE created_at > ? ORDER BY id',
      'exact',
    );
    const found = rows.all([last]);
    db.close();
    return found;
  };
  /** The number of spans that the sample covers. */
  const spans = (): number => {
    const source = openSource(file(name), { random });
    const { length } = source.index.covered;
    source.close();
    return length;
  };
  return { log, run, posts, spans };
}

test('Posts appear when they are due, with events, and a gap is filled without events', async () => {
  const [always, gaps] = [sample('always'), sample('gaps')];
  const end = END + 20 * HOUR_MS;
  await always.run(END, end);
  const all = always.posts();
  expect(all.length).toBeGreaterThan(2);
  const entries = always.log.after(0, 100);
  expect(entries.map(({ post }) => post)).toEqual(all.map(([id]) => String(id)));
  for (const [i, { at, type }] of entries.entries()) {
    expect(type).toBe('post.create');
    const late = at - Number(all[i]?.[1]);
    expect([late > 0, late <= 60_000]).toEqual([true, true]);
  }

  await gaps.run(END, END + 6 * HOUR_MS);
  const before = gaps.log.last();
  await gaps.run(END + 14 * HOUR_MS, end);
  expect(gaps.posts()).toEqual(all);
  // Between two Posts the clock woke the sample many times with nothing due.
  expect([always.spans(), gaps.spans()]).toEqual([1, 1]);
  const late = gaps.log.after(before, 100).map(({ post }) => post);
  const shown = all.filter(([, at]) => Number(at) > END + 14 * HOUR_MS - HOUR_MS / 6);
  expect(late).toEqual(shown.map(([id]) => String(id)));
  always.log.close();
  gaps.log.close();
});

test('a clock that is set back adds nothing twice, and one that is years ahead adds nothing', async () => {
  const { log, run, posts } = sample('set');
  await run(END, END + DAY_MS);
  const [before, last] = [posts(), log.last()];
  await run(END - DAY_MS, END - DAY_MS + HOUR_MS);
  await run(END + 4000 * DAY_MS, END + 4000 * DAY_MS + HOUR_MS);
  expect([posts(), log.last()]).toEqual([before, last]);
  log.close();
});
