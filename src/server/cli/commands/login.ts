import {
  LOGIN_NAME,
  LOGIN_ROLES,
  type LoginInfo,
  type LoginOrder,
  type LoginRole,
} from '#contract/accounts/logins.ts';
import { plural } from '#core/format/plural.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import { actionOf, choiceOf, noMore, UsageError, type Values } from '#server/cli/options.ts';
import { CommandError } from '#server/command-error.ts';

const ACTIONS = ['add', 'list', 'set', 'remove'] as const;

/** The source of a password. */
const SOURCES = ['generate', 'ask'] as const;

/** The orders of the command line about logins. The password is asked for, or generated, when the command runs. */
type LoginCommand =
  | { readonly action: 'list' }
  | { readonly action: 'remove'; readonly name: string }
  | {
      readonly action: 'add' | 'set';
      readonly name: string;
      readonly role?: LoginRole;
      /** USD a month; null for no own limit. */
      readonly budget?: number | null;
      readonly password?: (typeof SOURCES)[number];
    };

function budgetOf(values: Values): number | null | undefined {
  const text = values.last('budget');
  if (text === undefined) return undefined;
  if (text === 'unlimited') return null;
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new UsageError(
    `--budget ${text} is not an amount: expected dollars such as 25 or 0.5, or unlimited.`,
  );
}

function passwordOf(values: Values): (typeof SOURCES)[number] | undefined {
  const text = values.last('password');
  const source = SOURCES.find((each) => each === text);
  if (text === undefined || source) return source;
  // Not repeated: it may be a password.
  throw new UsageError(
    '--password takes ask or generate, not a password: others on this machine can read arguments.',
  );
}

function loginOf([word, name, extra]: readonly string[], values: Values): LoginCommand {
  const action = actionOf('login', ACTIONS, word);
  noMore(action === 'list' ? name : extra, 'login');
  if (action === 'list') return { action };
  if (name === undefined) {
    throw new UsageError(`Name the login: groundswell login ${action} NAME.`);
  }
  if (!LOGIN_NAME.test(name)) {
    throw new UsageError(
      `${name} is not a name: expected 1 to 64 letters, digits and . _ @ + -, a letter or digit first.`,
    );
  }
  if (action === 'remove') return { action, name };
  const [role, budget, password] = [
    choiceOf(values, 'role', LOGIN_ROLES),
    budgetOf(values),
    passwordOf(values),
  ];
  if (action === 'set' && role === null && budget === undefined && password === undefined) {
    throw new UsageError('Say what to change: --role, --budget or --password.');
  }
  return {
    action,
    name,
    ...(role && { role }),
    ...(budget !== undefined && { budget }),
    ...(password && { password }),
  };
}

/** Without letters and digits that are easily confused. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A password of 100 random bits, in five groups of four. */
function generated(random: CommandDeps['random']): string {
  // 32 letters: each byte gives one of them with the same probability.
  const letters = Array.from(random(20), (byte) => LETTERS[byte % LETTERS.length] ?? '');
  return letters.join('').replace(/.{4}(?=.)/g, '$&-');
}

/** @throws {@link CommandError} if stdin ends, the two differ, or the password is unfit. */
async function typedPassword(deps: CommandDeps, name: string): Promise<string> {
  const { passwordFault } = await import('#server/auth/logins.ts');
  const lines = await deps.readSecret([`New password for ${name}: `, 'Repeat the password: ']);
  const [password = null] = lines;
  if (password === null) throw new CommandError('There is no password on stdin.');
  const fault = passwordFault(password, name);
  if (fault !== null) throw new CommandError(fault);
  if (lines.every((line) => line === password)) return password;
  throw new CommandError('The two passwords differ.');
}

/** The order of a command, and the password that is shown once; null for none. */
async function orderOf(
  deps: CommandDeps,
  command: LoginCommand,
): Promise<{ order: LoginOrder; shown: string | null }> {
  if (command.action === 'list' || command.action === 'remove') {
    return { order: command, shown: null };
  }
  const { action, name, password: from, role, budget } = command;
  const source = from ?? (action === 'add' ? 'generate' : null);
  const shown = source === 'generate' ? generated(deps.random) : null;
  const password = source === 'ask' ? await typedPassword(deps, name) : shown;
  const { openPasswords } = await import('#server/auth/passwords.ts');
  // The service gets only the hash.
  const hash = password === null ? null : await openPasswords(deps.random).hash(password);
  const order: LoginOrder =
    action === 'add'
      ? { action, name, password: hash ?? '', role: role ?? 'member', budget: budget ?? null }
      : {
          action,
          name,
          ...(hash !== null && { password: hash }),
          ...(role && { role }),
          ...(budget !== undefined && { budget }),
        };
  return { order, shown };
}

function line({ name, role, budget, sessions, last }: LoginInfo): string {
  const money = budget === null ? 'no budget' : `$${budget} a month`;
  const used = last === null ? '' : `, last used ${last}`;
  const browsers = `${plural(sessions, 'browser')} signed in`;
  return `${name}  ${role}  ${money}  ${browsers}${used}\n`;
}

export const loginCommand = command({
  name: 'login',
  summary: {
    'groundswell login add|set|remove NAME, groundswell login list':
      'manages who may sign in to the dashboard from other machines',
  },
  about: `groundswell login add NAME [--role ROLE] [--budget AMOUNT] [--password ask]
groundswell login set NAME [--role ROLE] [--budget AMOUNT] [--password ask|generate]
groundswell login remove NAME
groundswell login list
Manages who may sign in to the dashboard of a service that other machines reach. A generated password is printed once.
A new password, like removing a login, signs its browsers out.`,
  column: 21,
  options: {
    '--role ROLE':
      'administrator, who may change everything, or member, who reads and counts (default: member)',
    '--budget AMOUNT': `dollars that the login may spend on the platform in a month, or unlimited (default: unlimited),
      within the caps of the service`,
    '--password SOURCE': `generate a password, or ask for one: on the terminal without showing it, else the first line
      of stdin (default: generate)`,
    ...JSON_OPTION,
  },
  read: (words, values) => ({ login: loginOf(words, values), json: values.has('json') }),
  run: async (deps, { data, login, json }) => {
    const { order, shown } = await orderOf(deps, login);
    const password = shown === null ? {} : { password: shown };
    return await report(deps, data, 'login', order, ({ logins }) => {
      if (json) {
        const [first] = logins;
        return `${JSON.stringify(order.action === 'list' ? { logins } : { ...first, ...password })}\n`;
      }
      if (order.action === 'list' && logins.length === 0) {
        return 'There are no logins. Add one: groundswell login add NAME --role administrator\n';
      }
      if (order.action === 'remove') return `${order.name} was removed.\n`;
      return logins.map(line).join('') + (shown === null ? '' : `${shown}\n`);
    });
  },
});
