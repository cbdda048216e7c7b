import { hash } from 'node:crypto';
import { getCookie } from 'hono/cookie';
import { LIVE } from '#contract/counts/live.ts';
import { sessionCookie } from '#server/http/auth-guard.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import type { ChangeFeed } from '#server/streams/change-feed.ts';

/** `GET /live`: what changes in Your posts and in the sample, for boards that are open. */
export function live({ http, feed }: Pick<ServiceContext, 'http'> & { feed: ChangeFeed }): Route[] {
  return [
    http.serve(LIVE.changes, ({ c, caller }) => {
      c.header('content-type', 'application/x-ndjson');
      // It would get no lines.
      if (c.req.method === 'HEAD') return c.body(null);
      const session = hash('sha256', getCookie(c, sessionCookie(c)) ?? '', 'base64url');
      return c.body(feed.open({ session, isAllowed: caller.isValid }));
    }),
  ];
}
