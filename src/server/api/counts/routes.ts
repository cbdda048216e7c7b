import type { Context } from 'hono';
import { COUNTS, type CountsRequest } from '#contract/counts/count-operations.ts';
import { plainProblem } from '#contract/fault.ts';
import { ofSource, type SourceId } from '#contract/counts/source.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { Semaphore } from '#core/semaphore.ts';
import { chooseEncoding } from '#server/http/encoding.ts';
import { clientGone } from '#server/http/errors.ts';
import type { Call, Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import type { PieceText } from './count-json.ts';
import { countPage } from './count.ts';
import { streamBody, WORTH_PACKING } from './stream-body.ts';
import type { Caller } from '#server/auth/caller.ts';

/** Large answers written concurrently: one on this thread while the others are compressed. */
const LARGE_ANSWERS = 3;

/** RFC 9110 section 15.5.7. */
function notAcceptable(): Error {
  const detail = 'Accept-Encoding must leave one of gzip, br and identity.';
  return plainProblem(406, 'Not Acceptable', detail, { vary: 'accept-encoding' });
}

/** Sends a page in the encoding that the request prefers. */
async function writePage(c: Context, text: PieceText): Promise<Response> {
  const { signal } = c.req.raw;
  const encoding = chooseEncoding(c.req.header('accept-encoding'), text.length >= WORTH_PACKING);
  if (encoding === null) throw notAcceptable();
  c.header('content-type', 'application/json; charset=utf-8');
  c.header('vary', 'accept-encoding');
  if (encoding === 'identity') c.header('content-length', String(text.length));
  else c.header('content-encoding', encoding);
  if (c.req.method === 'HEAD') return c.body(null);
  const body = await streamBody(text, encoding, signal);
  return body ? c.body(body) : clientGone();
}

/** `GET /2/tweets/counts/{recent,all}` of Your posts and of the sample: one page of counts. */
export function counts({
  http,
  evaluate,
  pageKey: key,
  now,
}: Pick<ServiceContext, 'http' | 'evaluate' | 'pageKey' | 'now'>): Route[] {
  const largeAnswers = new Semaphore(LARGE_ANSWERS);

  const page =
    (id: SourceId, endpoint: CountsEndpoint) =>
    async ({ c, query: request, texts, caller }: Call<Caller, CountsRequest>) => {
      const { signal } = c.req.raw;
      const { access, kind, user } = caller;
      const own = id === 'posts' && kind === 'session';
      const question = { endpoint, request, texts, access, own, now: now(), key };
      const found = await evaluate(c, id, user, (state, due) => countPage(state, question, due));
      if (!found) return clientGone();
      // Only pages of minutes have megabytes.
      if (request.granularity !== 'minute') return await writePage(c, found.result);
      return await largeAnswers.take(async () => {
        // Lets small answers go first.
        await new Promise((resolve) => setImmediate(resolve));
        return signal.aborted ? clientGone() : await writePage(c, found.result);
      });
    };

  return (['posts', 'sample'] as const).flatMap((id) => [
    http.serve(ofSource(COUNTS.recent, id), page(id, 'recent')),
    http.serve(ofSource(COUNTS.all, id), page(id, 'all')),
  ]);
}
