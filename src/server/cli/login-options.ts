import { LOGIN_NAME, LOGIN_ROLES, type LoginRole } from '#contract/accounts/logins.ts';
import { choiceOf, UsageError, type Option, type Values } from './options.ts';

const ACTIONS = ['add', 'list', 'set', 'remove'] as const;

/** Where a password comes from. */
const SOURCES = ['generate', 'ask'] as const;

/** What the command line says about logins. The password is asked for, or generated, when the command runs. */
export type LoginCommand =
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

export const LOGIN_OPTIONS: Readonly<Record<string, Option>> = {
  role: { type: 'string' },
  budget: { type: 'string' },
  password: { type: 'string' },
  json: { type: 'boolean' },
};

export const LOGIN_HELP = `groundswell login add NAME [--role ROLE] [--budget AMOUNT] [--password ask]
groundswell login set NAME [--role ROLE] [--budget AMOUNT] [--password ask|generate]
groundswell login remove NAME
groundswell login list
Manages who may sign in to the dashboard of a service that other machines reach. A generated password is printed once.
A new password, like removing a login, signs its browsers out.

  --role ROLE        administrator, who may change everything, or member, who reads and counts (default: member)
  --budget AMOUNT    dollars that the login may spend on the platform in a month, or unlimited (default: unlimited),
                     within the caps of the service
  --password SOURCE  generate a password, or ask for one: on the terminal without showing it, else the first line
                     of stdin (default: generate)
  --json             prints one object on one line
`;

function budgetOf(values: Values): number | null | undefined {
  const text = values.get('budget')?.at(-1);
  if (text === undefined) return undefined;
  if (text === 'unlimited') return null;
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new UsageError(
    `--budget ${text} is not an amount: expected dollars such as 25 or 0.5, or unlimited.`,
  );
}

function passwordOf(values: Values): (typeof SOURCES)[number] | undefined {
  const text = values.get('password')?.at(-1);
  const source = SOURCES.find((one) => one === text);
  if (text === undefined || source) return source;
  // Not repeated: it may be a password.
  throw new UsageError(
    '--password takes ask or generate, not a password: others on this machine can read arguments.',
  );
}

/**
 * Reads `groundswell login …`.
 *
 * @throws {@link UsageError} for an unknown action, a missing or invalid name, invalid options, and a change of nothing.
 */
export function loginOf([word, name, extra]: readonly string[], values: Values): LoginCommand {
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    throw new UsageError(`Say what to do: groundswell login ${ACTIONS.join(', ')}.`);
  }
  const more = action === 'list' ? name : extra;
  if (more !== undefined) throw new UsageError(`Unexpected ${more}: see groundswell login --help.`);
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
