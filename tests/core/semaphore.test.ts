import { describe, expect, test } from 'vitest';
import { Semaphore } from '#core/semaphore.ts';

/** A task that runs until it is asked to end. */
function work() {
  let end = (): void => undefined;
  let begun = false;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<void> => {
    begun = true;
    await over;
  };
  return { run, end: () => end(), begun: () => begun };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a semaphore', () => {
  test('runs a limited number at a time, the others in order', async () => {
    const semaphore = new Semaphore(2);
    const works = [work(), work(), work(), work()];
    const all = works.map(({ run }) => semaphore.take(run));
    const begun = (): boolean[] => works.map((each) => each.begun());
    await soon();
    expect(begun()).toEqual([true, true, false, false]);
    works[1]?.end();
    await soon();
    expect(begun()).toEqual([true, true, true, false]);
    for (const { end } of works) end();
    await Promise.all(all);
  });

  test('passes its turn on when a task fails', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.take(() => Promise.reject(new Error('broken')));
    const next = semaphore.take(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  test('drops an aborted task, and nothing waits for it', async () => {
    const semaphore = new Semaphore(1);
    const first = work();
    const holding = semaphore.take(first.run);
    const controller = new AbortController();
    const gone = semaphore.take(() => Promise.resolve(), controller.signal);
    const last = semaphore.take(() => Promise.resolve('last'));
    controller.abort();
    await expect(gone).rejects.toThrow(/abort/i);
    first.end();
    await holding;
    expect(await last).toBe('last');
    expect(await semaphore.take(() => Promise.resolve('again'))).toBe('again');
  });
});
