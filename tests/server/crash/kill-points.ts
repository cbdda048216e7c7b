import type { StepAt } from '#server/db/driver.ts';
import { long } from '#tests/support/run/long.ts';

/** All times of a write: a write killed at the first two is undone, and one killed at the last is whole. */
export const TIMES = ['begin', 'commit', 'done'] as const;

/**
 * Points at which a process is killed: each write at every time in the long form. In the short form each write is
 * killed at one time. The times take turns, so that all of them occur.
 *
 * @param writes - The writes of a process, in order.
 */
export function killPoints<Write, At extends StepAt>(
  writes: readonly Write[],
  times: readonly At[],
): [write: Write, at: At][] {
  return writes.flatMap((write, i) => {
    const chosen = long() ? times : times.slice(i % times.length).slice(0, 1);
    return chosen.map((at): [Write, At] => [write, at]);
  });
}
