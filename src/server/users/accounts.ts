import {
  NEW_PROFILE,
  type AccountInfo,
  type Profile,
  type UserOrder,
} from '#contract/accounts/accounts.ts';
import { formatInstant } from '#contract/instant.ts';
import type { StoredAccount } from '#server/auth/account-table.ts';
import { revoking } from '#server/auth/revocation.ts';
import type { Service } from '#server/auth/store.ts';
import { profileEvents } from './profile-events.ts';

/** An order about an account that does not fit: `missing` if it does not exist, `conflict` if it exists already. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
  readonly reason: 'missing' | 'conflict';

  constructor(message: string, reason: AccountError['reason'] = 'missing') {
    super(message);
    this.reason = reason;
  }
}

/** An account with all members of its profile. */
export function accountInfo({ id, username, createdAt, profile }: StoredAccount): AccountInfo {
  const created_at = formatInstant(createdAt);
  return { id, username, name: username, ...NEW_PROFILE, ...profile, created_at };
}

export interface AccountsDeps {
  readonly service: Service;
  /** Gives the id of a new account. */
  readonly newId: () => string;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Carries out an order about accounts. A change is durable when this returns.
 *
 * @returns The accounts after it: all of a list, otherwise the one that was added, set or removed.
 * @throws {@link AccountError} for an account that exists already, or that does not exist.
 */
export function orderAccounts(
  { service, newId, now }: AccountsDeps,
  order: UserOrder,
): AccountInfo[] {
  if (order.action === 'list') return service.accounts().map(accountInfo);
  const { username } = order;
  const before = service.findAccount(username);
  if (order.action === 'add') {
    if (before)
      throw new AccountError(`The account @${before.username} exists already.`, 'conflict');
    // Orders come as JSON, which has no undefined members.
    const profile = order.profile as Partial<Profile>;
    const createdAt = now();
    const added = service.account(username, newId, createdAt, profile);
    return [accountInfo({ ...added, createdAt, profile })];
  }
  if (!before) throw new AccountError(`There is no account @${username}.`);
  if (order.action === 'remove') {
    revoking(service, before.id, now(), () => service.removeAccount(before.id));
    return [accountInfo(before)];
  }
  const profile = { ...before.profile, ...(order.profile as Partial<Profile>) };
  const info = accountInfo({ ...before, profile });
  service.write('profile', () => {
    service.setProfile(before.id, profile);
    service.outbox.add(profileEvents(accountInfo(before), info), now());
  });
  return [info];
}
