import type { Context } from 'hono';
import { tooManyFailures } from '#server/http/auth-guard.ts';
import { clientPart, type Failures } from '#server/auth/failures.ts';
import { clientAddress } from '#server/http/origin.ts';

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

/**
 * Counts wrong credentials by who sent them and for which client, so that they never keep the right ones out, which are
 * compared before this.
 *
 * @param client - The client that they name.
 * @throws {@link Fault} 429 after many.
 */
export function countWrong(c: Context, failures: Failures, client: string): void {
  const pool = `${clientPart(clientAddress(c))} ${client}`;
  const until = failures.lockedUntil(pool);
  if (until !== null) throw tooManyFailures(until);
  failures.add(pool);
}
