import {
  isOutcome,
  type JobName,
  type JobOrder,
  type JobOutcome,
} from '#contract/control/control.ts';
import type { Emit } from '#server/http/job-stream.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';

/**
 * Does work on a data folder: in this process, or in the service that is running on the folder.
 *
 * @throws {@link CommandError} if another command is using the folder, or the service ends during the work.
 * @throws {@link StoreError} if a file in the folder cannot be used.
 */
export async function perform<K extends Exclude<JobName, 'platform'>>(
  deps: CommandDeps,
  data: string,
  kind: K,
  order: JobOrder<K>,
  emit: Emit,
): Promise<void> {
  // Stores take a while to load.
  const { performWork } = await import('./run-or-delegate.ts');
  await performWork(deps, data, { kind, order }, emit);
}

/**
 * Does work on a data folder, and prints its outcome.
 *
 * @param print - The outcome as text for stdout.
 * @param failed - The beginning of the line for a failure.
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as {@link perform}.
 */
export async function report<K extends Exclude<JobName, 'platform'>>(
  deps: CommandDeps,
  data: string,
  kind: K,
  order: JobOrder<K>,
  print: (outcome: JobOutcome<K>) => string,
  failed = '',
): Promise<number> {
  let code = 1;
  await perform(deps, data, kind, order, (event) => {
    if (event.type === 'fault') deps.err(`${failed}${event.message}\n`);
    if (!isOutcome(kind, event)) return;
    code = 0;
    deps.out(print(event));
  });
  return code;
}
