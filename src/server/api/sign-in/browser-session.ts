import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { LOGIN_COOKIE } from '#contract/accounts/login-names.ts';
import { SESSION_MS } from '#server/auth/login-table.ts';
import type { Logins, OpenSession, SignedIn } from '#server/auth/logins.ts';
import { sessionCookie } from '#server/http/auth-guard.ts';

/** The time a browser remembers whose pages it shows, s: more than a session, so that a page keeps its boards. */
const LOGIN_SECONDS = 365 * 86_400;

/** The cookie that names a browser's login, by the port of the service. */
function loginCookie(c: Context): string {
  return LOGIN_COOKIE + (/\d+$/.exec(sessionCookie(c))?.[0] ?? '');
}

/** Forgets who is signed in. */
export function forgetBrowser(c: Context): void {
  for (const name of [sessionCookie(c), loginCookie(c)]) {
    deleteCookie(c, name, { path: '/', secure: true });
  }
}

/** The session of a browser; null if it has none. */
export function openSession(c: Context, logins: Logins): OpenSession | null {
  const cookie = getCookie(c, sessionCookie(c));
  return cookie === undefined ? null : logins.session(cookie);
}

/** Signs the browser in with a new session, and ends the one that it had. */
export function beginSession(c: Context, logins: Logins, { cookie, login }: SignedIn): void {
  const before = openSession(c, logins);
  if (before) logins.end(before.login.id, before.hash);
  const common = { path: '/', secure: true, sameSite: 'Lax' } as const;
  const maxAge = SESSION_MS / 1000;
  setCookie(c, sessionCookie(c), cookie, { ...common, httpOnly: true, maxAge });
  setCookie(c, loginCookie(c), login.id, { ...common, maxAge: LOGIN_SECONDS });
}
