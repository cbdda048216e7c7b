import * as v from 'valibot';
import { endpoint } from '#contract/endpoint.ts';

/** Precedes the one-time secret in the part of an address after `#`, which browsers do not send. */
const SIGN_IN = 'sign-in=';

/** The one-time secret in a URL's fragment, or null. */
export function secretOf(hash: string): string | null {
  const found = new RegExp(`^#?${SIGN_IN}([\\w-]{20,100})$`).exec(hash);
  return found?.[1] ?? null;
}

/** A one-time sign-in address. @param origin - Of the service, such as `http://127.0.0.1:4319`. */
export function signInAddress(origin: string, secret: string): string {
  return `${origin}/#${SIGN_IN}${secret}`;
}

/** Names the account, by its id, that an administrator's session acts as. Without it, a session acts as none. */
export const ACCOUNT_HEADER = 'x-groundswell-account';

/** Type of the faults 400 for an account that does not exist, and 403 for a session that may act as none. */
export const NO_ACCOUNT = 'groundswell:no-account';

/** A browser without a session sends the secret of its address; a browser with one has it renewed. */
export const SessionRequest = v.strictObject({
  secret: v.optional(v.pipe(v.string(), v.maxLength(100))),
});

/** With `signedIn`, the answer sets the session's cookie. */
export const SessionAnswer = v.object({ signedIn: v.boolean() });

/** Signs a browser in with a one-time secret, or renews its session. */
export const SESSION = {
  open: endpoint('POST', '/session', {
    authentication: ['page'],
    body: SessionRequest,
    answer: SessionAnswer,
  }),
};
