import { formatInstant } from '#contract/instant.ts';
import { PAGE_POSTS, type SearchEndpoint, type SORT_ORDERS } from '#contract/posts/search.ts';
import { SECOND_MS, type Span } from '#core/time/span.ts';
import type { FoundPage } from './found-posts.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { OutputForm, RangeOrder } from '#server/cli/counting/series-options.ts';

/** A search of a command line. */
export interface SearchOrder {
  readonly source: SourceId;
  readonly query: string;
  readonly range: RangeOrder;
  /** Most Posts. */
  readonly limit: number;
  readonly sort: (typeof SORT_ORDERS)[number];
  /** Null: a table on a terminal, else JSON lines. */
  readonly form: OutputForm | null;
  /** True to spend what the pages may cost without asking. */
  readonly yes: boolean;
}

/** The fields of a Post in a line or a row. */
const POST_FIELDS =
  'author_id,conversation_id,created_at,entities,geo,in_reply_to_user_id,lang,possibly_sensitive,public_metrics,referenced_tweets';

/** An end this close to now is left to the source, which answers up to some seconds ago. */
const NOW_MS = 60 * SECOND_MS;

/** Parameters of the first page of a search. */
export function searchParameters(
  { query, sort }: Pick<SearchOrder, 'query' | 'sort'>,
  { start, end }: Span,
  now: number,
): Record<string, string> {
  const at = (instant: number): string =>
    formatInstant(Math.floor(instant / SECOND_MS) * SECOND_MS);
  return {
    query,
    sort_order: sort,
    start_time: at(start),
    ...(end < now - NOW_MS && { end_time: at(end) }),
    'tweet.fields': POST_FIELDS,
  };
}

/** The number of Posts to ask of the next page. */
export function pageSize(missing: number, endpoint: SearchEndpoint): number {
  const { min, max } = PAGE_POSTS[endpoint];
  return Math.min(max, Math.max(min, missing));
}

/** The first Posts of a page. */
export function firstPosts(page: FoundPage, most: number): FoundPage {
  return { ...page, data: page.data.slice(0, most) };
}
