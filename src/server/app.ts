import { Hono } from 'hono';
import type { Context, Handler } from 'hono';
import { CONTROL_ROUTES } from '#contract/control.ts';
import { COUNTS_RATE_LIMIT } from '#contract/counts.ts';
import { Fault, plainProblem } from '#contract/fault.ts';
import { CREATE_DAY_LIMIT, CREATE_RATE_LIMIT, DELETE_RATE_LIMIT } from '#contract/posts.ts';
import { changesPath, countsPath, POSTS_PATHS, ROUTES, searchPath } from '#contract/routes.ts';
import { SEARCH_RATE_LIMIT } from '#contract/search.ts';
import type { SourceId } from '#contract/source.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { RateLimiter } from '#server/http/rate-limit.ts';
import type { PostEditor } from '#server/posts/editor.ts';
import { PostService } from '#server/api/posts/create-post.ts';
import type { SignIns } from '#server/auth/sign-ins.ts';
import { Slices } from '#server/posts/slices.ts';
import type { Relay } from '#server/platform/relay.ts';
import { readCall, readSearch } from '#server/platform/request.ts';
import { StoreError } from '#server/db/driver.ts';
import type { StoreReason } from '#server/db/driver.ts';
import type { Service } from '#server/auth/store.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { hostOf, UNCACHED } from '#server/http/context.ts';
import { control } from '#server/api/control/routes.ts';
import { counts } from '#server/api/counts/routes.ts';
import { dashboard } from '#server/api/dashboard/routes.ts';
import { importRoutes } from '#server/api/import/routes.ts';
import type { Intake } from '#server/api/import/routes.ts';
import { NOT_CONNECTED, platformHeld, platformPage } from '#server/api/platform/routes.ts';
import { platformChange, platformSettings, platformSpending } from '#server/api/platform/routes.ts';
import { createPost, deletePost } from '#server/api/posts/routes.ts';
import { search } from '#server/api/search/routes.ts';
import { session } from '#server/api/session/routes.ts';
import { changes, sources } from '#server/api/sources/routes.ts';
import { Turns } from '#server/http/turns.ts';

export interface AppDeps extends Pick<RouteDeps, 'source' | 'now' | 'port' | 'assets' | 'control'> {
  readonly service: Service;
  /** Where Posts of a source are created and deleted; null where that is not done. */
  readonly desk: (id: SourceId) => PostEditor | null;
  readonly random: (n: number) => Uint8Array;
  /** The secrets that sign browsers in. */
  readonly signIns: SignIns;
  /** A clock that never goes back, ms. */
  readonly elapsed: () => number;
  /** Takes files of Posts from the dashboard; absent where that is not done. */
  readonly intake?: Intake;
  /** The platform, where it is connected. */
  readonly relay?: Relay | null;
  /** Takes a line about an error of ours; never given anything of a token. */
  readonly log: (line: string) => void;
}

/** Sources that are files of this service, each under its prefix. */
const OWN_SOURCES: readonly SourceId[] = ['posts', 'sample'];

/**
 * Bytes of a request's address at most. A query of 4,096 characters outside the first plane takes twelve
 * bytes each when it is escaped.
 */
export const MAX_ADDRESS = 56 * 1024;

/** Large answers in the making at once: one on this thread, some being packed beside it. */
const LARGE_ANSWERS = 3;

const HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d{1,5}))?$/;

/** Refuses requests for another host: a page elsewhere could make its name point here. */
function checkAddress(c: Context, port: number | null): void {
  const found = HOST.exec(hostOf(c));
  if (!found || (port !== null && Number(found[1] ?? 80) !== port)) {
    const detail = 'This service answers to its own address on this machine alone.';
    throw plainProblem(403, 'Forbidden', detail);
  }
  if (c.req.url.length > MAX_ADDRESS) {
    throw plainProblem(414, 'URI Too Long', `An address may have ${MAX_ADDRESS} bytes.`);
  }
}

function guardHeaders(headers: Headers, now: number): void {
  const set = (name: string, value: string): void => {
    if (!headers.has(name)) headers.set(name, value);
  };
  set('date', new Date(now).toUTCString());
  set('content-security-policy', `default-src 'none'; frame-ancestors 'none'`);
  set('x-content-type-options', 'nosniff');
  set('x-frame-options', 'DENY');
  set('referrer-policy', 'no-referrer');
  set('cross-origin-opener-policy', 'same-origin');
  set('cross-origin-resource-policy', 'same-origin');
}

/** Why a store does not answer, by reason, without the path of its file. */
const UNAVAILABLE: Partial<Readonly<Record<StoreReason, string>>> = {
  busy: 'The store is busy; try again.',
  full: 'The disk is full.',
  'index-damaged':
    'The index of the Posts is damaged, so they cannot be counted: groundswell check says where, groundswell reindex rebuilds it.',
  'row-damaged':
    'A Post is not as it was written: groundswell check says which. Restore the store from a backup.',
  damaged:
    'The file of the Posts is damaged: groundswell check says where. Restore it from a backup, or import the Posts again into a new data folder.',
};

