import { setImmediate as immediate } from 'node:timers/promises';
import { errorMessage } from '#core/thrown.ts';
import type { Timer } from '#server/timer.ts';

/** Pause after an error. */
const BROKEN_MS = 5000;

export interface CatchUpDeps {
  /** Does a part of the work. @returns False if nothing was left. */
  readonly step: (closed: AbortSignal) => Promise<boolean>;
  /** The beginning of the line about an error. */
  readonly failure: string;
  readonly log: (line: string) => void;
  readonly timer: Timer;
}

/**
 * Does work until nothing is left: now, and again each time that it is woken, until it is closed. After an error, which is
 * logged, it tries again soon.
 */
export function startCatchingUp({ step, failure, log, timer }: CatchUpDeps) {
  const closed = new AbortController();
  let woken = false;
  let cancel = (): void => {};
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    woken = false;
    while (!closed.signal.aborted && (await step(closed.signal))) {
      // Requests are answered between two steps.
      await immediate();
      woken = false;
    }
  };
  const wake = (): void => {
    woken = true;
    if (closed.signal.aborted) return;
    cancel();
    running ??= Promise.resolve()
      .then(run)
      .catch((error: unknown) => {
        log(`${failure}: ${errorMessage(error)}`);
        woken = false;
        cancel = timer(BROKEN_MS, wake);
      })
      .finally(() => {
        running = null;
        // There may be more since the last step.
        if (woken) wake();
      });
  };
  wake();
  /** Resolves when nothing is being done. */
  const rest = async (): Promise<void> => {
    if (!running) return;
    await running;
    await rest();
  };
  return {
    wake,
    rest,
    close: async (): Promise<void> => {
      closed.abort();
      cancel();
      await running;
    },
  };
}
