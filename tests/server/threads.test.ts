import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { thread } from '#server/threads.ts';
import { here } from '#tests/support/service/threads.ts';
import { KnownError, TASK } from './threads-task.ts';
import type { Task } from '#server/thread-task.ts';

const { methods, running, close, terminate } = thread(
  pathToFileURL(join(inject('programs'), 'threads-child.js')),
  TASK,
  100,
);
afterEach(() => terminate());

describe('an object in a thread', () => {
  it('starts with the first call, and again after it was closed', async () => {
    expect(running()).toBeNull();
    expect(await methods.add(1, 2)).toBe(103);
    expect(running()).not.toBeNull();
    await close();
    expect(running()).toBeNull();
    expect(await methods.add(3, 4)).toBe(107);
  });

  it('ends once all calls are done', async () => {
    const added = [methods.add(1, 1), methods.add(2, 2)];
    await close();
    expect(await Promise.all(added)).toEqual([102, 104]);
  });

  it('calls callbacks before it returns, and throws errors of their class', async () => {
    const counted: number[] = [];
    expect(await methods.count(3, (n) => counted.push(n))).toBe(3);
    expect(counted).toEqual([1, 2, 3]);
    await expect(methods.fail('broken')).rejects.toThrow(KnownError);
  });

  it('rejects with the reason of a signal, whether it aborts before or during the call', async () => {
    const before = AbortSignal.abort(new Error('too early'));
    await expect(methods.wait(before, () => {})).rejects.toThrow('too early');
    const controller = new AbortController();
    const abort = (): void => controller.abort(new Error('enough'));
    await expect(methods.wait(controller.signal, abort)).rejects.toThrow('enough');
  });

  it('rejects the calls of a thread that ended, and starts another one for the next', async () => {
    const { signal } = new AbortController();
    const waiting = methods.wait(signal, () => void methods.exit().catch(() => undefined));
    await expect(waiting).rejects.toThrow('the thread ended');
    expect(await methods.add(0, 0)).toBe(100);
  });
});

describe('an object on this thread', () => {
  it('opens with the first call, and closes', async () => {
    const log: string[] = [];
    const task: Task<string, { say(text: string): Promise<number> }> = {
      name: 'local',
      limits: {},
      ended: '',
      open: (as) => ({
        say: async (text) => log.push(`${as}${text}`),
        close: () => void log.push('closed'),
      }),
    };
    const local = thread(here, task, '', () => log.push('opened'));
    await local.close();
    await local.methods.say('a');
    await local.close();
    await local.methods.say('b');
    expect(log).toEqual(['opened', 'a', 'closed', 'opened', 'b']);
  });
});
