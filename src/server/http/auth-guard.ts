import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Authentication, Endpoint } from '#contract/endpoint.ts';
import { Fault, plainProblem } from '#contract/fault.ts';
import { LOGIN_HEADER } from '#contract/accounts/login-names.ts';
import { ACCOUNT_HEADER, NO_ACCOUNT } from '#contract/accounts/session.ts';
import { clientPart } from '#server/auth/failures.ts';
import { protocolOf } from '#server/auth/oauth1.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { signedRequest } from './form.ts';
import { clientAddress, hostOf, isSameOrigin, isSecure, isSentByScript } from './origin.ts';
import type { Caller } from '#server/auth/caller.ts';

/**
 * Name of the session cookie. It contains the port, because all ports of a host share their cookies. The prefix makes
 * browsers refuse one that another host or a page without HTTPS set (RFC 6265bis, section 4.1.3.2).
 */
export function sessionCookie(c: Context): string {
  const port = /:(\d+)$/.exec(hostOf(c))?.[1];
  return isSecure(c) ? `__Host-groundswell-${port ?? 443}` : `groundswell-${port ?? 80}`;
}

/** The session of a browser, for the login as which it opened its page; null if there is none. */
export function sessionOf(c: Context, auth: Pick<Auth, 'session'>): Caller | null {
  const cookie = getCookie(c, sessionCookie(c));
  const session = cookie === undefined ? null : auth.session(cookie);
  const opened = c.req.header(LOGIN_HEADER);
  return opened === undefined || session?.login?.id === opened ? session : null;
}

/**
 * A session as the account that it names in {@link ACCOUNT_HEADER}.
 *
 * @throws {@link Fault} 403 for a member's session, whatever the account: an account reads more than a member may. 400
 *   if there is no such account.
 */
function actingAs(c: Context, auth: Auth, session: Caller): Caller {
  const id = c.req.header(ACCOUNT_HEADER);
  if (id === undefined) return session;
  if (session.login?.role === 'member') {
    const detail = `Only an administrator may act as an account; ${session.login.name} is a member.`;
    throw new Fault(403, { title: 'Forbidden', type: NO_ACCOUNT, status: 403, detail });
  }
  const user = auth.account(id);
  if (user) return { ...session, user };
  const detail = `There is no account with the id [${id}].`;
  throw new Fault(400, { title: 'Bad Request', type: NO_ACCOUNT, status: 400, detail });
}

/**
 * Counts an unknown token or an invalid signature of a client.
 *
 * @throws {@link Fault} 429 if the same client sent too many.
 */
function countWrong(c: Context, auth: Auth): null {
  const until = auth.refused(clientPart(clientAddress(c)));
  if (until !== null) throw tooManyFailures(until);
  return null;
}

/**
 * The caller whose token or signature a header carries; null where it is none of this service.
 *
 * @param maxForm - Most bytes of a signed form.
 * @throws {@link Fault} 429 after many unknown tokens, instead of null; 413 for a signed form that is too large.
 */
async function byHeader(
  c: Context,
  auth: Auth,
  authorization: string,
  maxForm?: number,
): Promise<Caller | null> {
  const token = /^bearer +([\w.~+/%-]+=*)$/i.exec(authorization)?.[1];
  // After a 401, and only then, a client refreshes an expired token.
  if (token !== undefined)
    return auth.bearer(token) ?? (auth.isIssued(token) ? null : countWrong(c, auth));
  if (!/^oauth\s/i.test(authorization)) return null;
  // To read and hash a form of megabytes takes most of a second.
  if (!auth.namesSigner(authorization)) return countWrong(c, auth);
  return auth.signed(await signedRequest(c, maxForm)) ?? countWrong(c, auth);
}

/** The members of an endpoint that say how its callers authenticate. */
type Authenticated = Pick<Endpoint, 'authentication' | 'maxForm'>;

/**
 * The caller whose token, signature or session a request carries; null where it is none of this service.
 *
 * @throws {@link Fault} 403 for a session used by another origin's page or by anything but a script.
 */
async function identify(
  c: Context,
  auth: Auth,
  { authentication, maxForm }: Authenticated,
): Promise<Caller | null> {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) return await byHeader(c, auth, authorization, maxForm);
  // A form can be read only once: where no signature is taken, it is the endpoint's.
  const request = await signedRequest(c, authentication.includes('oauth1') ? maxForm : null);
  if (protocolOf(request)) return auth.signed(request) ?? countWrong(c, auth);
  const session = sessionOf(c, auth);
  const caller = session && actingAs(c, auth, session);
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

/**
 * True if a request carries a token, a signature or a session, however it was sent. For files and pages, which change
 * nothing and reveal no more than that they are there.
 *
 * @throws {@link Fault} 429 after many unknown tokens.
 */
export async function isKnown(c: Context, auth: Auth): Promise<boolean> {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) return (await byHeader(c, auth, authorization)) !== null;
  return sessionOf(c, auth) !== null;
}

/** 429 with the recorded names of its headers (platform-facts 1.4). @param reset - Unix seconds. */
export function tooManyFailures(reset: number): Fault {
  return plainProblem(429, 'Too Many Requests', 'Too many failed attempts to authenticate.', {
    'x-rate-limit-remaining': '0',
    'x-rate-limit-reset': String(reset),
  });
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Compares digests, so that the time taken reveals nothing about the secret or its length. */
function knowsSecret(c: Context, secret: string): boolean {
  const shown = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(shown), digest(secret));
}

/** The secrets with which credentials are compared. */
export interface Secrets {
  readonly auth: Auth;
  /** The control secret of the data folder; null where the service takes no orders. */
  readonly control: string | null;
}

/** Kinds that this guard leaves to the endpoint's own rule, or that need nothing. */
const UNCHECKED: ReadonlySet<Authentication> = new Set(['client', 'consent', 'link', 'none']);

/**
 * Authenticates the caller of an endpoint. The kind of token and its scopes are left to {@link checkKind}.
 *
 * @returns Null for an endpoint that takes the page, the control secret or nothing instead of a caller, or that checks
 *   the request itself.
 * @throws {@link Fault} 401 without a valid token, session or secret; 403 for a session used by another origin's page
 *   or by anything but a script, such as an opened address, and for a token if the endpoint takes only the session.
 */
export async function callerOf(
  c: Context,
  endpoint: Authenticated,
  { auth, control }: Secrets,
): Promise<Caller | null> {
  const { authentication } = endpoint;
  if (authentication.some((each) => UNCHECKED.has(each))) {
    // Answers that this machine's programs may read without a token are not for every other machine.
    if (!authentication.includes('none') || !isSecure(c) || (await isKnown(c, auth))) return null;
    throw plainProblem(401, 'Unauthorized');
  }
  if (authentication.includes('page')) {
    if (isSameOrigin(c)) return null;
    throw plainProblem(403, 'Forbidden', 'Only the pages of this service may sign in.');
  }
  if (authentication.includes('control')) {
    if (control !== null && knowsSecret(c, control)) return null;
    throw plainProblem(401, 'Unauthorized');
  }
  const caller = await identify(c, auth, endpoint);
  if (!caller) throw plainProblem(401, 'Unauthorized');
  if (caller.kind !== 'session' && authentication.every((each) => each === 'session')) {
    const detail = "Only the session of this service's dashboard may do this.";
    throw plainProblem(403, 'Forbidden', detail);
  }
  return caller;
}
