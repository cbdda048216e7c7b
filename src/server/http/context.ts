import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import {
  STORE_ID_HEADER,
  STORE_MARK_HEADER,
  STORE_REVISION_HEADER,
  type SourceId,
} from '#contract/source.ts';
import type { Caller, Gate, Scope } from '#server/auth/tokens.ts';
import type { LimitState, RateLimiter } from './rate-limit.ts';
import type { Author } from '#server/posts/compose.ts';
import type { CountSource } from '#server/posts/source.ts';

/** No answer of the interface is kept by a cache (recorded, platform-facts 1.4). */
export const UNCACHED = 'no-cache, no-store, max-age=0';

/** Nobody reads this status; it is what logs of web servers say of a client that closed its connection. */
export const CLIENT_GONE = 499;

/** Version of the interface that answers, as recorded ones name it (platform-facts, openapi v2.166). */
const API_VERSION = '2.166';

/** Tells what a caller's token may do (values as recorded, platform-facts 1.4; `read-write` by analogy). */
export function tellAccess(c: Context, level: 'read' | 'read-write'): void {
  c.header('x-access-level', level);
  c.header('api-version', API_VERSION);
}

/** Cookies are shared by all ports of a host, so the name carries the port. */
export function sessionCookie(c: Context): string {
  const port = /:(\d+)$/.exec(hostOf(c))?.[1] ?? '80';
  return `groundswell-${port}`;
}

