import type { Authentication, Endpoint, TokenKind } from '#contract/endpoint.ts';
import { Fault, plainProblem, PROBLEMS } from '#contract/fault.ts';
import type { Caller } from '#server/auth/caller.ts';

const SESSION = "the session of this service's dashboard";

/** Kinds of token, as the platform's messages name them (recorded, platform-facts 1.7). */
const KINDS: readonly (readonly [kind: TokenKind, name: string])[] = [
  ['oauth1', 'OAuth 1.0a User Context'],
  ['oauth2', 'OAuth 2.0 User Context'],
  ['app', 'OAuth 2.0 Application-Only'],
];

/** True if an endpoint takes a kind of caller. */
function takes(authentication: readonly Authentication[], { kind, user }: Caller): boolean {
  if (authentication.includes(kind)) return true;
  return kind === 'session' && user !== null && authentication.includes('oauth2');
}

/**
 * Requires a kind of caller that the endpoint takes, its scopes, and an OAuth 1.0a app that may write if it writes.
 *
 * @throws {@link Fault} 403 for another kind of caller (body recorded, platform-facts 1.7), for an OAuth 2.0 token
 *   without a required scope, and for an OAuth 1.0a token of an app that may only read.
 */
export function checkKind(
  caller: Caller,
  { authentication, scopes = [], level }: Pick<Endpoint, 'authentication' | 'scopes' | 'level'>,
): void {
  if (!takes(authentication, caller)) {
    const names = new Map(KINDS);
    const way = caller.kind === 'session' ? SESSION : names.get(caller.kind);
    const types = KINDS.filter(([kind]) => authentication.includes(kind)).map(([, name]) => name);
    throw new Fault(403, {
      title: 'Unsupported Authentication',
      detail: `Authenticating with ${String(way)} is forbidden for this endpoint.  Supported authentication types are [${types.join(', ')}].`,
      type: `${PROBLEMS}unsupported-authentication`,
      status: 403,
    });
  }
  if (caller.kind === 'oauth1' && level === 'read-write') checkPermission(caller);
  const isScoped = caller.kind === 'oauth2';
  const missing = isScoped ? scopes.filter((scope) => !caller.scopes.includes(scope)) : [];
  if (missing.length === 0) return;
  const detail = `You are not permitted to perform this action: the token lacks the scope ${missing.join(', ')}.`;
  throw plainProblem(403, 'Forbidden', detail);
}

/** Title, status and type as recorded (platform-facts 1.7). */
function checkPermission({ app }: Caller): void {
  if (app?.settings.permission !== 'read') return;
  throw new Fault(403, {
    title: 'Forbidden',
    status: 403,
    type: `${PROBLEMS}oauth1-permissions`,
    detail:
      'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.',
  });
}

/**
 * Requires an administrator for what is not just read: members change only what is their own login's.
 *
 * @throws {@link Fault} 403 for a member's session.
 */
export function checkRole(
  { login }: Caller,
  { method, ownData }: Pick<Endpoint, 'method' | 'ownData'>,
): void {
  if (login?.role !== 'member' || method === 'GET' || ownData) return;
  const detail = `Only an administrator may do this; ${login.name} is a member.`;
  throw plainProblem(403, 'Forbidden', detail);
}

const NAMES = { 'pay-per-use': 'Pay-per-use', enterprise: 'Enterprise' } as const;

/**
 * Requires an access level that the endpoint takes (platform-facts section 0; body by 1.7).
 *
 * @throws {@link Fault} 403 for another level.
 */
export function checkAccess(caller: Caller, { access: of }: Pick<Endpoint, 'access'>): void {
  if (!of || of.levels.includes(caller.access)) return;
  const levels = of.levels.filter((level) => level !== 'self-service');
  throw new Fault(403, {
    title: 'Client Forbidden',
    detail: `${of.need} the access level ${levels.join(' or ')}; this token has ${caller.access}.`,
    type: `${PROBLEMS}client-forbidden`,
    reason: 'client-not-enrolled',
    required_enrollment: levels.map((level) => NAMES[level]).join(' or '),
    registration_url: 'https://developer.x.com/en/portal/products',
    client_id: caller.app?.id ?? '0',
  });
}
