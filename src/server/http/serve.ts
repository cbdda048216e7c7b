import type { Context, Handler, Hono } from 'hono';
import type * as v from 'valibot';
import type { Endpoint, EndpointRules } from '#contract/endpoint.ts';
import type { LimitTable } from '#server/auth/limit-table.ts';
import type { Bill, Billing } from '#server/billing/billing.ts';
import { callerOf, type Secrets } from './auth-guard.ts';
import { methodNotAllowed } from './errors.ts';
import { setAccessLevel, UNCACHED } from './headers.ts';
import { formFields, queryOf } from './form.ts';
import { readBody } from './json-body.ts';
import { withMediaAddresses } from './media-address.ts';
import { originOf } from './origin.ts';
import { readParameters, readParameterTexts } from './params.ts';
import { RateLimiter, takeRequest, type CountedLimit } from './rate-limit.ts';
import type { Caller, UserCaller } from '#server/auth/caller.ts';
import { checkAccess, checkKind, checkRole } from './access-checks.ts';

type Read<S> = S extends v.GenericSchema<unknown, infer T> ? T : undefined;

/** Type of the caller, by the endpoint's authentication. */
type CallerBy<A extends readonly string[]> = [A[number]] extends ['oauth1' | 'oauth2']
  ? UserCaller
  : [A[number]] extends ['page' | 'control' | 'client' | 'consent' | 'link' | 'none']
    ? null
    : Caller;

/** A checked request. */
export interface Call<C, Query = unknown, Params = unknown, Body = unknown> {
  readonly caller: C;
  readonly query: Query;
  /** The query parameters as sent, for messages. */
  readonly texts: Readonly<Record<string, string>>;
  /** The path's parameters. */
  readonly params: Params;
  readonly body: Body;
  /** Records the price of the request with what it writes, see {@link Bill}; gives nothing if the endpoint is free. */
  readonly charges: Bill['charges'];
  readonly c: Context;
}

type CallOf<R extends EndpointRules> = Call<
  CallerBy<R['authentication']>,
  Read<R['query']>,
  Read<R['params']>,
  Read<R['body']>
>;

/** JSON by the answer's schema, null for 204, or a response that the rule built itself. */
type Answer<R extends EndpointRules> =
  | Response
  | (R['answer'] extends v.GenericSchema ? v.InferInput<R['answer']> : object | null);

type Rule<R extends EndpointRules> = (call: CallOf<R>) => Answer<R> | Promise<Answer<R>>;

interface ServeOptions<R extends EndpointRules> {
  /** Replaces the usual way to read the body. */
  readonly body?: (
    c: Context,
    schema: NonNullable<R['body']>,
    most?: number,
  ) => Promise<Read<R['body']>>;
  /** Called for a request that the limit of its user refuses, to add headers of other limits. */
  readonly refused?: (c: Context, user: Caller['user']) => void;
}

/** An endpoint and its handler. */
export interface Route {
  readonly endpoint: Endpoint;
  readonly handle: Handler;
}

export type Http = ReturnType<typeof openHttp>;

export interface HttpDeps {
  readonly secrets: Secrets;
  readonly billing: Billing;
  /** Windows of limits that survive a restart. */
  readonly limits: LimitTable;
  /** Epoch ms. */
  readonly now: () => number;
}

const FREE: Bill = { charges: () => [], answered: () => {}, close: () => {} };

