import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The outcome of a child. */
export interface ChildOutcome {
  /** The signal that ended it; null if it ended by itself. */
  readonly signal: NodeJS.Signals | null;
  /** Lines that it printed: the actions that it reported as done. */
  readonly done: string[];
}

/**
 * Runs a program that was built before (see {@link file://./../../support/run/programs.ts}) until it ends or kills itself.
 *
 * @param name - Such as `alert-child`.
 * @param job - Given to it as JSON.
 * @param killAfterMs - Kills it from outside; never by default.
 * @throws {Error} with what it printed as its errors, if it failed.
 */
export function runChild(
  name: string,
  job: object,
  killAfterMs: number | null = null,
): Promise<ChildOutcome> {
  const args = [join(inject('programs'), `${name}.js`), JSON.stringify(job)];
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, args, (error, out, said) => {
      if (error && child.signalCode === null) reject(new Error(said));
      else
        resolve({ signal: child.signalCode, done: out.split('\n').filter((line) => line !== '') });
    });
    if (killAfterMs !== null) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
}
