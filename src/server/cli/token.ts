import type { ControlEvent, TokenOrder } from '#contract/control/control.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

type TokenEvent = Extract<ControlEvent, { type: 'token' }>;

/** A token under its field's name, with the account that it acts for and what signs with it. */
function shown({ token, account, signing }: TokenEvent): object {
  if (!account) return { bearer_token: token };
  return { ...signing, access_token: token, ...account };
}

/** A token, and the secret of an OAuth 1.0a token, each on a line of its own. */
function lines({ token, signing }: TokenEvent): string {
  return `${token}\n${signing ? `${signing.access_token_secret}\n` : ''}`;
}

/**
 * `groundswell token {app,user}`: creates a token and prints it on a line of its own, an OAuth 1.0a token with its
 * secret on the next line, or with `json` one object on one line.
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
      deps.out(json ? `${JSON.stringify(shown(event))}\n` : lines(event));
      code = 0;
    } else if (event.type === 'fault') deps.err(`No token was created: ${event.message}\n`);
  });
  return code;
}
