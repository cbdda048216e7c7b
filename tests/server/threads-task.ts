import type { Task } from '#server/thread-task.ts';

export class KnownError extends Error {
  override readonly name = 'KnownError';
}

interface Methods {
  add(a: number, b: number): Promise<number>;
  fail(message: string): Promise<void>;
  count(to: number, onCount: (n: number) => void): Promise<number>;
  /** Rejects once the signal aborts. */
  wait(signal: AbortSignal, onBegin: () => void): Promise<void>;
  exit(): Promise<void>;
}

export const TASK: Task<number, Methods> = {
  name: 'test',
  limits: {},
  ended: 'the thread ended',
  errors: { KnownError },
  open: (base) => ({
    add: async (a, b) => base + a + b,
    fail: async (message) => {
      throw new KnownError(message);
    },
    count: async (to, onCount) => {
      for (let n = 1; n <= to; n++) onCount(n);
      return to;
    },
    wait: (signal, onBegin) =>
      new Promise((_, reject) => {
        onBegin();
        const stop = (): void => reject(new Error('stopped'));
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      }),
    exit: async () => process.exit(),
  }),
};
