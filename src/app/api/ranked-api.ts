import { BREAKDOWN, type RANKINGS } from '#contract/counts/breakdown.ts';
import { formatInstant } from '#contract/instant.ts';
import { SearchAnswer } from '#contract/posts/search.ts';
import { ofSource } from '#contract/counts/source.ts';
import type { Span } from '#core/time/span.ts';
import type { OwnSource } from './breakdown-api.ts';
import type { Client } from './client.ts';
import { readPosts, SHOWN_FIELDS, type SearchedPost } from './search-api.ts';

export interface RankedAsk {
  readonly query: string;
  readonly span: Span;
  readonly order: (typeof RANKINGS)[number];
  /** The instant that `nearest` means, epoch ms. */
  readonly at: number;
  readonly max: number;
}

/** The first Posts of a ranking; rejects as a search does. */
export type RankPosts = (ask: RankedAsk, signal: AbortSignal) => Promise<readonly SearchedPost[]>;

/** Rankings of a source by the service this page came from. */
export function rankPosts(client: Pick<Client, 'json'>, source: OwnSource): RankPosts {
  const { path } = ofSource(BREAKDOWN.ranked, source);
  return async ({ query, span, order, at, max }, signal) => {
    const parameters = new URLSearchParams({
      query,
      start_time: formatInstant(span.start),
      end_time: formatInstant(span.end),
      order,
      at: formatInstant(at),
      max_results: String(max),
      'tweet.fields': SHOWN_FIELDS,
      expansions: 'author_id',
    });
    return readPosts(await client.json(`${path}?${parameters}`, SearchAnswer, { signal }));
  };
}
