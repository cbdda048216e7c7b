import * as v from 'valibot';
import { Whole } from '#contract/members.ts';
import type { Access } from '#contract/accounts/access.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Bounds } from '#core/counts/head.ts';
import type { Granularity } from '#core/time/bucket.ts';

/**
 * One bucket of an answer. The real platform may send `post_count` without being asked (platform-facts section 0).
 */
export const CountBucket = v.object({
  start: v.string(),
  end: v.string(),
  tweet_count: v.optional(Whole),
  post_count: v.optional(Whole),
});

/** Answer of `GET /2/tweets/counts/{recent,all}`. `data` is absent if the query cannot match anything. */
export const CountsAnswer = v.object({
  data: v.optional(v.array(CountBucket)),
  meta: v.object({
    total_tweet_count: v.optional(Whole),
    total_post_count: v.optional(Whole),
    next_token: v.optional(v.string()),
  }),
});
export type CountsAnswer = v.InferOutput<typeof CountsAnswer>;

/** An answer ends at least this long before now, ms (platform-facts 1.2, recorded). */
export const END_LAG_MS = 10_000;

/** A search of the session with this header ends at the whole second after now: own Posts are found at once. */
export const UNTIL_NOW_HEADER = 'x-groundswell-until-now';

/** Longest query in characters (specification, Limits): 512 on recent for every level; 1,024 on all, 4,096 for enterprise. */
export function queryLengthLimit(endpoint: CountsEndpoint, access: Access): number {
  if (endpoint === 'recent') return 512;
  return access === 'enterprise' ? 4096 : 1024;
}

/** Length of a query as its limit counts it: code points of the whole text (platform-facts 2.4), so an emoji is one. */
export function queryLength(query: string): number {
  let length = 0;
  for (const _ of query) length += 1;
  return length;
}

/** Paths apart from the endpoints, whose rules the dashboard does not need. */
export const COUNTS_PATH = {
  recent: '/2/tweets/counts/recent',
  all: '/2/tweets/counts/all',
} as const;

const instant = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');

/** The parameters of a request for counts. */
export function countsParameters(
  query: string,
  granularity: Granularity,
  { start, end }: Bounds,
): Record<string, string> {
  const last = end !== null && { end_time: instant(end) };
  return { query, granularity, start_time: instant(start), ...last };
}
