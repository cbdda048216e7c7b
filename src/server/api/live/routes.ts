import { hash } from 'node:crypto';
import { getCookie } from 'hono/cookie';
import { LIVE, MOST_LIVE } from '#contract/counts/live.ts';
import { invalidRequest } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { bucketCount, floorTo } from '#core/time/bucket.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { sessionCookie } from '#server/http/auth-guard.ts';
import { clientGone } from '#server/http/errors.ts';
import { knownCondition } from '#server/http/known-condition.ts';
import { readQuery } from '#server/http/query-param.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';

/**
 * `GET /live`: what changes in Your posts and in the sample, for boards that are open. `POST /live/counts`: the newest
 * counts of their topics, all of one state.
 */
export function live({ http, changeFeed: feed, evaluate, now }: ServiceContext): Route[] {
  return [
    http.serve(LIVE.changes, ({ c, caller }) => {
      c.header('content-type', 'application/x-ndjson');
      // It would get no lines.
      if (c.req.method === 'HEAD') return c.body(null);
      const session = hash('sha256', getCookie(c, sessionCookie(c)) ?? '', 'base64url');
      return c.body(feed.open({ session, isAllowed: caller.isValid }));
    }),
    http.serve(LIVE.counts, async ({ c, caller, body }) => {
      const { source, queries, granularity } = body;
      const start = Date.parse(body.start);
      // The Posts of the running second are counted too.
      const span = { start, end: (Math.floor(now() / SECOND_MS) + 1) * SECOND_MS };
      const buckets = bucketCount(start, span.end, granularity);
      if (buckets === 0 || start !== floorTo(start, granularity)) {
        throw invalidRequest('start', body.start, "'start' must be the start of a past bucket");
      }
      if (buckets * queries.length > MOST_LIVE.counts) {
        const rule = `the answer may have ${MOST_LIVE.counts} counts, not ${buckets * queries.length}`;
        throw invalidRequest('start', body.start, rule);
      }
      const own = source === 'posts';
      const asts = queries.map((query) =>
        readQuery(query, { endpoint: 'all', access: caller.access, own }),
      );
      const found = await evaluate(c, source, caller.user, function* (state, due) {
        const counts: number[][] = [];
        for (const [i, ast] of asts.entries()) {
          const wanted = knownCondition(ast, queries[i] ?? '', state);
          counts.push([...(yield* state.histogram(wanted, span, granularity, {}, due))]);
        }
        const { store, revision, mark } = state;
        return { store, revision, mark, end: formatInstant(span.end), counts };
      });
      return found ? found.result : clientGone();
    }),
  ];
}
