import * as v from 'valibot';
import {
  NEW_PROFILE,
  Profile,
  USERNAME,
  type AccountInfo,
  type UserOrder,
} from '#contract/accounts/accounts.ts';
import type { Read, EntryValues, Wrong } from '#app/settings/entry-form.svelte.ts';

/** The fields of the form for an account. */
export type AccountField = 'username' | keyof Profile;

/** The names of the fields that the user types, as they appear in messages. */
export const ACCOUNT_LABELS = {
  username: 'Username',
  name: 'Name',
  description: 'Bio',
  url: 'Website',
  location: 'Location',
  email: 'E-mail',
} as const;

export const VERIFIED_NAMES: Readonly<Record<Profile['verified_type'], string>> = {
  none: 'Not verified',
  blue: 'Blue',
  business: 'Business',
  government: 'Government',
};

export const SUBSCRIPTION_NAMES: Readonly<Record<Profile['subscription_type'], string>> = {
  None: 'None',
  Basic: 'Basic',
  Premium: 'Premium',
  PremiumPlus: 'Premium+',
};

/** The values of the form for an account, or for a new one. */
export function accountValues(account: AccountInfo | null): EntryValues<AccountField> {
  if (!account) return { username: '', name: '', ...NEW_PROFILE };
  const { id: _, created_at: __, ...values } = account;
  return values;
}

const OWN_WORDS: Readonly<Partial<Record<AccountField, string>>> = {
  url: 'Enter an address that begins with http:// or https://.',
  email: 'Enter an address like name@example.com.',
};

function profileWrong(issues: readonly v.BaseIssue<unknown>[], values: EntryValues<AccountField>) {
  const wrong: Partial<Record<AccountField, string>> = {};
  for (const issue of issues) {
    const field = v.getDotPath(issue) as keyof Profile;
    const label = (ACCOUNT_LABELS as Readonly<Record<string, string>>)[field] ?? field;
    const isLong = /characters/.test(issue.message);
    wrong[field] ??= (!isLong && OWN_WORDS[field]) || `${label} ${issue.message}.`;
    if (values[field] === '') wrong[field] = `Enter a ${label.toLowerCase()}.`;
  }
  return wrong;
}

/**
 * Reads the form for an account: an order to add it, or to set only what changed.
 *
 * @param account - The account as listed; null for a new one, whose name may stay empty.
 */
export function readAccount(
  account: AccountInfo | null,
  values: EntryValues<AccountField>,
): Read<AccountField, UserOrder> {
  const { username: typed, ...rest } = values;
  const username = String(typed).trim().replace(/^@/, '');
  const before = accountValues(account);
  const given = Object.entries(rest).map(
    ([field, value]) => [field, typeof value === 'string' ? value.trim() : value] as const,
  );
  const changed = given.filter(([field, value]) => value !== before[field as keyof Profile]);
  const read = v.safeParse(v.partial(Profile), Object.fromEntries(changed));
  const wrong: Wrong<AccountField> = {
    ...profileWrong(read.issues ?? [], values),
    ...(!USERNAME.test(username) && {
      username: 'Use 1 to 15 letters (A–Z), digits and underscores.',
    }),
  };
  if (!read.success || Object.keys(wrong).length > 0) return { order: null, wrong };
  if (account && changed.length === 0) return { order: null, wrong: {} };
  const profile = read.output;
  return { order: { action: account ? 'set' : 'add', username, profile }, wrong: {} };
}
