import type { Emit } from '#server/http/job-stream.ts';

/** Jobs that stop with the service, so that they commit and report what they did. */
export function openStoppable(stopping: AbortSignal) {
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    /** The same job, which also stops with the service. */
    stoppable:
      <O>(job: (order: O, emit: Emit, signal: AbortSignal) => Promise<void>) =>
      (order: O, emit: Emit, signal: AbortSignal): Promise<void> => {
        const work = job(order, emit, AbortSignal.any([signal, stopping, ending.signal]));
        running.add(work);
        return work.finally(() => running.delete(work));
      },
    /** Stops the running jobs, and waits for their end. */
    end: async (): Promise<void> => {
      ending.abort();
      await Promise.all(running);
    },
  };
}
