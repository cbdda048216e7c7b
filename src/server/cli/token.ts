import type { TokenOrder } from '#contract/control.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

/**
 * `groundswell token {app,user}`: creates a bearer token and prints it on a line of its own.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runToken(
  deps: CommandDeps,
  { data, token }: { data: string; token: TokenOrder },
): Promise<number> {
  let code = 1;
  const work = { kind: 'token', order: token } as const;
  await perform(deps, new DataFolder(data), work, (event) => {
    if (event.type === 'token') {
      deps.out(`${event.token}\n`);
      code = 0;
    } else if (event.type === 'fault') deps.err(`No token was created: ${event.message}\n`);
  });
  return code;
}
