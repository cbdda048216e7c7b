import * as v from 'valibot';
import { CommunityName, type CommunityOrder } from '#contract/control/community-orders.ts';
import { UsageError, type Values } from './options.ts';
import { usernameOf } from './profile-options.ts';

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
  const given = (values.get('member') ?? []).flatMap((text) => text.split(','));
  return given.map((text) => usernameOf(text, ''));
}

/**
 * Reads `groundswell community …`.
 *
 * @throws {@link UsageError} for an unknown action, and a missing or invalid name.
 */
export function communityOf(
  [word, text, member, extra]: readonly string[],
  values: Values,
): CommunityOrder {
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    throw new UsageError(`Say what to do: groundswell community ${ACTIONS.join(', ')}.`);
  }
  const joins = action === 'join' || action === 'leave';
  const more = action === 'list' ? text : joins ? extra : member;
  if (more !== undefined) {
    throw new UsageError(`Unexpected ${more}: see groundswell community --help.`);
  }
  if (values.has('member') && action !== 'add') {
    throw new UsageError('--member belongs to groundswell community add.');
  }
  if (action === 'list') return { action };
  const name = nameOf(text, action);
  if (action === 'add') return { action, name, members: membersOf(values) };
  if (action === 'remove') return { action, name };
  const missing = `Name the account: groundswell community ${action} NAME USERNAME.`;
  return { action, name, username: usernameOf(member, missing) };
}
