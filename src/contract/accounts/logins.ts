import * as v from 'valibot';

/** Valid names of logins: also e-mail addresses. */
export const LOGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

/** An administrator may change everything, a member reads and counts. */
export const LOGIN_ROLES = ['administrator', 'member'] as const;
export type LoginRole = (typeof LOGIN_ROLES)[number];

/** Characters of a password; the least is above that of NIST SP 800-63B revision 3, section 5.1.1.1, which is 8. */
export const PASSWORD_CHARACTERS = { min: 12, max: 256 } as const;

const name = v.pipe(v.string(), v.regex(LOGIN_NAME));
/** A hashed password, as `hashPassword` writes it. */
const password = v.pipe(v.string(), v.maxLength(300));
/** USD that the login may spend on the platform in a UTC month; null for no limit but that of the service. */
const budget = v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(1_000_000)));

/** Work on logins: who may sign in to a service for other machines. */
export const LoginOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list') }),
  v.strictObject({
    action: v.literal('add'),
    name,
    password,
    role: v.picklist(LOGIN_ROLES),
    budget,
  }),
  v.strictObject({
    action: v.literal('set'),
    name,
    /** Ends all sessions of the login. */
    password: v.exactOptional(password),
    role: v.exactOptional(v.picklist(LOGIN_ROLES)),
    budget: v.exactOptional(budget),
  }),
  v.strictObject({ action: v.literal('remove'), name }),
]);
export type LoginOrder = v.InferOutput<typeof LoginOrder>;

export const LoginInfo = v.object({
  id: v.string(),
  name: v.string(),
  role: v.picklist(LOGIN_ROLES),
  budget: v.nullable(v.number()),
  /** Number of browsers that are signed in. */
  sessions: v.number(),
  /** The time at which a browser was last used, as ISO text; null for none. */
  last: v.nullable(v.string()),
});
export type LoginInfo = v.InferOutput<typeof LoginInfo>;
