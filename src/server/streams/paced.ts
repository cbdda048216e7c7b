import type { Timer } from '#server/timer.ts';

/**
 * Makes a task run at most once every `ms`: at once if it has not run for so long, and otherwise when that time is over,
 * however often it was asked for meanwhile.
 *
 * @returns Asks for the task.
 */
export function paced(ms: number, task: () => void, timer: Timer): () => void {
  let waits = false;
  let asked = false;
  const run = (): void => {
    asked = false;
    waits = true;
    timer(ms, () => {
      waits = false;
      if (asked) run();
    });
    task();
  };
  return () => {
    if (waits) asked = true;
    else run();
  };
}
