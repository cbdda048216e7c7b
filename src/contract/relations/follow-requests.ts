import * as v from 'valibot';
import { Username } from '#contract/accounts/accounts.ts';

/** A username, or the id of an account that was removed. */
export const REQUESTER = /^[A-Za-z0-9_]{1,19}$/;

/** The actions on the pending follows of a protected account, `username`. */
export const RequestOrder = v.variant('action', [
  v.strictObject({ action: v.literal('list'), username: Username }),
  v.strictObject({
    action: v.picklist(['approve', 'refuse']),
    username: Username,
    requester: v.pipe(v.string(), v.regex(REQUESTER)),
  }),
]);
export type RequestOrder = v.InferOutput<typeof RequestOrder>;

/** An account that asks to follow another one. */
export const RequestInfo = v.object({
  id: v.string(),
  /** The id where the account was removed. */
  username: v.string(),
});
export type RequestInfo = v.InferOutput<typeof RequestInfo>;
