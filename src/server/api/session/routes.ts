import { getCookie, setCookie } from 'hono/cookie';
import { SESSION } from '#contract/accounts/session.ts';
import { SESSION_SECONDS } from '#server/auth/sealed-sessions.ts';
import { sessionCookie, sessionOf } from '#server/http/auth-guard.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';

/**
 * `POST /session`: signs in a browser that sends a one-time secret, or renews its session. Otherwise it answers 200 with
 * `signedIn: false`, because a page that is not signed in yet is not an error. Where people sign in by name and password,
 * it only says whether the browser has a session for the login of the page.
 */
export function session({ http, auth, network, ...context }: ServiceContext): Route[] {
  // On a network, people sign in by name and password instead.
  const signIns = network ? null : context.signIns;
  return [
    http.serve(SESSION.open, ({ c, body: { secret } }) => {
      if (!signIns) return { signedIn: sessionOf(c, auth) !== null };
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
