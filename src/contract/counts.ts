import * as v from 'valibot';

/** `recent`: last 7 days; `all`: the archive since 2006-03-21 (specification, Post counts). */
export type CountsEndpoint = 'recent' | 'all';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * One bucket of an answer. Both vocabularies are read, because the real platform may send `post_count`
 * (platform-facts section 0); the service writes `tweet_count`.
 */
export const CountBucket = v.object({
  start: v.string(),
  end: v.string(),
  tweet_count: v.optional(count),
  post_count: v.optional(count),
});

/** Answer of `GET /2/tweets/counts/{recent,all}`. `data` is absent where the query can match nothing. */
export const CountsAnswer = v.object({
  data: v.optional(v.array(CountBucket)),
  meta: v.object({
    total_tweet_count: v.optional(count),
    total_post_count: v.optional(count),
    next_token: v.optional(v.string()),
  }),
});
export type CountsAnswer = v.InferOutput<typeof CountsAnswer>;

/** Seconds before now at which an answer ends at the latest (platform-facts 1.2, recorded). */
export const END_LAG_MS = 10_000;

/** Reach of counts/recent (specification, Limits). */
export const RECENT_DAYS = 7;

/** Access levels of a token (specification, Limits; platform-facts section 0). */
export const ACCESS_LEVELS = ['self-service', 'pay-per-use', 'enterprise'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

/** Longest query in characters (specification, Limits): 512 on recent for everybody; 1,024 on all, 4,096 for enterprise. */
export function queryLengthLimit(endpoint: CountsEndpoint, access: Access): number {
  if (endpoint === 'recent') return 512;
  return access === 'enterprise' ? 4096 : 1024;
}

/** Requests per 15 minutes and endpoint (platform-facts 1.5). */
export const COUNTS_RATE_LIMIT = { requests: 300, windowSeconds: 900 } as const;

/** Public price of one request in US dollars (platform-facts 1.6). Settings may say otherwise. */
export const COUNTS_PRICE: Readonly<Record<CountsEndpoint, number>> = { recent: 0.005, all: 0.01 };
