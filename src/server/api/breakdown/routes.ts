import {
  ACCOUNT_COUNTS,
  MOST_ACCOUNT_BUCKETS,
  type AccountCountsRequest,
} from '#contract/counts/account-counts.ts';
import { BREAKDOWN, MOST_QUERY, MOST_RISING_DAYS } from '#contract/counts/breakdown.ts';
import { queryLength } from '#contract/counts/counts.ts';
import { invalidRequest } from '#contract/fault.ts';
import { ofSource } from '#contract/counts/source.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import { boundaries } from '#core/time/boundary.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { ALL_TIME, DAY_MS, type Span } from '#core/time/span.ts';
import { zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { currentSource } from '#server/http/current-source.ts';
import { clientGone } from '#server/http/errors.ts';
import { setStore } from '#server/http/headers.ts';
import {
  comparedSpan,
  spanBetween,
  type SpanBounds,
  type SpanTexts,
} from '#server/http/span-between.ts';
import type { Call, Route } from '#server/http/serve.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import type { ServiceContext } from '#server/context.ts';
import type { AnalysedSource } from './analyst-thread.ts';
import type { AccountWindows } from './account-counts.ts';
import type { Answers, Question } from './question.ts';
import type { Caller } from '#server/auth/caller.ts';

/**
 * A query that parses.
 *
 * @param own - Whether it may have the operators of Your posts.
 * @throws {@link Fault} 400 if it does not, or is too long.
 */
export function checkedQuery(query: string, own = false): string {
  const length = queryLength(query);
  if (length > MOST_QUERY) {
    const rule = `'query' must have at most ${MOST_QUERY} characters, got ${length}`;
    throw invalidRequest('query', query.slice(0, 100), `Invalid 'query'. ${rule}`);
  }
  const parsed = parse(query, { own });
  if (parsed.ok) return query;
  throw invalidRequest('query', query, message(parsed.diagnostics));
}

/** {@link spanBetween} for what rises. @throws {@link Fault} 400 also if it is too long. */
export function risingSpan(bounds: SpanBounds, texts: SpanTexts): Span {
  const span = spanBetween(bounds, texts);
  if (span.end - span.start <= MOST_RISING_DAYS * DAY_MS) return span;
  const text = texts['end_time'] ?? '';
  const rule = `must be at most ${MOST_RISING_DAYS} days after 'start_time'`;
  throw invalidRequest('end_time', text, `Invalid 'end_time':'${text}'. 'end_time' ${rule}`);
}

/** The offsets of a zone. @throws {@link Fault} 400 if there is none of that name. */
function checkedZone(name: string, span: Span): ZoneTable {
  try {
    return zoneTable(name, span);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const rule = `'time_zone' must be the name of a time zone such as Europe/Berlin`;
    throw invalidRequest('time_zone', name, `Invalid 'time_zone':'${name}'. ${rule}`);
  }
}

/** The buckets of counts of accounts. @throws {@link Fault} 400 if they are too many, or their zone is unknown. */
function accountWindows(
  { granularity, time_zone: zone, window }: AccountCountsRequest,
  texts: SpanTexts,
  span: Span,
): AccountWindows {
  const most = MOST_ACCOUNT_BUCKETS * BUCKET_MS[granularity];
  if (span.end - span.start <= most && span.end <= ALL_TIME.end) {
    const bounds = boundaries(span, granularity, checkedZone(zone, span), 1);
    return { bounds, length: window };
  }
  const text = texts['end_time'] ?? '';
  const year = new Date(ALL_TIME.end).getUTCFullYear();
  const rule = `must be at most ${MOST_ACCOUNT_BUCKETS} ${granularity}s after 'start_time', and before ${year}`;
  throw invalidRequest('end_time', text, `Invalid 'end_time':'${text}'. 'end_time' ${rule}`);
}

/** `GET /breakdown`, `/causes`, `/related`, `/rising`, `/similar` and `/account-counts`, of Your posts and of the sample. */
export function breakdown({ http, source, service, analyse }: ServiceContext): Route[] {
  const answer = async <Q extends Question>(
    { c, caller }: Pick<Call<Caller>, 'c' | 'caller'>,
    id: AnalysedSource,
    question: Q,
  ): Promise<{ data: Answers[Q['what']] } | Response> => {
    const { posts } = currentSource(c, source, id);
    const hidden = hiddenFrom(caller.user, id, service, posts);
    const found = await analyse(id, question, hidden, c.req.raw.signal);
    if (!found) return clientGone();
    setStore(c, found);
    return { data: found.result };
  };
  return (['posts', 'sample'] as const).flatMap((id) => {
    const isOwn = ({ kind }: Caller): boolean => id === 'posts' && kind === 'session';
    return [
      http.serve(
        ofSource(BREAKDOWN.breakdown, id),
        async ({ c, query: request, texts, caller }) => {
          const span = spanBetween(request, texts);
          const { query, max_results: limit } = request;
          return await answer({ c, caller }, id, {
            what: 'breakdown',
            query: query === undefined ? null : checkedQuery(query, isOwn(caller)),
            span,
            compared: comparedSpan(request, texts, span),
            limit,
          });
        },
      ),
      http.serve(ofSource(BREAKDOWN.causes, id), async ({ c, query: request, texts, caller }) => {
        const span = spanBetween(request, texts);
        const { query } = request;
        return await answer({ c, caller }, id, {
          what: 'causes',
          query: query === undefined ? null : checkedQuery(query, isOwn(caller)),
          span,
          compared: comparedSpan(request, texts, span),
          limit: 0,
        });
      }),
      http.serve(ofSource(BREAKDOWN.related, id), async ({ c, query: request, texts, caller }) => {
        const query = checkedQuery(request.query, isOwn(caller));
        const span = spanBetween(request, texts);
        return await answer({ c, caller }, id, {
          what: 'related',
          query,
          span,
          limit: request.max_results,
        });
      }),
      http.serve(ofSource(BREAKDOWN.rising, id), async ({ c, query: request, texts, caller }) => {
        const span = risingSpan(request, texts);
        return await answer({ c, caller }, id, {
          what: 'rising',
          span,
          limit: request.max_results,
        });
      }),
      http.serve(ofSource(ACCOUNT_COUNTS, id), async ({ c, query: request, texts, caller }) => {
        const query = checkedQuery(request.query, isOwn(caller));
        const span = spanBetween(request, texts);
        const windows = accountWindows(request, texts, span);
        const question = { what: 'accounts', query, span, windows, limit: 0 } as const;
        return await answer({ c, caller }, id, question);
      }),
      http.serve(ofSource(BREAKDOWN.similar, id), async ({ c, query: request, caller }) => {
        const { max_results: limit } = request;
        const query = checkedQuery(request.query, isOwn(caller));
        return await answer({ c, caller }, id, { what: 'similar', query, limit });
      }),
    ];
  });
}
