import type { Context } from 'hono';
import { tooManyFailures } from '#server/http/auth-guard.ts';
import type { Failures } from '#server/auth/failures.ts';

/** An error in the form of version 1.1, which the paths below `/oauth` and `/oauth2` answer with. */
export function v1Error(
  c: Context,
  status: 400 | 401 | 403,
  error: { code: number; label?: string; message: string },
): Response {
  return c.json({ errors: [error] }, status);
}

/** An error of OAuth 2.0 (RFC 6749 section 5.2). */
export function oauth2Error(
  c: Context,
  status: 400 | 401,
  error: string,
  error_description: string,
): Response {
  return c.json({ error, error_description }, status);
}

/** An answer in the form that OAuth 1.0a gives tokens in (RFC 5849 section 2.1). */
export function formAnswer(c: Context, fields: Readonly<Record<string, string>>): Response {
  const type = 'application/x-www-form-urlencoded; charset=utf-8';
  return c.body(new URLSearchParams(fields).toString(), 200, { 'content-type': type });
}

/** @throws {@link Fault} 429 for a pool that failed too often. */
export function refuseLocked(failures: Failures, pool: string): void {
  const until = failures.lockedUntil(pool);
  if (until !== null) throw tooManyFailures(until);
}
