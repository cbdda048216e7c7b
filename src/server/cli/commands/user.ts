import * as v from 'valibot';
import {
  Profile,
  SUBSCRIPTIONS,
  VERIFIED_TYPES,
  type AccountInfo,
  type UserOrder,
} from '#contract/accounts/accounts.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import {
  choiceOf,
  noMore,
  refuseForeign,
  usernameOf,
  UsageError,
  type Values,
} from '#server/cli/options.ts';

/** The members of a profile by option. */
const PROFILE_OPTIONS = {
  name: 'name',
  bio: 'description',
  url: 'url',
  location: 'location',
  verified: 'verified_type',
  subscription: 'subscription_type',
  protected: 'protected',
  email: 'email',
  'ai-developer': 'ai_developer',
  'note-writer': 'note_writer',
  'merchant-terms': 'merchant_terms',
  affiliation: 'affiliation',
  'affiliation-description': 'affiliation_description',
  'affiliation-url': 'affiliation_url',
  'affiliation-badge-url': 'affiliation_badge_url',
} as const satisfies Readonly<Record<string, keyof Profile>>;

/**
 * The members of a profile that the options set.
 *
 * @throws {@link UsageError} for an invalid value.
 */
function profileOf(values: Values): Partial<Profile> {
  const profile: Record<string, unknown> = {};
  for (const [option, field] of Object.entries(PROFILE_OPTIONS)) {
    const text = values.last(option);
    if (text === undefined) continue;
    const schema = Profile.entries[field];
    const isFlag = schema.type === 'boolean';
    const value = isFlag ? choiceOf(values, option, ['yes', 'no']) === 'yes' : text;
    const read = v.safeParse(schema, value);
    if (!read.success) {
      if (schema.type === 'picklist') choiceOf(values, option, schema.options);
      throw new UsageError(`--${option} ${text} ${read.issues[0].message}.`);
    }
    profile[field] = read.output;
  }
  return profile;
}

const ACTIONS = ['add', 'list', 'set', 'remove'] as const;

function userOf([word, name, extra]: readonly string[], values: Values): UserOrder {
  const action = ACTIONS.find((each) => each === word);
  if (action === undefined) {
    throw new UsageError(`Say what to do: groundswell user ${ACTIONS.join(', ')}, requests.`);
  }
  refuseForeign(values, 'user', action, {
    approve: 'requests',
    refuse: 'requests',
    username: 'set',
  });
  noMore(action === 'list' ? name : extra, 'user');
  if (action === 'list') return { action };
  // A username given as `--name` is one too, as with `groundswell token user`.
  const username = usernameOf(
    name ?? values.last('name'),
    `Name the account: groundswell user ${action} USERNAME.`,
  );
  if (action === 'remove') return { action, username };
  const profile = profileOf(values);
  if (action === 'add') return { action, username, profile };
  const rename = values.last('username');
  return {
    action,
    username,
    ...(rename !== undefined && { rename: usernameOf(rename, '') }),
    profile,
  };
}

/** The change of an account, by the order's action. */
const DONE = { add: 'added', set: 'changed', remove: 'removed' } as const;

function line({ id, username, name }: AccountInfo): string {
  return `@${username}  ${name}  ${id}\n`;
}

export const userCommand = command({
  name: 'user',
  summary: {
    'groundswell user add|set|remove USERNAME, groundswell user list':
      'manages the accounts that write Posts on this service',
  },
  about: `groundswell user add USERNAME [options]
groundswell user set USERNAME [options]
groundswell user remove USERNAME
groundswell user list
groundswell user requests USERNAME [--approve NAME|--refuse NAME]
Manages the accounts of this service. Removing an account revokes its tokens; its Posts stay. When an account stops
being protected, everyone who asked to follow it becomes a follower.`,
  column: 25,
  options: {
    '--username NAME': 'another username, which no other account has; set only',
    '--name TEXT': 'display name, at most 50 characters (default: the username)',
    '--bio TEXT': 'description, at most 160 characters',
    '--url ADDRESS': 'website',
    '--location TEXT': 'at most 30 characters',
    '--verified TYPE': VERIFIED_TYPES.join(', '),
    '--subscription TYPE': SUBSCRIPTIONS.join(', '),
    '--protected yes|no': 'whether the Posts are hidden from all others',
    '--email ADDRESS': `shown to the account's own tokens with the scope users.email`,
    '--ai-developer yes|no':
      'whether the account is registered as an AI developer, which community notes need (default: no)',
    '--note-writer yes|no': 'whether it is approved to write community notes (default: no)',
    '--merchant-terms yes|no':
      'whether the terms of the product catalog are accepted (default: no)',
    '--affiliation NAMES':
      'accounts that this one is affiliated with, separated by commas; an empty text for none',
    '--affiliation-description TEXT':
      "label of the affiliation, at most 50 characters (default: the first account's name)",
    '--affiliation-url ADDRESS': 'address that the label leads to',
    '--affiliation-badge-url ADDRESS': 'picture of the badge',
    '--approve NAME': 'lets the account follow; requests only',
    '--refuse NAME': `removes the account's request; requests only`,
    ...JSON_OPTION,
  },
  read: (words, values) => ({ user: userOf(words, values), json: values.has('json') }),
  run: (deps, { data, user, json }) =>
    report(deps, data, 'user', user, ({ accounts }) => {
      if (json) {
        return `${JSON.stringify(user.action === 'list' ? { users: accounts } : accounts[0])}\n`;
      }
      if (user.action !== 'list') return `@${user.username} was ${DONE[user.action]}.\n`;
      return accounts.map(line).join('') || 'There are no accounts.\n';
    }),
});