/** An error as a Fault; one that is not of the interface is told in the log, and to the client without its insides. */
function faultOf(error: unknown, log: (line: string) => void): Fault {
  if (error instanceof Fault) return error;
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const why = error instanceof StoreError ? UNAVAILABLE[error.reason] : undefined;
  if (why !== undefined) return plainProblem(503, 'Service Unavailable', why);
  return plainProblem(500, 'Internal Server Error', 'The service failed; its log says how.');
}

/** The whole interface of the service as a Hono app. It never listens: `app.request()` serves tests in process. */
export function createApp(deps: AppDeps): Hono {
  const { service, now, random, log } = deps;
  const desk = deps.desk('posts');
  const relay = deps.relay ?? null;
  const routes: RouteDeps = {
    source: deps.source,
    now,
    port: deps.port,
    assets: deps.assets,
    control: deps.control,
    gate: openAuth(service, { now, random }),
    limiters: {
      counts: new RateLimiter(COUNTS_RATE_LIMIT, now),
      searchRecent: new RateLimiter(SEARCH_RATE_LIMIT.recent, now),
      searchRecentOfUser: new RateLimiter(SEARCH_RATE_LIMIT.recentOfUser, now),
      searchAll: new RateLimiter(SEARCH_RATE_LIMIT.all, now),
      create: new RateLimiter(CREATE_RATE_LIMIT, now),
      createDay: new RateLimiter(CREATE_DAY_LIMIT, now),
      delete: new RateLimiter(DELETE_RATE_LIMIT, now),
    },
    posting: desk && new PostService(desk, now),
    relay,
    slices: new Slices(deps.elapsed),
    turns: new Turns(LARGE_ANSWERS),
    pageKey: service.secret('pages'),
  };
  const app = new Hono();
  app.use(async (c, next) => {
    await next();
    guardHeaders(c.res.headers, now());
  });
  app.use(async (c, next) => {
    checkAddress(c, deps.port());
    await next();
  });
  app.onError((error, c) => {
    const { status, body, headers } = faultOf(error, log);
    c.header('cache-control', UNCACHED);
    c.header('content-type', 'application/problem+json; charset=utf-8');
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    return c.body(JSON.stringify(body), status as 400);
  });

  const refuse = (allow: string) => (): never => {
    const use = allow.replace(', HEAD', '').replace(', ', ' or ');
    throw plainProblem(405, 'Method Not Allowed', `Use ${use} here.`, { allow });
  };
  const serve = (method: 'GET' | 'POST' | 'DELETE', path: string, handler: Handler): void => {
    app.on(method, path, handler);
    app.all(path, refuse(method === 'GET' ? 'GET, HEAD' : method));
  };
  for (const id of OWN_SOURCES) {
    for (const endpoint of ['recent', 'all'] as const) {
      serve('GET', countsPath(id, endpoint), counts(routes, id, endpoint));
      serve('GET', searchPath(id, endpoint), search(routes, id, endpoint));
    }
    serve('GET', changesPath(id), changes(routes, id));
  }
  for (const path of POSTS_PATHS) {
    serve('POST', path, createPost(routes));
    serve('DELETE', `${path}/:id`, deletePost(routes));
  }
  serve(ROUTES.sources.method, ROUTES.sources.path, sources(routes));
  serve(ROUTES.session.method, ROUTES.session.path, session(routes, deps.signIns));
  if (deps.intake) {
    const { file, stop } = importRoutes(routes, deps.intake);
    serve(ROUTES.import.method, ROUTES.import.path, file);
    serve(ROUTES.importStop.method, ROUTES.importStop.path, stop);
  }
  const order = control(deps.control);
  for (const path of ['import', 'token', 'sample', 'reindex', 'link', 'stop'] as const) {
    serve('POST', CONTROL_ROUTES[path], order(path));
  }
  if (relay) {
    const { platform, platformChange: change, spending, held } = ROUTES;
    for (const endpoint of ['recent', 'all'] as const) {
      const counted = countsPath('platform', endpoint);
      app.get(counted, platformPage(routes, relay, readCall, endpoint));
      app.all(counted, refuse('GET'));
      const searched = searchPath('platform', endpoint);
      app.get(searched, platformPage(routes, relay, readSearch, endpoint));
      app.all(searched, refuse('GET'));
    }
    app.get(platform.path, platformSettings(routes, relay));
    app.put(change.path, platformChange(routes, relay));
    app.all(platform.path, refuse('GET, HEAD, PUT'));
    serve(spending.method, spending.path, platformSpending(routes, relay));
    serve(held.method, held.path, platformHeld(routes, relay));
  } else {
    app.all('/platform/*', () => {
      throw plainProblem(404, 'Not Found', NOT_CONNECTED);
    });
  }
  for (const path of ['/2/*', '/sample/*', '/platform/*', '/control/*']) {
    app.all(path, (c) => {
      throw plainProblem(404, 'Not Found', `There is nothing at ${c.req.path}.`);
    });
  }
  app.get('*', dashboard(deps.assets));
  app.all('*', refuse('GET, HEAD'));
  return app;
}
