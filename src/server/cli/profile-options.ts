import * as v from 'valibot';
import { Profile, USERNAME } from '#contract/accounts/accounts.ts';
import { choiceOf, UsageError, type Values } from './options.ts';

/**
 * A username from the command line.
 *
 * @param missing - Message where there is none.
 * @throws {@link UsageError} for anything but a username.
 */
export function usernameOf(text: string | undefined, missing: string): string {
  if (text === undefined) throw new UsageError(missing);
  if (USERNAME.test(text)) return text;
  const form = 'expected 1 to 15 of A to Z, a to z, 0 to 9 and _';
  throw new UsageError(`${text} is not a username: ${form}.`);
}

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
} as const satisfies Readonly<Record<string, keyof Profile>>;

/**
 * The members of a profile that the options set.
 *
 * @throws {@link UsageError} for an invalid value.
 */
export function profileOf(values: Values): Partial<Profile> {
  const profile: Record<string, unknown> = {};
  for (const [option, field] of Object.entries(PROFILE_OPTIONS)) {
    const text = values.get(option)?.at(-1);
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