/** Host and port that a request names. */
export function hostOf(c: Context): string {
  return (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase();
}

/** Whether a request comes from a page of this service, or from no page at all. */
export function isSameOrigin(c: Context): boolean {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = c.req.header('origin');
  return origin === undefined || origin.toLowerCase() === `http://${hostOf(c)}`;
}

/** Headers by which browsers mark a request that they send ahead of a page nobody has opened yet. */
const AHEAD_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/**
 * Whether a script of this service's pages sends a request, or a client that is no browser. A browser attaches
 * the cookie to more than that: an address opened from a mail, a chat or the address bar, a prefetch of it, a
 * frame, an image. Browsers without `Sec-Fetch-*` still mark a navigation by the two headers checked last.
 */
function isSentByScript(c: Context): boolean {
  const is = (name: string, ...allowed: string[]): boolean => {
    const value = c.req.header(name);
    return value === undefined || allowed.includes(value);
  };
  return (
    is('sec-fetch-site', 'same-origin') &&
    is('sec-fetch-mode', 'cors', 'same-origin') &&
    is('sec-fetch-dest', 'empty') &&
    AHEAD_HEADERS.every((name) => is(name)) &&
    is('upgrade-insecure-requests') &&
    !(c.req.header('accept') ?? '').includes('text/html')
  );
}

/**
 * Who asks: by bearer token, else by the dashboard's session.
 *
 * @throws {@link Fault} 401 where neither is good; 403 for a session from another origin's page, and for one
 *   that a browser attaches to anything but a script's request, such as an address that is opened.
 */
export function callerOf(c: Context, gate: Gate): Caller {
  const authorization = c.req.header('authorization');
  if (authorization !== undefined) {
    const token = /^bearer +([\w.~+/%-]+=*)$/i.exec(authorization)?.[1];
    const caller = token === undefined ? null : gate.bearer(token);
    if (caller) return caller;
  } else {
    const cookie = getCookie(c, sessionCookie(c));
    const caller = cookie === undefined ? null : gate.session(cookie);
    if (caller && !isSameOrigin(c)) {
      throw plainProblem(403, 'Forbidden', 'The session serves the pages of this service alone.');
    }
    if (caller && !isSentByScript(c)) {
      const detail =
        'This address is part of the interface and cannot be opened as a page: open the dashboard instead.';
      throw plainProblem(403, 'Forbidden', detail);
    }
    if (caller) return caller;
  }
  throw plainProblem(401, 'Unauthorized');
}

/**
 * Lets the dashboard alone on.
 *
 * @throws {@link Fault} 401 or 403 for anyone else.
 */
export function dashboardOnly(c: Context, { gate }: { readonly gate: Gate }): void {
  if (callerOf(c, gate).by === 'session') return;
  throw plainProblem(
    403,
    'Forbidden',
    "The session of this service's dashboard alone may do this.",
  );
}

/**
 * In whose name a caller asks.
 *
 * @throws {@link Fault} 403 for a caller without user context (body recorded, platform-facts 1.7), or whose
 *   token lacks a scope.
 */
export function userOf({ user, scopes, by }: Caller, needed: readonly Scope[]): Author {
  if (user === null) {
    const way =
      by === 'session' ? "the session of this service's dashboard" : 'OAuth 2.0 Application-Only';
    const types = '[OAuth 1.0a User Context, OAuth 2.0 User Context]';
    throw new Fault(403, {
      title: 'Unsupported Authentication',
      detail: `Authenticating with ${way} is forbidden for this endpoint.  Supported authentication types are ${types}.`,
      type: `${PROBLEMS}unsupported-authentication`,
      status: 403,
    });
  }
  const lacking = needed.filter((scope) => !scopes.includes(scope));
  if (lacking.length === 0) return user;
  const detail = `You are not permitted to perform this action: the token lacks the scope ${lacking.join(', ')}.`;
  throw plainProblem(403, 'Forbidden', detail);
}

/**
 * The archive is for pay-per-use and enterprise (platform-facts section 0; body by 1.7).
 *
 * @param what - What needs that: `Counts of the whole archive need`.
 */
export function notEnrolled(what: string, client: string): Fault {
  return new Fault(403, {
    title: 'Client Forbidden',
    detail: `${what} the access level pay-per-use or enterprise; this token has self-service.`,
    type: `${PROBLEMS}client-forbidden`,
    reason: 'client-not-enrolled',
    required_enrollment: 'Pay-per-use or Enterprise',
    registration_url: 'https://developer.x.com/en/portal/products',
    client_id: client,
  });
}

/** Tells in the headers of that prefix where a caller stands; 429 beyond the limit. */
function tellLimit(c: Context, prefix: string, state: LimitState): void {
  c.header(`${prefix}-limit`, String(state.limit));
  c.header(`${prefix}-remaining`, String(state.remaining));
  c.header(`${prefix}-reset`, String(state.reset));
  if (state.exceeded) throw plainProblem(429, 'Too Many Requests');
}

/**
 * Counts a request against a caller's limit and tells where it stands in the headers, also of a refusal.
 * A caller without limits gets none of these headers.
 *
 * @throws {@link Fault} 429 beyond the limit (text by platform-facts section 0).
 */
export function takeRate(c: Context, caller: Caller, endpoint: string, limiter: RateLimiter): void {
  if (caller.pool === null) return;
  tellLimit(c, 'x-rate-limit', limiter.take(`${endpoint} ${caller.pool}`));
}

/**
 * {@link takeRate} of the requests that all users of the app may send in 24 hours (headers recorded,
 * platform-facts 1.4). The tokens of this service belong to one app.
 */
export function takeDay(c: Context, caller: Caller, limiter: RateLimiter): void {
  if (caller.pool === null) return;
  tellLimit(c, 'x-app-limit-24hour', limiter.take('app'));
}

/** Names in the headers the state of a store that an answer is of. */
export function tellStore(c: Context, of: { store: string; revision: number; mark: string }): void {
  c.header(STORE_ID_HEADER, of.store);
  c.header(STORE_REVISION_HEADER, String(of.revision));
  c.header(STORE_MARK_HEADER, of.mark);
}

/**
 * The source of a path, as of now, its state told in the headers.
 *
 * @throws {@link Fault} 404 where it is not open.
 */
export function openedSource(
  c: Context,
  deps: { readonly source: (id: SourceId) => CountSource | null },
  id: SourceId,
): CountSource {
  const source = deps.source(id);
  if (!source) throw plainProblem(404, 'Not Found', `The source ${id} is not open.`);
  source.refresh();
  tellStore(c, source.index);
  return source;
}
