import type { RequestOrder } from '#contract/relations/follow-requests.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

/**
 * `groundswell user requests`: prints the accounts that ask to follow a protected one, one per line, or with `json` one
 * object on one line; approves or refuses one of them.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runRequests(
  deps: CommandDeps,
  { data, requests: order, json }: { data: string; requests: RequestOrder; json: boolean },
): Promise<number> {
  let code = 1;
  await perform(deps, new DataFolder(data), { kind: 'requests', order }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'requests') return;
    code = 0;
    const { requests } = event;
    const [one] = requests;
    if (json) deps.out(`${JSON.stringify(order.action === 'list' ? { requests } : one)}\n`);
    else if (order.action === 'approve') {
      deps.out(`@${order.requester} follows @${order.username}.\n`);
    } else if (order.action === 'refuse') {
      deps.out(`The request of @${order.requester} was refused.\n`);
    } else if (!one) deps.out(`No account asks to follow @${order.username}.\n`);
    else deps.out(requests.map(({ id, username }) => `@${username}  ${id}\n`).join(''));
  });
  return code;
}
