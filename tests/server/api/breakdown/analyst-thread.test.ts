import { afterAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { openAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import type { Question } from '#server/api/breakdown/question.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { onThisThread } from '#server/threads.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { makePost } from '#tests/server/posts/changing-posts.ts';
import { machineTimer } from '#tests/support/timers.ts';

const folder = temporaryFolder();
const random = countingBytes();
const file = folder('posts');
const pick = numbers(3);

function add(from: number, n: number): void {
  const writer = openWriter(file, { random });
  writer.add(Array.from({ length: n }, (_, i) => makePost(BigInt(from + i), pick)));
  writer.finish();
  writer.close();
}
add(1, 9000);

const START = Date.UTC(2017, 2, 1);
const question: Question = {
  what: 'breakdown',
  query: null,
  span: { start: START + 10 * DAY_MS, end: START + 40 * DAY_MS },
  compared: { start: START, end: START + 10 * DAY_MS },
  limit: 5,
};
const never = new AbortController().signal;

describe('an analyst', () => {
  let now = 0;
  // Every pause is due: the clock moves on whenever it is read.
  const analyst = openAnalyst(
    onThisThread({ random, now: Date.now, elapsed: () => (now += 10), timer: machineTimer }),
    { posts: file, sample: file },
  );
  afterAll(() => analyst.close());

  it('answers as of what was committed before', async () => {
    const first = await analyst.ask('posts', question, [], never);
    add(20_000, 100);
    const second = await analyst.ask('posts', question, [], never);
    expect(second!.revision).toBeGreaterThan(first!.revision);
    expect(second!.result.posts).toBeGreaterThan(first!.result.posts);
  });

  it('stops work in progress and questions that wait, when nobody wants their answer', async () => {
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const asked = controllers.map(({ signal }) => analyst.ask('posts', question, [], signal));
    const before = now;
    for (const controller of controllers) controller.abort();
    expect(await Promise.all(asked)).toEqual([null, null, null, null]);
    // A whole answer reads the clock hundreds of times.
    const spent = now - before;
    await analyst.ask('posts', question, [], never);
    expect(spent * 4).toBeLessThan(now - before - spent);
  });

  it('takes a limited number of questions', async () => {
    const controllers = Array.from({ length: 100 }, () => new AbortController());
    const asked = controllers.map(({ signal }) =>
      analyst.ask('posts', question, [], signal).catch((error: Error) => error.name),
    );
    for (const controller of controllers) controller.abort();
    const names = new Set(await Promise.all(asked));
    expect(names).toEqual(new Set([null, 'BusyError']));
  });

  it('continues after its file was replaced', async () => {
    await analyst.reopen('posts');
    expect((await analyst.ask('posts', question, [], never))!.result.posts).toBeGreaterThan(0);
  });
});
