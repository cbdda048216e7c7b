import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { plainProblem } from '#contract/fault.ts';
import { SESSION_SECONDS } from '#server/domain/access.ts';
import { isSameOrigin, sessionCookie, UNCACHED, type RouteDeps } from './context.ts';

/** `POST /session`: signs the dashboard in to its own service. */
export function session(deps: RouteDeps) {
  return (c: Context): Response => {
    if (!isSameOrigin(c)) {
      throw plainProblem(403, 'Forbidden', 'Only the pages of this service may sign in.');
    }
    setCookie(c, sessionCookie(c), deps.gate.openSession(), {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      maxAge: SESSION_SECONDS,
    });
    c.header('cache-control', UNCACHED);
    return c.body(null, 204);
  };
}
