import type { AccountInfo, UserOrder } from '#contract/accounts/accounts.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

/** What happened to an account, by the order's action. */
const DONE = { add: 'added', set: 'changed', remove: 'removed' } as const;

function line({ id, username, name }: AccountInfo): string {
  return `@${username}  ${name}  ${id}\n`;
}

/**
 * `groundswell user {add,list,set,remove}`: prints the accounts, one per line, or with `json` one object on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runUser(
  deps: CommandDeps,
  { data, user, json }: { data: string; user: UserOrder; json: boolean },
): Promise<number> {
  let code = 1;
  await perform(deps, new DataFolder(data), { kind: 'user', order: user }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'accounts') return;
    code = 0;
    const { accounts } = event;
    if (json) {
      const shown = user.action === 'list' ? { users: accounts } : accounts[0];
      deps.out(`${JSON.stringify(shown)}\n`);
    } else if (user.action !== 'list') {
      deps.out(`@${user.username} was ${DONE[user.action]}.\n`);
    } else if (accounts.length === 0) deps.out('There are no accounts.\n');
    else deps.out(accounts.map(line).join(''));
  });
  return code;
}
