import type { Context, Handler, Hono } from 'hono';
import type * as v from 'valibot';
import type { Endpoint, EndpointRules, RateLimit } from '#contract/endpoint.ts';
import { plainProblem } from '#contract/fault.ts';
import type { Caller, UserCaller } from '#server/auth/tokens.ts';
import { callerOf, checkArchive, checkUser } from './auth-guard.ts';
import type { Secrets } from './auth-guard.ts';
import { methodNotAllowed } from './errors.ts';
import { setAccessLevel, UNCACHED } from './headers.ts';
import { readBody } from './json-body.ts';
import { readParameters, readPath } from './params.ts';
import { RateLimiter, takeRequest } from './rate-limit.ts';

type Read<S> = S extends v.GenericSchema<unknown, infer T> ? T : undefined;

/** Who calls, as far as the endpoint's authentication decides it. */
type CallerBy<A extends readonly string[]> = [A[number]] extends ['user']
  ? UserCaller
  : [A[number]] extends ['page' | 'control']
    ? null
    : Caller;

/** A request that an endpoint has let through. */
export interface Call<C, Query = unknown, Params = unknown, Body = unknown> {
  readonly caller: C;
  readonly query: Query;
  /** The query parameters as sent, for messages. */
  readonly texts: Readonly<Record<string, string>>;
  /** Parameters in the path. */
  readonly params: Params;
  readonly body: Body;
  readonly c: Context;
}

type CallOf<R extends EndpointRules> = Call<
  CallerBy<R['authentication']>,
  Read<R['query']>,
  Read<R['params']>,
  Read<R['body']>
>;

/** JSON by the schema of the answer, nothing (204), or a response that the rule wrote itself. */
type Answer<R extends EndpointRules> =
  Response | (R['answer'] extends v.GenericSchema ? v.InferInput<R['answer']> : object | null);

type Rule<R extends EndpointRules> = (call: CallOf<R>) => Answer<R> | Promise<Answer<R>>;

interface ServeOptions<R extends EndpointRules> {
  /** Reads a body that is not read as other bodies are. */
  readonly body?: (c: Context, schema: NonNullable<R['body']>) => Promise<Read<R['body']>>;
}

/** An endpoint and what answers it. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly handle: Handler;
}

export interface Http {
  /**
   * Serves an endpoint by a rule, which is called for requests that pass everything the endpoint demands: who
   * may call, rate limits, access, and the form of parameters and body.
   */
  serve<R extends EndpointRules>(
    endpoint: Endpoint<R>,
    rule: Rule<R>,
    options?: ServeOptions<R>,
  ): Route;
}

/** @param now - epoch ms. */
export function openHttp(secrets: Secrets, now: () => number): Http {
  const limiters = new Map<RateLimit, RateLimiter>();
  const limiterOf = (limit: RateLimit | undefined): RateLimiter | null => {
    if (!limit) return null;
    const limiter = limiters.get(limit) ?? new RateLimiter(limit, now);
    limiters.set(limit, limiter);
    return limiter;
  };

  return {
    serve: (endpoint, rule, options = {}) => {
      const { authentication, level, limits, price, status } = endpoint;
      const byApp = limiterOf(limits?.app);
      const byUser = limiterOf(limits?.user);
      const ofAll = limiterOf(limits?.allUsers);
      const forUser = authentication.every((one) => one === 'user');

      const admit = (c: Context): Caller | null => {
        const caller = callerOf(c, authentication, secrets);
        if (level) setAccessLevel(c, level);
        if (!caller) return null;
        // A caller without limits gets no headers of them.
        if (caller.pool !== null) {
          const limiter = caller.user ? byUser : byApp;
          if (limiter) takeRequest(c, 'x-rate-limit', limiter, caller.pool);
          // The tokens of this service belong to one app (header recorded, platform-facts 1.4).
          if (ofAll) takeRequest(c, 'x-app-limit-24hour', ofAll, 'app');
        }
        checkArchive(caller, endpoint);
        if (forUser) checkUser(caller, endpoint);
        return caller;
      };
      const read = async (c: Context) => {
        const { request: query, texts } = endpoint.query
          ? readParameters(c.req.url, endpoint.query)
          : { request: undefined, texts: {} };
        const params = endpoint.params && readPath(c.req.param(), endpoint.params);
        const readBodyBy = options.body ?? readBody;
        const body = endpoint.body && (await readBodyBy(c, endpoint.body));
        return { query, texts, params, body };
      };

      const handle = async (c: Context): Promise<Response> => {
        // The answer would be paid for and not shown.
        if (price && c.req.method === 'HEAD') throw methodNotAllowed(endpoint.method);
        const caller = admit(c);
        // The description of the endpoint decides these types, which nothing here can see.
        const call = { c, caller, ...(await read(c)) } as CallOf<typeof endpoint>;
        c.header('cache-control', UNCACHED);
        const answer = await rule(call);
        if (answer instanceof Response) return answer;
        if (answer === null) return c.body(null, 204);
        // Recorded answers name the charset; those of this service's own endpoints do without it.
        c.header('content-type', level ? 'application/json; charset=utf-8' : 'application/json');
        return c.body(JSON.stringify(answer), status ?? 200);
      };
      return { endpoint, handle };
    },
  };
}

/** An endpoint of which a service without some part says that it is not there. */
export function absent(endpoint: Endpoint, detail: string): Route {
  return {
    endpoint,
    handle: () => {
      throw plainProblem(404, 'Not Found', detail);
    },
  };
}

/** Methods that the endpoints of a path take, as the header `allow` lists them. */
function allowed(endpoints: readonly Endpoint[]): string {
  return endpoints
    .flatMap(({ method, price }) => (method === 'GET' && !price ? ['GET', 'HEAD'] : [method]))
    .join(', ');
}

/** Adds routes to an app; their paths refuse every other method with 405. */
export function mount(app: Hono, routes: readonly Route[]): void {
  for (const { endpoint, handle } of routes) app.on(endpoint.method, endpoint.path, handle);
  for (const path of new Set(routes.map(({ endpoint }) => endpoint.path))) {
    const endpoints = routes.map(({ endpoint }) => endpoint).filter((one) => one.path === path);
    const allow = allowed(endpoints);
    app.all(path, () => {
      throw methodNotAllowed(allow);
    });
  }
}
