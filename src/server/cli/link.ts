import { openAddress } from './browser.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

/**
 * `groundswell link`: prints a one-time sign-in address of the running service on a line of its own.
 *
 * @returns The exit code.
 * @throws {@link CommandError} as `perform`, and if no service is running on the folder. Where people sign in by name and
 *   password it prints how instead.
 */
export async function runLink(
  deps: CommandDeps,
  { data, open }: { data: string; open: boolean },
): Promise<number> {
  let code = 1;
  const folder = new DataFolder(data);
  await perform(deps, folder, { kind: 'link', order: {} }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'link') return;
    deps.out(`${event.address}\n`);
    if (open) openAddress(folder, event.address, deps.open);
    code = 0;
  });
  return code;
}
