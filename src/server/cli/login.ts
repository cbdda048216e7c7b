import type { LoginInfo, LoginOrder } from '#contract/accounts/logins.ts';
import { plural } from '#core/format/plural.ts';
import { passwordFault } from '#server/auth/logins.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { CommandError, DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import type { LoginCommand } from './login-options.ts';
import { perform } from './run-or-delegate.ts';

/** Without letters and digits that are easily confused. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A password of 100 random bits, in five groups of four. */
function generated(random: CommandDeps['random']): string {
  // 32 letters: each byte gives one of them with the same probability.
  const letters = Array.from(random(20), (byte) => LETTERS[byte % LETTERS.length] ?? '');
  return letters.join('').replace(/.{4}(?=.)/g, '$&-');
}

/** @throws {@link CommandError} if stdin ends, the two differ, or the password is unfit. */
async function asked(deps: CommandDeps, name: string): Promise<string> {
  const lines = await deps.readSecret([`New password for ${name}: `, 'Repeat the password: ']);
  const [password = null] = lines;
  if (password === null) throw new CommandError('There is no password on stdin.');
  const fault = passwordFault(password, name);
  if (fault !== null) throw new CommandError(fault);
  if (lines.every((line) => line === password)) return password;
  throw new CommandError('The two passwords differ.');
}

function line({ name, role, budget, sessions, last }: LoginInfo): string {
  const money = budget === null ? 'no budget' : `$${budget} a month`;
  const used = last === null ? '' : `, last used ${last}`;
  const browsers = `${plural(sessions, 'browser')} signed in`;
  return `${name}  ${role}  ${money}  ${browsers}${used}\n`;
}

/**
 * `groundswell login {add,list,set,remove}`: prints the logins, one per line, and a generated password on a line of its
 * own; or with `json` one object on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError} for a password that is missing or unfit; {@link CommandError}, {@link StoreError} as
 *   `perform`.
 */
export async function runLogin(
  deps: CommandDeps,
  { data, login: command, json }: { data: string; login: LoginCommand; json: boolean },
): Promise<number> {
  const folder = new DataFolder(data);
  let order: LoginOrder;
  let shown: string | null = null;
  if (command.action === 'list' || command.action === 'remove') order = command;
  else {
    const { action, name, password: from, role, budget } = command;
    const source = from ?? (action === 'add' ? 'generate' : null);
    shown = source === 'generate' ? generated(deps.random) : null;
    const password = source === 'ask' ? await asked(deps, name) : shown;
    // The service gets only the hash.
    const hash = password === null ? null : await openPasswords(deps.random).hash(password);
    order =
      action === 'add'
        ? { action, name, password: hash ?? '', role: role ?? 'member', budget: budget ?? null }
        : {
            action,
            name,
            ...(hash !== null && { password: hash }),
            ...(role && { role }),
            ...(budget !== undefined && { budget }),
          };
  }
  let code = 1;
  await perform(deps, folder, { kind: 'login', order }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'logins') return;
    code = 0;
    const { logins } = event;
    const password = shown === null ? {} : { password: shown };
    if (json) {
      deps.out(
        `${JSON.stringify(order.action === 'list' ? { logins } : { ...logins[0], ...password })}\n`,
      );
    } else if (order.action === 'list' && logins.length === 0) {
      deps.out('There are no logins. Add one: groundswell login add NAME --role administrator\n');
    } else if (order.action === 'remove') deps.out(`${order.name} was removed.\n`);
    else deps.out(logins.map(line).join('') + (shown === null ? '' : `${shown}\n`));
  });
  return code;
}
