import * as v from 'valibot';
import {
  CommunityName,
  type CommunityInfo,
  type CommunityOrder,
} from '#contract/control/community-orders.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { report } from '#server/cli/perform/perform.ts';
import {
  actionOf,
  noMore,
  refuseForeign,
  usernameOf,
  UsageError,
  type Values,
} from '#server/cli/options.ts';

const ACTIONS = ['add', 'list', 'remove', 'join', 'leave'] as const;

function nameOf(text: string | undefined, action: string): string {
  if (text === undefined) {
    throw new UsageError(`Name the community: groundswell community ${action} NAME.`);
  }
  const read = v.safeParse(CommunityName, text);
  if (read.success) return read.output;
  throw new UsageError(`The name of a community ${read.issues[0].message}.`);
}

/** Usernames of `--member`, which may be repeated and may name several. */
function membersOf(values: Values): string[] {
  const given = values.all('member').flatMap((text) => text.split(','));
  return given.map((text) => usernameOf(text, ''));
}

function communityOf(
  [word, text, member, extra]: readonly string[],
  values: Values,
): CommunityOrder {
  const action = actionOf('community', ACTIONS, word);
  const joins = action === 'join' || action === 'leave';
  noMore(action === 'list' ? text : joins ? extra : member, 'community');
  refuseForeign(values, 'community', action, { member: 'add' });
  if (action === 'list') return { action };
  const name = nameOf(text, action);
  if (action === 'add') return { action, name, members: membersOf(values) };
  if (action === 'remove') return { action, name };
  const missing = `Name the account: groundswell community ${action} NAME USERNAME.`;
  return { action, name, username: usernameOf(member, missing) };
}

function line({ id, name, members }: CommunityInfo): string {
  return `${[name, id, ...members.map((member) => `@${member}`)].join('  ')}\n`;
}

/** The result of an order. */
function done(
  order: Exclude<CommunityOrder, { action: 'list' }>,
  [community]: CommunityInfo[],
): string {
  switch (order.action) {
    case 'add':
      return `${order.name} was added with the id ${community?.id ?? ''}.\n`;
    case 'remove':
      return `${order.name} was removed.\n`;
    case 'join':
      return `@${order.username} is a member of ${order.name}.\n`;
    case 'leave':
      return `@${order.username} is not a member of ${order.name}.\n`;
  }
}

export const communityCommand = command({
  name: 'community',
  summary: {
    [`groundswell community add|remove NAME, groundswell community join|leave NAME USERNAME,
groundswell community list`]: 'manages the communities of this service and their members',
  },
  about: `groundswell community add NAME [--member USERNAME,…]
groundswell community join NAME USERNAME
groundswell community leave NAME USERNAME
groundswell community remove NAME
groundswell community list
Manages the communities of this service. Only members post into a community, with its id as community_id. Removing a
community keeps its Posts.`,
  column: 19,
  options: {
    '--member NAMES': 'usernames of members, separated by commas; repeat it for more',
    ...JSON_OPTION,
  },
  posts: 'folder',
  read: (words, values) => ({ community: communityOf(words, values), json: values.has('json') }),
  run: (deps, { data, community: order, json }) =>
    report(deps, data, 'community', order, ({ communities }) => {
      if (json) {
        return `${JSON.stringify(order.action === 'list' ? { communities } : communities[0])}\n`;
      }
      if (order.action !== 'list') return done(order, communities);
      return communities.map(line).join('') || 'There are no communities.\n';
    }),
});
