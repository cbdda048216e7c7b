import * as v from 'valibot';
import { Time } from '#contract/members.ts';
import { ACCESS_LEVELS } from './access.ts';
import { Username } from './accounts.ts';

/** True if an app can keep a secret (RFC 6749 section 2.1). */
export const CLIENT_TYPES = ['confidential', 'public'] as const;

/** The permissions of an app's OAuth 1.0a tokens; each value includes the ones before it. */
export const PERMISSIONS = ['read', 'read-write', 'read-write-dm'] as const;
export type Permission = (typeof PERMISSIONS)[number];

const MAX_NAME = 32;
const MAX_CALLBACKS = 10;

/** True if a callback is absolute and without a fragment (RFC 6749 section 3.1.2). */
function isCallback(address: string): boolean {
  return (
    URL.canParse(address) &&
    !address.includes('#') &&
    !/^(?:javascript|data|vbscript|file):/i.test(address)
  );
}

/** Rules that the platform allows an app under enterprise access (platform-facts, section 5). */
export const ENTERPRISE_RULES = 25_000;

/** The number of rules for which the memory of the thread that matches them suffices. */
export const MOST_RULES = 250_000;

const money = v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(0)));

/** The settings that a host decides for an app. */
export const AppSettings = v.strictObject({
  access: v.picklist(ACCESS_LEVELS),
  client: v.picklist(CLIENT_TYPES),
  /** Addresses that a sign-in may return to. They must match exactly. */
  callbacks: v.pipe(
    v.array(
      v.pipe(
        v.string(),
        v.check(
          isCallback,
          ({ input }) => `${input} is not an absolute address without a fragment`,
        ),
      ),
    ),
    v.maxLength(MAX_CALLBACKS, `lists more than ${MAX_CALLBACKS} addresses`),
  ),
  permission: v.picklist(PERMISSIONS),
  /** Username of the account that owns the app; null if it has no owner. */
  owner: v.nullable(Username),
  /** Micro-dollars to spend; null for no limit. */
  credits: money,
  /** Micro-dollars per month; null for no limit. */
  spending_limit: money,
  early_access: v.boolean(),
  /** Rules of its filtered stream under enterprise access, if more than the platform allows; null for as many. */
  stream_rules: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_RULES))),
  /** True if the platform's rate limits apply. */
  limited: v.boolean(),
});
export type AppSettings = v.InferOutput<typeof AppSettings>;

/** The settings of a new app. */
export const NEW_APP: AppSettings = {
  access: 'pay-per-use',
  client: 'confidential',
  callbacks: [],
  permission: 'read-write',
  owner: null,
  credits: null,
  spending_limit: null,
  early_access: false,
  stream_rules: null,
  limited: true,
};

/** Name of an app. */
export const AppName = v.pipe(
  v.string(),
  v.trim(),
  v.check(
    (name) => name !== '' && Array.from(name).length <= MAX_NAME,
    `must have 1 to ${MAX_NAME} characters`,
  ),
);

/** An app without its secrets. */
export const AppInfo = v.object({
  id: v.string(),
  name: v.string(),
  ...AppSettings.entries,
  api_key: v.string(),
  client_id: v.string(),
  created_at: Time,
});
export type AppInfo = v.InferOutput<typeof AppInfo>;

/** An app with the secrets that are shown once. A public client has no client secret. */
export const AppSecrets = v.object({
  api_key_secret: v.string(),
  bearer_token: v.string(),
  client_secret: v.optional(v.string()),
});
export type AppSecrets = v.InferOutput<typeof AppSecrets>;

/** The actions on apps. */
export const AppOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({
    action: v.picklist(['add', 'set']),
    name: AppName,
    settings: v.partial(AppSettings),
  }),
  /** Replaces every secret of the app. */
  v.strictObject({ action: v.literal('rotate'), name: AppName }),
  v.strictObject({ action: v.literal('remove'), name: AppName }),
]);
export type AppOrder = v.InferOutput<typeof AppOrder>;

/** The result of an order. `secrets` is present after adding and rotating. */
export const AppsAnswer = v.object({
  apps: v.array(AppInfo),
  secrets: v.optional(AppSecrets),
});
export type AppsAnswer = v.InferOutput<typeof AppsAnswer>;
