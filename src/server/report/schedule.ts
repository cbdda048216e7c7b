import { nextTime } from '#core/time/cron.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import type { Machine } from '#server/machine.ts';

/** Longest wait for the next look at the clock, ms: a machine that sleeps stops timers, but not the clock. */
const LONGEST_WAIT_MS = MINUTE_MS;

/** The times at which something runs. */
export interface Schedule {
  /** As {@link nextTime}. */
  readonly pattern: string;
  /** IANA name. */
  readonly zone: string;
}

export interface ScheduleDeps extends Pick<Machine, 'now' | 'timer'> {
  readonly stopping: AbortSignal;
}

/** Waits some ms, or until the signal. */
export function wait(ms: number, { timer, stopping }: ScheduleDeps): Promise<void> {
  return new Promise((done) => {
    const cancel = timer(ms, end);
    function end(): void {
      cancel();
      stopping.removeEventListener('abort', end);
      done();
    }
    stopping.addEventListener('abort', end);
  });
}

/**
 * Runs something at every time of a schedule, until the signal. Times that passed while the machine slept, while the
 * last run took long, or since `last`, are made up by one run.
 *
 * @param last - The time at which it last ran, epoch ms.
 * @param onWait - Called with the next time, epoch ms, before each wait for it.
 */
export async function follow(
  { pattern, zone }: Schedule,
  last: number,
  deps: ScheduleDeps,
  { run, onWait }: { readonly run: () => Promise<void>; readonly onWait: (at: number) => void },
): Promise<void> {
  const { now, stopping } = deps;
  for (let after = last; ;) {
    const next = nextTime(pattern, zone, after);
    if (next === null) throw new RangeError(`expected a time of ${pattern}, got none`);
    if (next > now()) onWait(next);
    while (next > now() && !stopping.aborted) {
      await wait(Math.min(next - now(), LONGEST_WAIT_MS), deps);
    }
    if (stopping.aborted) return;
    after = now();
    await run();
  }
}
