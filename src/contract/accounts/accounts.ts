import * as v from 'valibot';
import { Time } from '#contract/members.ts';

/** Valid usernames (platform-openapi, UserName). */
export const USERNAME = /^[A-Za-z0-9_]{1,15}$/;

/** Values of a user's `verified_type` and `subscription_type` (specification; platform-facts-additions, section 3). */
export const VERIFIED_TYPES = ['none', 'blue', 'business', 'government'] as const;
export const SUBSCRIPTIONS = ['None', 'Basic', 'Premium', 'PremiumPlus'] as const;

/** Characters of a profile's texts, as the platform's profile page allows; those of an affiliation are the project's own. */
const MOST = {
  name: 50,
  description: 160,
  url: 100,
  location: 30,
  affiliation_description: 50,
  affiliation_url: 100,
  affiliation_badge_url: 200,
} as const;

/** Accounts that one is affiliated with at most. */
const MOST_AFFILIATES = 100;

function textOf(field: keyof typeof MOST) {
  return v.pipe(
    v.string(),
    v.check(
      (text) => Array.from(text).length <= MOST[field],
      ({ input }) => `has ${Array.from(input).length} characters; the limit is ${MOST[field]}`,
    ),
  );
}

function addressOf(field: 'url' | 'affiliation_url' | 'affiliation_badge_url') {
  return v.pipe(
    textOf(field),
    v.check(
      (url) => url === '' || /^https?:\/\/[^\s/]+/.test(url),
      'is not an http or https address',
    ),
  );
}

/** The accounts in an `affiliation`, without the spaces and signs that people write. */
export function affiliatesIn(affiliation: string): string[] {
  if (affiliation.trim() === '') return [];
  return affiliation.split(',').map((name) => name.trim().replace(/^@/, ''));
}

/** The profile and the rights of an account, under the names that a user's fields have on the platform. */
export const Profile = v.strictObject({
  name: v.pipe(
    textOf('name'),
    v.check((text) => text.trim() !== '', 'must not be empty'),
  ),
  description: textOf('description'),
  url: addressOf('url'),
  location: textOf('location'),
  verified_type: v.picklist(VERIFIED_TYPES),
  subscription_type: v.picklist(SUBSCRIPTIONS),
  protected: v.boolean(),
  email: v.pipe(
    v.string(),
    v.check((text) => text === '' || /^[^@\s]+@[^@\s]+$/.test(text), 'is not an e-mail address'),
  ),
  /** True if the account is registered as an AI developer, which community notes need. */
  ai_developer: v.boolean(),
  /** True if the account is approved as a writer of community notes. */
  note_writer: v.boolean(),
  /** True if the account accepted the merchant terms. */
  merchant_terms: v.boolean(),
  /**
   * The accounts that this one is affiliated with, separated by commas: in an order by username or id, as stored by id.
   * Empty for none; then the texts of the affiliation are empty too.
   */
  affiliation: v.pipe(
    v.string(),
    v.check(
      (text) => affiliatesIn(text).every((name) => USERNAME.test(name) || /^\d{1,19}$/.test(name)),
      'must be usernames separated by commas',
    ),
    v.check(
      (text) => affiliatesIn(text).length <= MOST_AFFILIATES,
      `names more than ${MOST_AFFILIATES} accounts`,
    ),
  ),
  affiliation_description: textOf('affiliation_description'),
  affiliation_url: addressOf('affiliation_url'),
  affiliation_badge_url: addressOf('affiliation_badge_url'),
});
export type Profile = v.InferOutput<typeof Profile>;

/** The profile of a new account, apart from its name. */
export const NEW_PROFILE: Omit<Profile, 'name'> = {
  description: '',
  url: '',
  location: '',
  verified_type: 'none',
  subscription_type: 'None',
  protected: false,
  email: '',
  ai_developer: false,
  note_writer: false,
  merchant_terms: false,
  affiliation: '',
  affiliation_description: '',
  affiliation_url: '',
  affiliation_badge_url: '',
};

/** An account of this service. */
export const AccountInfo = v.object({
  id: v.string(),
  username: v.string(),
  ...Profile.entries,
  created_at: Time,
});
export type AccountInfo = v.InferOutput<typeof AccountInfo>;

/** The username of an account. */
export const Username = v.pipe(v.string(), v.regex(USERNAME));

/** The actions on accounts. */
export const UserOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({ action: v.literal('add'), username: Username, profile: v.partial(Profile) }),
  v.strictObject({
    action: v.literal('set'),
    username: Username,
    /** The username that replaces it; absent if it stays. */
    rename: v.exactOptional(Username),
    profile: v.partial(Profile),
  }),
  v.strictObject({ action: v.literal('remove'), username: Username }),
]);
export type UserOrder = v.InferOutput<typeof UserOrder>;
