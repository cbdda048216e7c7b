import type { ControlEvent } from '#contract/control/control.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

/**
 * Shows the progress of a new sample on one line, rewritten in place on a terminal.
 *
 * @returns A listener for events; the outcome clears the line.
 */
export function sampleProgress(deps: CommandDeps): (event: ControlEvent) => void {
  let begun = false;
  return (event) => {
    if (event.type === 'making') {
      if (deps.interactive) deps.err(`\rMaking the sample: ${event.done} %`);
      else if (!begun) deps.err('Making the sample…\n');
      begun = true;
    } else if (begun && deps.interactive) deps.err('\r\u001b[K');
  };
}

/**
 * `groundswell sample`: replaces the sample with a new one that ends now.
 *
 * @returns The exit code: 1 if it failed, 130 if it was interrupted.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runSample(deps: CommandDeps, { data }: { data: string }): Promise<number> {
  let code = 1;
  const show = sampleProgress(deps);
  await perform(deps, new DataFolder(data), { kind: 'sample', order: {} }, (event) => {
    show(event);
    if (event.type === 'sampled') {
      deps.out(`The sample has ${event.posts} posts.\n`);
      code = 0;
    } else if (event.type === 'fault') deps.err(`No sample was made: ${event.message}\n`);
  });
  return code === 1 && deps.stopping.aborted ? 130 : code;
}
