import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';

/** A request that was answered. It has nothing that a client wrote. */
export interface RequestReport {
  readonly method: string;
  /** Pattern of the path, such as `/2/tweets/:id`; `/*` for files of the dashboard and unknown paths. */
  readonly route: string;
  readonly status: number;
  /** From the request's headers to the last byte of the answer. */
  readonly ms: number;
  /** Bytes sent, headers included; those of the body for a request in process. */
  readonly bytes: number;
  /** Random, and also in the header `x-request-id`; null if requests get none. */
  readonly id: string | null;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);
const ANY = '/*';

/** The most precise pattern that a request's path matches. */
function routeOf(c: Context): string {
  const paths = matchedRoutes(c)
    .map(({ path }) => path)
    .filter((path) => path !== ANY && path !== '*');
  const route = paths.find((path) => !path.endsWith(ANY)) ?? paths[0] ?? ANY;
  return route.replace(/^\/(data|view)\/.*/, '/$1/…');
}

export interface WatchDeps {
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Makes ids of requests; null if they get none. */
  readonly requestId: (() => string) | null;
  readonly onRequest: (report: RequestReport) => void;
}

/** Reports each request once its answer is sent or its client has gone. */
export function watchRequests({ elapsed, requestId, onRequest }: WatchDeps): MiddlewareHandler {
  return async (c, next) => {
    const began = elapsed();
    const id = requestId?.() ?? null;
    const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
    const socket = outgoing?.socket;
    const sentBefore = socket?.bytesWritten ?? 0;
    const report = (bytes: number): void =>
      onRequest({
        method: METHODS.has(c.req.method) ? c.req.method : 'OTHER',
        route: routeOf(c),
        status: c.res.status,
        ms: elapsed() - began,
        bytes,
        id,
      });
    await next();
    if (id !== null) c.res.headers.set('x-request-id', id);
    if (!outgoing) return report(Number(c.res.headers.get('content-length') ?? 0));
    // The connection forgets its socket once it is closed.
    const end = (): void => report((socket?.bytesWritten ?? sentBefore) - sentBefore);
    if (outgoing.closed) end();
    else outgoing.once('close', end);
  };
}
