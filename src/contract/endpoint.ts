import type * as v from 'valibot';
import type { Access } from '#contract/accounts/access.ts';
import type { Price } from '#contract/counts/prices.ts';
import type { Scope } from '#contract/accounts/scopes.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { idsIn, NO_PARAMETERS, type PathNames } from './parameters.ts';

/** Kinds of token: app-only, OAuth 1.0a with user context, OAuth 2.0 with user context (platform-facts section 12). */
export type TokenKind = 'app' | 'oauth1' | 'oauth2';

/**
 * The way a caller authenticates: with a token, with the dashboard's session, as a page of this service that has no
 * session yet, with the control secret of the data folder, or not at all. A session that acts as an account may also
 * call what takes a token with user context. Three kinds are checked by the endpoint's own rule: `client` by an app's own
 * credentials, which the request carries, `consent` by the session of a browser that opens the page of consent, and
 * `link` by the secret in the path.
 */
export type Authentication =
  | TokenKind
  | 'session'
  | 'page'
  | 'control'
  | 'client'
  | 'consent'
  | 'link'
  | 'none';

/** Requests that a caller may send in a window that begins with the first one. */
export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The operations and resources for which the platform bills this service, as keys of `PlatformSettings.prices`. */
export type RelayPrice =
  | { readonly request: CountsEndpoint }
  | { readonly post: 'post'; readonly user: 'user' };

type Schema = v.GenericSchema<unknown, unknown>;

/** Everything about an endpoint but its method and path. */
export interface EndpointRules {
  /** Other paths of the same operation, with the same parameters. */
  readonly aliases?: readonly string[];
  readonly authentication: readonly Authentication[];
  /** Scopes that an OAuth 2.0 token with user context must have. */
  readonly scopes?: readonly Scope[];
  /** Access levels that may call; all if absent. */
  readonly access?: {
    readonly levels: readonly Access[];
    /** Beginning of the message to others, such as `Counts of the whole archive need`. */
    readonly need: string;
  };
  /** The row of the specification, or the section of the platform facts, that describes the operation. */
  readonly source?: string;
  /** Set if it changes only data of the caller's own login, so that members may call it. */
  readonly ownData?: true;
  /** Value of `x-access-level` in answers. Only endpoints that the platform also has send it. */
  readonly level?: 'read' | 'read-write';
  readonly limits?: {
    /** Per app, for its app-only token. */
    readonly app?: RateLimit;
    /** Per user and app, across all of the user's tokens. */
    readonly user?: RateLimit;
    /** Per user, across all apps; answers state it in headers of its own. */
    readonly account?: RateLimit;
    /** Per app and 24 hours, across all of its users. */
    readonly appDay?: RateLimit;
    /** Per user, app and 24 hours. */
    readonly userDay?: RateLimit;
  };
  /** Name of the budget that the limits count in, where several endpoints share it. */
  readonly budget?: string;
  /** The price that the caller's app pays for an answer; nothing if absent. */
  readonly price?: Price;
  /** Set if the platform may bill this service for an answer; such an endpoint does not answer HEAD. */
  readonly relayPrice?: RelayPrice;
  /** Parameters in the path, such as `:id`; by default all are ids. */
  readonly params?: Schema;
  /** Query parameters; unchecked if absent. */
  readonly query?: Schema;
  /** Set if the parameters of the query may also come in a form body, as signing clients send them. */
  readonly formParameters?: true;
  /** JSON body of the request. */
  readonly body?: Schema;
  /** Most bytes of the body; 64 KiB by default. */
  readonly maxBody?: number;
  /** Form body of the request (`application/x-www-form-urlencoded`), which the endpoint's rule reads. */
  readonly form?: Schema;
  /** Most bytes of a form body; 64 KiB by default. */
  readonly maxForm?: number;
  /** The JSON body of an answer, for its description. It is not checked when an answer is sent. */
  readonly response?: Schema;
  /** The part of the answer's JSON body that the dashboard reads. */
  readonly answer?: Schema;
  /** Set if the answer is lines of JSON, each of the schema, that follow until the connection ends. */
  readonly streams?: true;
  /** Status on success; 200 by default. */
  readonly status?: 201;
  /** Further statuses on success, for what the body of the request asks for. That of 204 has no body. */
  readonly otherStatuses?: readonly (201 | 202 | 204)[];
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Endpoint<R extends EndpointRules = EndpointRules, M extends Method = Method> = R & {
  readonly method: M;
  readonly path: string;
  /** By default method and path, the same for every source. */
  readonly budget: string;
};

/** Rules with the parameters of a path, unless they state them. */
type WithIds<R, P extends string> = 'params' extends keyof R
  ? R
  : [PathNames<P>] extends [never]
    ? R
    : R & { readonly params: NonNullable<ReturnType<typeof idsIn<P>>> };

/**
 * Describes an endpoint, for the service that serves it and for its clients.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function endpoint<
  const R extends EndpointRules,
  M extends Method,
  const P extends string = string,
>(method: M, path: P, rules: R): Endpoint<WithIds<R, P>, M> {
  const params = idsIn(path);
  const all = { method, path, budget: `${method} ${path}`, ...(params && { params }), ...rules };
  return all as unknown as Endpoint<WithIds<R, P>, M>;
}

/** The rules of an endpoint that only the dashboard's session may call, as far as it states no others. */
const SESSION = { authentication: ['session'], query: NO_PARAMETERS } as const;
type SessionEndpoint<R, M extends Method, P extends string> = WithIds<R, P> &
  Omit<typeof SESSION, keyof R> &
  Pick<Endpoint<EndpointRules, M>, 'method' | 'path' | 'budget'>;

/**
 * Describes an endpoint that only the dashboard's session may call, without query parameters unless the rules state them.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function sessionEndpoint<
  const R extends Omit<EndpointRules, 'authentication'>,
  M extends Method,
  const P extends string = string,
>(method: M, path: P, rules: R): SessionEndpoint<R, M, P> {
  const described = endpoint(method, path, { ...SESSION, ...rules });
  return described as unknown as SessionEndpoint<R, M, P>;
}
