import type { Context } from 'hono';
import { CountsRequest } from '#contract/counts.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault, PROBLEMS } from '#contract/fault.ts';
import type { SourceId } from '#contract/source.ts';
import { countPage } from '#server/domain/count.ts';
import { callerOf, openedSource, takeRate, UNCACHED, type RouteDeps } from './context.ts';
import { encode, type Encoding } from './encoding.ts';
import { readParameters } from './parameters.ts';

/** Version of the interface that answers, as recorded ones name it (platform-facts, openapi v2.166). */
const API_VERSION = '2.166';

/** The archive is for pay-per-use and enterprise (platform-facts section 0; body by 1.7). */
function notEnrolled(client: string): Fault {
  return new Fault(403, {
    title: 'Client Forbidden',
    detail:
      'Counts of the whole archive need the access level pay-per-use or enterprise; this token has self-service.',
    type: `${PROBLEMS}client-forbidden`,
    reason: 'client-not-enrolled',
    required_enrollment: 'Pay-per-use or Enterprise',
    registration_url: 'https://developer.x.com/en/portal/products',
    client_id: client,
  });
}

/** `GET /2/tweets/counts/{recent,all}` of a source: one page of counts. */
export function counts(deps: RouteDeps, id: SourceId, endpoint: CountsEndpoint) {
  return async (c: Context): Promise<Response> => {
    const caller = callerOf(c, deps.gate);
    c.header('x-access-level', 'read');
    c.header('api-version', API_VERSION);
    takeRate(c, caller, endpoint, deps.limiter);
    if (endpoint === 'all' && caller.access === 'self-service') throw notEnrolled(caller.client);
    const { request, texts } = readParameters(c.req.url, CountsRequest);
    const { access } = caller;
    const now = deps.now();
    const answer = async (): Promise<{ body: Uint8Array; encoding: Encoding | null }> => {
      const { index } = openedSource(c, deps, id);
      const page = countPage(index, { endpoint, request, texts, access, now, key: deps.pageKey });
      return await encode(page, c.req.header('accept-encoding'));
    };
    // A page of minutes is megabytes of text; hours and days are not.
    const large = request.granularity === 'minute';
    const { body, encoding } = await (large ? deps.turns.take(answer) : answer());
    c.header('content-type', 'application/json; charset=utf-8');
    c.header('cache-control', UNCACHED);
    c.header('vary', 'accept-encoding');
    if (encoding) c.header('content-encoding', encoding);
    return c.body(body as Uint8Array<ArrayBuffer>);
  };
}