export function openHttp({ secrets, billing, limits: table, now }: HttpDeps) {
  const limiters = new Map<string, RateLimiter>();

  return {
    /**
     * Serves an endpoint by a rule, which gets only requests that pass authentication, rate limits, access and scopes, and
     * whose parameters and body are valid.
     */
    serve: <R extends EndpointRules>(
      endpoint: Endpoint<R>,
      rule: Rule<R>,
      options: ServeOptions<R> = {},
    ): Route => {
      const { level, limits, price, relayPrice, status } = endpoint;
      const limiterBy = (by: keyof NonNullable<typeof limits>): RateLimiter | null => {
        const limit = limits?.[by];
        if (!limit) return null;
        const name = `${by} ${endpoint.budget}`;
        const limiter = limiters.get(name) ?? new RateLimiter(limit, now, { table, name });
        limiters.set(name, limiter);
        return limiter;
      };
      const byApp = limiterBy('app');
      const byUser = limiterBy('user');
      const byAccount = limiterBy('account');
      const byAppAndDay = limiterBy('appDay');
      const byUserAndDay = limiterBy('userDay');

      /** Names of the headers are recorded (platform-facts 1.4). */
      const limitsOf = ({ user, app }: Caller, pool: string): CountedLimit[] =>
        [
          { prefix: 'x-rate-limit', limiter: user ? byUser : byApp, pool },
          { prefix: 'x-account-rate-limit', limiter: byAccount, pool: user?.id ?? '' },
          { prefix: 'x-user-limit-24hour', limiter: byUserAndDay, pool },
          { prefix: 'x-app-limit-24hour', limiter: byAppAndDay, pool: app?.id ?? '' },
        ].flatMap(({ limiter, ...rest }) => (limiter ? [{ ...rest, limiter }] : []));

      const admit = async (c: Context): Promise<Caller | null> => {
        const caller = await callerOf(c, endpoint, secrets);
        if (level) setAccessLevel(c, level);
        if (!caller) return null;
        // A caller without limits gets no rate-limit headers.
        if (caller.pool !== null) {
          try {
            takeRequest(c, limitsOf(caller, caller.pool));
          } catch (error) {
            options.refused?.(c, caller.user);
            throw error;
          }
        }
        checkAccess(caller, endpoint);
        checkKind(caller, endpoint);
        checkRole(caller, endpoint);
        return caller;
      };
      const read = async (c: Context, caller: Caller | null) => {
        // First: another path may have matched the pattern of this one, whose parameters are then not to blame.
        const params = endpoint.params && readParameterTexts(c.req.param(), endpoint.params);
        const { formParameters } = endpoint;
        const search = caller?.kind === 'oauth1' ? queryOf(c) : new URL(c.req.url).searchParams;
        for (const [name, value] of formParameters ? await formFields(c) : [])
          search.append(name, value);
        const { request: query, texts } = endpoint.query
          ? readParameters(search, endpoint.query)
          : { request: undefined, texts: {} };
        const { body: schema, maxBody } = endpoint;
        const body = schema && (await (options.body ?? readBody)(c, schema, maxBody));
        return { query, texts, params, body };
      };

      const handle = async (c: Context): Promise<Response> => {
        // HEAD would pay for an answer and discard it.
        if (relayPrice && c.req.method === 'HEAD') throw methodNotAllowed(endpoint.method);
        const caller = await admit(c);
        // An answer to HEAD has no resource to pay for.
        const isPaid = price && caller && c.req.method !== 'HEAD';
        const bill = isPaid ? billing.open(caller, endpoint, price, c.req.param()) : FREE;
        try {
          const { charges } = bill;
          // The endpoint's schemas determine these types, which TypeScript cannot follow here.
          const call = { c, caller, charges, ...(await read(c, caller)) } as CallOf<R>;
          c.header('cache-control', UNCACHED);
          const answer = await rule(call);
          if (answer instanceof Response) {
            if (answer.ok) bill.answered(null);
            return answer;
          }
          bill.answered(answer);
          if (answer === null) return c.body(null, 204);
          // Recorded answers of the platform name the charset; this service's own endpoints do not.
          c.header('content-type', level ? 'application/json; charset=utf-8' : 'application/json');
          return c.body(JSON.stringify(withMediaAddresses(answer, originOf(c))), status ?? 200);
        } finally {
          bill.close();
        }
      };
      return { endpoint, handle };
    },
  };
}

/** The endpoints' methods, as the `allow` header lists them. */
function allowed(endpoints: readonly Endpoint[]): string {
  return endpoints
    .flatMap(({ method, relayPrice }) =>
      method === 'GET' && !relayPrice ? ['GET', 'HEAD'] : [method],
    )
    .join(', ');
}

/** Adds routes to an app. Their paths refuse all other methods with 405. */
export function mount(app: Hono, routes: readonly Route[]): void {
  const byPath = new Map<string, Endpoint[]>();
  for (const { endpoint, handle } of routes) {
    const paths = [endpoint.path, ...(endpoint.aliases ?? [])];
    app.on(endpoint.method, paths, handle);
    for (const path of paths) byPath.set(path, [...(byPath.get(path) ?? []), endpoint]);
  }
  for (const [path, endpoints] of byPath) {
    const allow = allowed(endpoints);
    app.all(path, () => {
      throw methodNotAllowed(allow);
    });
  }
}
