import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type * as v from 'valibot';
import { plainProblem } from '#contract/fault.ts';
import { SessionRequest } from '#contract/session.ts';
import type { SessionAnswer } from '#contract/session.ts';
import { SESSION_SECONDS } from '#server/auth/tokens.ts';
import type { SignIns } from '#server/auth/sign-ins.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { isSameOrigin, sessionCookie, UNCACHED } from '#server/http/context.ts';
import { readBody } from '#server/http/json-body.ts';

/**
 * `POST /session`: signs a browser in that shows a one-time secret, and renews the session of one that has it.
 * Without either it says so with status 200: a page that is not signed in is no fault.
 */
export function session(deps: RouteDeps, signIns: SignIns) {
  return async (c: Context): Promise<Response> => {
    if (!isSameOrigin(c)) {
      throw plainProblem(403, 'Forbidden', 'Only the pages of this service may sign in.');
    }
    const { secret } = await readBody(c, SessionRequest);
    const name = sessionCookie(c);
    const cookie = getCookie(c, name);
    const held = cookie !== undefined && deps.gate.session(cookie) !== null;
    const signedIn = (secret !== undefined && signIns.redeem(secret)) || held;
    if (signedIn) {
      setCookie(c, name, deps.gate.openSession(), {
        path: '/',
        httpOnly: true,
        sameSite: 'Strict',
        maxAge: SESSION_SECONDS,
      });
    }
    const answer: v.InferInput<typeof SessionAnswer> = { signedIn };
    return c.json(answer, 200, { 'cache-control': UNCACHED });
  };
}
