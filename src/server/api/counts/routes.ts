import type { Context } from 'hono';
import { CountsRequest } from '#contract/counts.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { plainProblem } from '#contract/fault.ts';
import type { SourceId } from '#contract/source.ts';
import { countPage } from './count.ts';
import { evaluated } from '#server/posts/evaluation.ts';
import {
  callerOf,
  CLIENT_GONE,
  notEnrolled,
  openedSource,
  takeRate,
} from '#server/http/context.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { tellAccess, tellStore, UNCACHED } from '#server/http/context.ts';
import { chooseEncoding } from '#server/http/encoding.ts';
import { readParameters } from '#server/http/params.ts';
import { bodyOf, WORTH_PACKING } from './stream-body.ts';

/** RFC 9110 section 15.5.7. */
function notAcceptable(): Error {
  const detail = 'Accept-Encoding must leave one of gzip, br and identity.';
  return plainProblem(406, 'Not Acceptable', detail, { vary: 'accept-encoding' });
}

/** `GET /2/tweets/counts/{recent,all}` of a source: one page of counts. */
export function counts(deps: RouteDeps, id: SourceId, endpoint: CountsEndpoint) {
  return async (c: Context): Promise<Response> => {
    const caller = callerOf(c, deps.gate);
    tellAccess(c, 'read');
    takeRate(c, caller, endpoint, deps.limiters.counts);
    if (endpoint === 'all' && caller.access === 'self-service') {
      throw notEnrolled('Counts of the whole archive need', caller.client);
    }
    const { request, texts } = readParameters(c.req.url, CountsRequest);
    const { access } = caller;
    const now = deps.now();
    const { signal } = c.req.raw;
    const question = { endpoint, request, texts, access, now, key: deps.pageKey };
    const page = await evaluated(
      () => openedSource(c, deps, id),
      (state, due) => countPage(state, question, due),
      deps.slices,
      signal,
    );
    if (!page) return new Response(null, { status: CLIENT_GONE });
    tellStore(c, page);
    const text = page.result;
    const answer = async (): Promise<Response> => {
      // Who waited for a turn may have gone.
      if (signal.aborted) return new Response(null, { status: CLIENT_GONE });
      const accept = c.req.header('accept-encoding');
      const encoding = chooseEncoding(accept, text.length >= WORTH_PACKING);
      if (encoding === null) throw notAcceptable();
      c.header('content-type', 'application/json; charset=utf-8');
      c.header('cache-control', UNCACHED);
      c.header('vary', 'accept-encoding');
      if (encoding === 'identity') c.header('content-length', String(text.length));
      else c.header('content-encoding', encoding);
      if (c.req.method === 'HEAD') return c.body(null);
      const body = await bodyOf(text, encoding, signal);
      return body ? c.body(body) : new Response(null, { status: CLIENT_GONE });
    };
    // A page of minutes is megabytes of text; hours and days are not.
    return await (request.granularity === 'minute' ? deps.turns.take(answer) : answer());
  };
}
