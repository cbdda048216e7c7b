import * as v from 'valibot';
import {
  affiliatesIn,
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
  affiliation: 'Affiliated with',
  affiliation_description: 'Label of the affiliation',
  affiliation_url: 'Address of the affiliation',
  affiliation_badge_url: 'Picture of the badge',
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

/** The values of the form for an account, or for a new one. @param all - The accounts that an affiliation may name. */
export function accountValues(
  account: AccountInfo | null,
  all: readonly AccountInfo[],
): EntryValues<AccountField> {
  if (!account) return { username: '', name: '', ...NEW_PROFILE };
  const { id: _, created_at: __, ...values } = account;
  const nameOf = (id: string): string => all.find((each) => each.id === id)?.username ?? id;
  return { ...values, affiliation: affiliatesIn(values.affiliation).map(nameOf).join(', ') };
}

const WEB_ADDRESS = 'Enter an address that begins with http:// or https://.';
const OWN_WORDS: Readonly<Partial<Record<AccountField, string>>> = {
  url: WEB_ADDRESS,
  affiliation: 'Enter usernames separated by commas.',
  affiliation_url: WEB_ADDRESS,
  affiliation_badge_url: WEB_ADDRESS,
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
 * @param all - As for {@link accountValues}.
 */
export function readAccount(
  account: AccountInfo | null,
  values: EntryValues<AccountField>,
  all: readonly AccountInfo[],
): Read<AccountField, UserOrder> {
  const { username: typed, ...rest } = values;
  const username = String(typed).trim().replace(/^@/, '');
  const before = accountValues(account, all);
  const given = Object.entries(rest).map(
    ([field, value]) => [field, typeof value === 'string' ? value.trim() : value] as const,
  );
  const isAffiliated = String(values.affiliation).trim() !== '';
  const changed = given
    .filter(([field, value]) => value !== before[field as keyof Profile])
    .filter(([field]) => isAffiliated || !field.startsWith('affiliation_'));
  const read = v.safeParse(v.partial(Profile), Object.fromEntries(changed));
  const wrong: Wrong<AccountField> = {
    ...profileWrong(read.issues ?? [], values),
    ...(!USERNAME.test(username) && {
      username: 'Use 1 to 15 letters (A–Z), digits and underscores.',
    }),
  };
  if (!read.success || Object.keys(wrong).length > 0) return { order: null, wrong };
  const profile = read.output;
  if (!account) return { order: { action: 'add', username, profile }, wrong: {} };
  const isRenamed = username !== account.username;
  if (!isRenamed && changed.length === 0) return { order: null, wrong: {} };
  const order: UserOrder = {
    action: 'set',
    username: account.username,
    ...(isRenamed && { rename: username }),
    profile,
  };
  return { order, wrong: {} };
}
