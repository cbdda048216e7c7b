import type { StepAt } from '#server/db/driver.ts';

/** The place where a process kills itself: a part of a write, when it comes for the n-th time, from 1; for the first time by default. */
export interface KillStep {
  /** Name of the write. */
  readonly step: string;
  readonly at: StepAt;
  readonly n?: number;
}

/** Kills this process at a place in the writes that are reported to it; nowhere if that is null. */
export function killer(kill: KillStep | null): (step: string, at: StepAt) => void {
  let times = 0;
  return (step, at) => {
    if (step !== kill?.step || at !== kill.at) return;
    times += 1;
    if (times === (kill.n ?? 1)) process.kill(process.pid, 'SIGKILL');
  };
}
