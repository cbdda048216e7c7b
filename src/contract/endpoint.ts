import type * as v from 'valibot';

/** What a token with user context may do; the names are the platform's (platform-facts section 12). */
export type Scope = 'tweet.read' | 'tweet.write' | 'users.read';

/**
 * How a caller authenticates: with an app-only token, a token with user context, the dashboard's session, as a page
 * of this service that has no session yet, or with the control secret of the data folder.
 */
export type Authentication = 'app' | 'user' | 'session' | 'page' | 'control';

/** Requests that a caller may send in a window that begins with the first one. */
export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** What the platform bills, as keys of `PlatformSettings.prices`. */
export type Price =
  { readonly request: 'recent' | 'all' } | { readonly post: 'post'; readonly user: 'user' };

type Schema = v.GenericSchema<unknown, unknown>;

/** Everything about an endpoint but its method and path. */
export interface EndpointRules {
  readonly authentication: readonly Authentication[];
  /** Scopes that a user's token must have. */
  readonly scopes?: readonly Scope[];
  /**
   * Beginning of the message that refuses a token with self-service access, such as `Counts of the whole archive
   * need`. Without it, every access level may call.
   */
  readonly archive?: string;
  /** Value of `x-access-level` in answers. Only endpoints that the platform also has send it. */
  readonly level?: 'read' | 'read-write';
  /** Endpoints that share a limit object share one budget. */
  readonly limits?: {
    /** Per app-only token. */
    readonly app: RateLimit;
    /** Per user, across all of the user's tokens. */
    readonly user: RateLimit;
    /** Per app, across all of its users. */
    readonly allUsers?: RateLimit;
  };
  /** Set if an answer may cost money; such an endpoint does not answer HEAD. */
  readonly price?: Price;
  /** Parameters in the path, such as `:id`. */
  readonly params?: Schema;
  /** Query parameters; unchecked if absent. */
  readonly query?: Schema;
  /** JSON body of the request. */
  readonly body?: Schema;
  /** The part of the answer's JSON body that the dashboard reads. */
  readonly answer?: Schema;
  /** Status on success; 200 by default. */
  readonly status?: 201;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Endpoint<R extends EndpointRules = EndpointRules, M extends Method = Method> = R & {
  readonly method: M;
  readonly path: string;
};

/**
 * Describes an endpoint, for the service that serves it and for its clients.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function endpoint<const R extends EndpointRules, M extends Method>(
  method: M,
  path: string,
  rules: R,
): Endpoint<R, M> {
  return { method, path, ...rules };
}
