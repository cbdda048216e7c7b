import { describe, expect, it } from 'vitest';
import { Slices, SLICE_MS } from '#server/posts/index/slices.ts';
import type { Slice } from '#server/posts/index/source.ts';

const ALWAYS = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock, and work that advances it: `parts` pieces of a ms, asking after each whether a pause is due. */
function rig() {
  const clock = { ms: 0 };
  const slices = new Slices(() => clock.ms);
  const done: string[] = [];
  const work = (name: string, parts: number): Slice<string> => {
    let remaining = parts;
    return (due) => {
      for (;;) {
        clock.ms += 1;
        remaining -= 1;
        if (remaining === 0) {
          done.push(name);
          return { done: true, value: name };
        }
        if (due()) return { done: false, value: undefined };
      }
    };
  };
  return { clock, slices, done, work };
}

describe('slices', () => {
  it('run work at once that fits in one', async () => {
    const { slices, work, done } = rig();
    const short = slices.run(work('short', SLICE_MS), ALWAYS);
    expect(done).toEqual(['short']);
    expect(await short).toBe('short');
  });

  it('never exceed their time before the event loop comes around, however much waits', async () => {
    const { clock, slices, work, done } = rig();
    const all = Array.from({ length: 40 }, (_, i) => slices.run(work(String(i), 1 + i), ALWAYS));
    let longest = clock.ms;
    while (done.length < all.length) {
      const before = clock.ms;
      await turn();
      longest = Math.max(longest, clock.ms - before);
    }
    expect(longest).toBe(SLICE_MS);
    expect(await Promise.all(all)).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
  });

  it('go first to the work with the least time', async () => {
    const { slices, work, done } = rig();
    const long = slices.run(work('long', 1000), ALWAYS);
    const other = slices.run(work('other', 500), ALWAYS);
    for (let i = 0; i < 8; i++) await turn();
    const middle = slices.run(work('middle', 40), ALWAYS);
    const short = slices.run(work('short', 2), ALWAYS);
    await Promise.all([long, other, middle, short]);
    expect(done).toEqual(['short', 'middle', 'other', 'long']);
  });

  it('end for a client that disconnects, and never begin for one that already has', async () => {
    const { slices, work, done } = rig();
    const gone = new AbortController();
    const long = slices.run(work('long', 1000), gone.signal);
    gone.abort();
    expect(await long).toBeNull();
    expect(await slices.run(work('late', 1), gone.signal)).toBeNull();
    expect(done).toEqual([]);
    expect(await slices.run(work('next', 1), ALWAYS)).toBe('next');
  });

  it('continue after work that failed', async () => {
    const { slices, work } = rig();
    const failing = slices.run(() => {
      throw new Error('no');
    }, ALWAYS);
    const next = slices.run(work('next', 30), ALWAYS);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  it('accept more work than may run, each in turn', async () => {
    const { slices, work } = rig();
    const all = Array.from({ length: 600 }, (_, i) => slices.run(work(String(i), 10), ALWAYS));
    expect(new Set(await Promise.all(all)).size).toBe(600);
  });
});
