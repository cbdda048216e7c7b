import {
  affiliatesIn,
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
 * The members of a profile that an order sets, with an affiliation by ids. Another affiliation has texts of its own: its
 * description is the first account's name, unless the order gives one.
 *
 * @throws {@link AccountError} for an affiliation to no account of this service.
 */
function settingsOf(
  service: Service,
  { username, profile }: Extract<UserOrder, { action: 'add' | 'set' }>,
  before: Partial<Profile> = {},
): Partial<Profile> {
  // Orders come as JSON, which has no undefined members.
  const given = profile as Partial<Profile>;
  const { affiliation, affiliation_description, affiliation_url, affiliation_badge_url } = given;
  const texts = [affiliation_description, affiliation_url, affiliation_badge_url];
  const stored = before.affiliation ?? '';
  if (affiliatesIn(affiliation ?? stored).length === 0 && texts.some(Boolean)) {
    throw new AccountError(`Name the account that @${username} is affiliated with.`);
  }
  if (affiliation === undefined) return given;
  const accounts = affiliatesIn(affiliation).map((name) => {
    const account = service.findAccount(name) ?? service.accountOf(name);
    if (account) return accountInfo(account);
    throw new AccountError(`There is no account @${name}.`);
  });
  const ids = [...new Set(accounts.map(({ id }) => id))].join(',');
  const others = {
    affiliation_description: accounts[0]?.name ?? '',
    affiliation_url: '',
    affiliation_badge_url: '',
  };
  return { ...(ids !== stored && others), ...given, affiliation: ids };
}

/** Takes a removed account out of the affiliations of all others. @param now - Epoch ms. */
function leaveAffiliations(service: Service, removed: string, now: number): void {
  for (const account of service.accounts()) {
    const { username, profile: before } = account;
    const ids = affiliatesIn(before.affiliation ?? '');
    if (!ids.includes(removed)) continue;
    const affiliation = ids.filter((id) => id !== removed).join(',');
    const change = { action: 'set', username, profile: { affiliation } } as const;
    const profile = { ...before, ...settingsOf(service, change, before) };
    service.setProfile(account.id, profile);
    service.outbox.add(
      profileEvents(accountInfo(account), accountInfo({ ...account, profile })),
      now,
    );
  }
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
    const profile = settingsOf(service, order);
    const createdAt = now();
    const added = service.account(username, newId, createdAt, profile);
    return [accountInfo({ ...added, createdAt, profile })];
  }
  if (!before) throw new AccountError(`There is no account @${username}.`);
  if (order.action === 'remove') {
    revoking(service, before.id, now(), () => {
      service.removeAccount(before.id);
      leaveAffiliations(service, before.id, now());
    });
    return [accountInfo(before)];
  }
  const profile = { ...before.profile, ...settingsOf(service, order, before.profile) };
  const { rename = before.username } = order;
  const other = service.findAccount(rename);
  if (other && other.id !== before.id) {
    throw new AccountError(`The account @${other.username} exists already.`, 'conflict');
  }
  const info = accountInfo({ ...before, username: rename, profile });
  service.write('profile', () => {
    service.setProfile(before.id, profile);
    if (rename !== before.username) service.rename(before, rename);
    service.outbox.add(profileEvents(accountInfo(before), info), now());
  });
  return [info];
}
