import { getCookie, setCookie } from 'hono/cookie';
import { SESSION } from '#contract/session.ts';
import type { SignIns } from '#server/auth/sign-ins.ts';
import { SESSION_SECONDS } from '#server/auth/tokens.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { sessionCookie } from '#server/http/auth-guard.ts';
import type { Http, Route } from '#server/http/serve.ts';

export interface SessionDeps {
  readonly http: Http;
  readonly auth: Auth;
  readonly signIns: SignIns;
}

/**
 * `POST /session`: signs a browser in that shows a one-time secret, and renews the session of one that has it.
 * Without either it says so with status 200: a page that is not signed in is no fault.
 */
export function session({ http, auth, signIns }: SessionDeps): Route[] {
  return [
    http.serve(SESSION.open, ({ c, body: { secret } }) => {
      const name = sessionCookie(c);
      const cookie = getCookie(c, name);
      const renewed = cookie !== undefined && auth.session(cookie) !== null;
      const signedIn = (secret !== undefined && signIns.redeem(secret)) || renewed;
      if (signedIn) {
        setCookie(c, name, auth.openSession(), {
          path: '/',
          httpOnly: true,
          sameSite: 'Strict',
          maxAge: SESSION_SECONDS,
        });
      }
      return { signedIn };
    }),
  ];
}
