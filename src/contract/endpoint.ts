import type * as v from 'valibot';

/** What a token with user context may do; the names are the platform's (platform-facts section 12). */
export type Scope = 'tweet.read' | 'tweet.write' | 'users.read';

/**
 * How a caller may say who it is: by an app-only token, by a token with user context, by the session of the
 * dashboard, as a page of this service that has no session yet, or by the control secret of the data folder.
 */
export type Authentication = 'app' | 'user' | 'session' | 'page' | 'control';

/** Requests that a caller may send in a window that begins with the first of them. */
export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** What the platform bills, by the member of `PlatformSettings.prices` that names its price. */
export type Price =
  { readonly request: 'recent' | 'all' } | { readonly post: 'post'; readonly user: 'user' };

type Schema = v.GenericSchema<unknown, unknown>;

/** What an endpoint says of itself beyond its address. */
export interface EndpointRules {
  readonly authentication: readonly Authentication[];
  /** What a user's token must allow. */
  readonly scopes?: readonly Scope[];
  /**
   * Names the archive in the refusal of a token with self-service access, which may not read it:
   * `Counts of the whole archive need`. Every access level may call unless given.
   */
  readonly archive?: string;
  /** Value of `x-access-level` in answers. Only endpoints that the platform has, too, send it. */
  readonly level?: 'read' | 'read-write';
  /** Endpoints that share a limit object are counted together. */
  readonly limits?: {
    /** Per app-only token. */
    readonly app: RateLimit;
    /** Per user, over all of the user's tokens. */
    readonly user: RateLimit;
    /** Over all users of an app. */
    readonly allUsers?: RateLimit;
  };
  /** Set where an answer may cost money: such an endpoint does not answer HEAD. */
  readonly price?: Price;
  /** Parameters in the path, such as `:id`. */
  readonly params?: Schema;
  /** Query parameters; not checked unless given. */
  readonly query?: Schema;
  /** JSON in the request's body. */
  readonly body?: Schema;
  /** JSON in the answer's body, as far as the dashboard reads it. */
  readonly answer?: Schema;
  /** Status of a success; 200 unless given. */
  readonly status?: 201;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Endpoint<R extends EndpointRules = EndpointRules, M extends Method = Method> = R & {
  readonly method: M;
  readonly path: string;
};

/**
 * Describes an endpoint: the service serves it by this description, and clients read its address here.
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
