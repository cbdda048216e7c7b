import type { ControlEvent, TokenOrder } from '#contract/control.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

/** A token under its field's name, with the account that it acts for. */
function shown({ token, account }: Extract<ControlEvent, { type: 'token' }>): object {
  return account ? { access_token: token, ...account } : { bearer_token: token };
}

/**
 * `groundswell token {app,user}`: creates a bearer token and prints it on a line of its own, or with `json`
 * one object on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runToken(
  deps: CommandDeps,
  { data, token, json }: { data: string; token: TokenOrder; json: boolean },
): Promise<number> {
  let code = 1;
  const work = { kind: 'token', order: token } as const;
  await perform(deps, new DataFolder(data), work, (event) => {
    if (event.type === 'token') {
      deps.out(json ? `${JSON.stringify(shown(event))}\n` : `${event.token}\n`);
      code = 0;
    } else if (event.type === 'fault') deps.err(`No token was created: ${event.message}\n`);
  });
  return code;
}
