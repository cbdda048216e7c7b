import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Authentication, Endpoint } from '#contract/endpoint.ts';
import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import { hasArchive } from '#contract/platform-terms.ts';
import type { Auth, Caller } from '#server/auth/tokens.ts';
import { hostOf, isSameOrigin, isSentByScript } from './origin.ts';

/** Name of the session cookie. It contains the port, because all ports of a host share their cookies. */
export function sessionCookie(c: Context): string {
  const port = /:(\d+)$/.exec(hostOf(c))?.[1] ?? '80';
  return `groundswell-${port}`;
}

/** The caller whose token or session a request carries; null where it is none of this service. */
function identify(c: Context, auth: Auth): Caller | null {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) {
    const token = /^bearer +([\w.~+/%-]+=*)$/i.exec(authorization)?.[1];
    return token === undefined ? null : auth.bearer(token);
  }
  const cookie = getCookie(c, sessionCookie(c));
  const caller = cookie === undefined ? null : auth.session(cookie);
  if (caller && !isSameOrigin(c)) {
    throw plainProblem(403, 'Forbidden', 'Only pages of this service may use the session.');
  }
  if (caller && !isSentByScript(c)) {
    const detail =
      'This address is part of the interface and cannot be opened as a page: open the dashboard instead.';
    throw plainProblem(403, 'Forbidden', detail);
  }
  return caller;
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares digests, so that the time taken reveals nothing about the secret or its length. */
function knowsSecret(c: Context, secret: string): boolean {
  const shown = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(shown), digest(secret));
}

/** What credentials are checked against. */
export interface Secrets {
  readonly auth: Auth;
  /** The control secret of the data folder; null where the service takes no orders. */
  readonly control: string | null;
}

/**
 * Authenticates the caller of an endpoint. The kind of token and its scopes are left to {@link checkKind}.
 *
 * @returns Null for an endpoint that takes the page or the control secret instead of a caller.
 * @throws {@link Fault} 401 without a valid token, session or secret; 403 for a session used by another origin's page
 *   or by anything but a script, such as an opened address, and for a token if the endpoint takes only the session.
 */
export function callerOf(
  c: Context,
  authentication: readonly Authentication[],
  { auth, control }: Secrets,
): Caller | null {
  if (authentication.includes('page')) {
    if (isSameOrigin(c)) return null;
    throw plainProblem(403, 'Forbidden', 'Only the pages of this service may sign in.');
  }
  if (authentication.includes('control')) {
    if (control !== null && knowsSecret(c, control)) return null;
    throw plainProblem(401, 'Unauthorized');
  }
  const caller = identify(c, auth);
  if (!caller) throw plainProblem(401, 'Unauthorized');
  if (caller.by === 'token' && authentication.every((one) => one === 'session')) {
    const detail = "Only the session of this service's dashboard may do this.";
    throw plainProblem(403, 'Forbidden', detail);
  }
  return caller;
}

/** Kinds of token, as the platform's messages name them (recorded, platform-facts 1.7). */
const KINDS = {
  user: ['OAuth 1.0a User Context', 'OAuth 2.0 User Context'],
  app: ['OAuth 2.0 Application-Only'],
} as const;

function wayOf({ by, user }: Caller): string {
  if (by === 'session') return "the session of this service's dashboard";
  return user === null ? 'OAuth 2.0 Application-Only' : 'OAuth 2.0 User Context';
}

/**
 * Requires a kind of caller that the endpoint takes, and its scopes.
 *
 * @throws {@link Fault} 403 for another kind of caller (body recorded, platform-facts 1.7), and for a user's token
 *   without a required scope.
 */
export function checkKind(
  caller: Caller,
  { authentication, scopes = [] }: Pick<Endpoint, 'authentication' | 'scopes'>,
): void {
  const kind = caller.by === 'session' ? 'session' : caller.user === null ? 'app' : 'user';
  if (!authentication.includes(kind)) {
    const types = (['user', 'app'] as const).flatMap((one) =>
      authentication.includes(one) ? KINDS[one] : [],
    );
    throw new Fault(403, {
      title: 'Unsupported Authentication',
      detail: `Authenticating with ${wayOf(caller)} is forbidden for this endpoint.  Supported authentication types are [${types.join(', ')}].`,
      type: `${PROBLEMS}unsupported-authentication`,
      status: 403,
    });
  }
  const missing = kind === 'user' ? scopes.filter((scope) => !caller.scopes.includes(scope)) : [];
  if (missing.length === 0) return;
  const detail = `You are not permitted to perform this action: the token lacks the scope ${missing.join(', ')}.`;
  throw plainProblem(403, 'Forbidden', detail);
}

/**
 * Requires pay-per-use or enterprise access for the archive (platform-facts section 0; body by 1.7).
 *
 * @throws {@link Fault} 403 for a token with self-service access.
 */
export function checkArchive(
  { access, client }: Caller,
  { archive }: Pick<Endpoint, 'archive'>,
): void {
  if (archive === undefined || hasArchive(access)) return;
  throw new Fault(403, {
    title: 'Client Forbidden',
    detail: `${archive} the access level pay-per-use or enterprise; this token has self-service.`,
    type: `${PROBLEMS}client-forbidden`,
    reason: 'client-not-enrolled',
    required_enrollment: 'Pay-per-use or Enterprise',
    registration_url: 'https://developer.x.com/en/portal/products',
    client_id: client,
  });
}
