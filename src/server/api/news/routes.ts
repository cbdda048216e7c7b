import { invalidRequest } from '#contract/fault.ts';
import { formatMinute } from '#contract/instant.ts';
import { NEWS } from '#contract/posts/news.ts';
import { ofSource } from '#contract/counts/source.ts';
import { condition } from '#core/query/condition.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import { ARCHIVE_START, HOUR_MS } from '#core/time/span.ts';
import { clientGone } from '#server/http/errors.ts';
import { notFound } from '#server/posts/json/partial-error.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';
import { isFoundBy, newsJson } from './news.ts';

/** @throws {@link Fault} 400 if it cannot be parsed. */
function conditionOf(query: string) {
  const parsed = parse(query, { product: 'all' });
  if (!parsed.ok) throw invalidRequest('query', query, message(parsed.diagnostics));
  return condition(parsed.ast);
}

/** @throws {@link Fault} 400 if it is in the future, or before the first Post of the platform. */
function checkEnd(end: number, text: string, now: number): void {
  const rule =
    end > now
      ? 'must not be later than the request time.'
      : end <= ARCHIVE_START && `must be after ${formatMinute(ARCHIVE_START)}`;
  if (rule === false) return;
  throw invalidRequest('end_time', text, `Invalid 'end_time':'${text}'. 'end_time' ${rule}`);
}

/** `GET /2/news/search` and `GET /2/news/{id}`, of Your posts and of the sample. */
export function news({ http, news: stories, now: clock }: ServiceContext): Route[] {
  return (['posts', 'sample'] as const).flatMap((id) => [
    http.serve(ofSource(NEWS.search, id), async ({ c, query: request, texts }) => {
      const now = clock();
      const wanted = conditionOf(request.query);
      const end = request.end_time ?? now;
      checkEnd(end, texts.end_time ?? '', now);
      const span = { start: end - request.max_age_hours * HOUR_MS, end };
      const found = await stories.within(id, span, c.req.raw.signal);
      if (!found) return clientGone();
      const shown = found
        .filter((story) => isFoundBy(story, wanted))
        .slice(0, request.max_results)
        .map((story) => newsJson(story, request['news.fields']));
      return { ...(shown.length > 0 && { data: shown }), meta: { result_count: shown.length } };
    }),
    http.serve(ofSource(NEWS.one, id), async ({ c, params, query }) => {
      const story = await stories.one(id, params.id, clock(), c.req.raw.signal);
      if (story === null) return clientGone();
      if (story) return { data: newsJson(story, query['news.fields']) };
      const named = { value: params.id, resource_type: 'news', parameter: 'id' } as const;
      return { errors: [notFound(named)] };
    }),
  ]);
}
