import * as v from 'valibot';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { ARCHIVE_LEVELS } from './access.ts';
import type { Access } from './access.ts';
import { endpoint } from './endpoint.ts';
import { about, id, instant, QUERY, token, unknownOrMissing } from './parameters.ts';
import { ALL_COUNTS, RECENT_COUNTS } from './prices.ts';

/** `recent`: last 7 days; `all`: the archive since 2006-03-21 (specification, Post counts). */
export type CountsEndpoint = 'recent' | 'all';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * One bucket of an answer. The real platform may send `post_count` without being asked (platform-facts section 0).
 */
export const CountBucket = v.object({
  start: v.string(),
  end: v.string(),
  tweet_count: v.optional(count),
  post_count: v.optional(count),
});

/** Answer of `GET /2/tweets/counts/{recent,all}`. `data` is absent if the query cannot match anything. */
export const CountsAnswer = v.object({
  data: v.optional(v.array(CountBucket)),
  meta: v.object({
    total_tweet_count: v.optional(count),
    total_post_count: v.optional(count),
    next_token: v.optional(v.string()),
  }),
});
export type CountsAnswer = v.InferOutput<typeof CountsAnswer>;

/** An answer ends at least this long before now, ms (platform-facts 1.2, recorded). */
export const END_LAG_MS = 10_000;

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

/** Fields of a bucket by tweet names (platform-facts 1.1). */
export const COUNT_FIELDS = ['end', 'start', 'tweet_count'] as const;
export type CountField = (typeof COUNT_FIELDS)[number];

/** Names that `search_count.fields` may have, of both vocabularies (platform-facts-additions, section 0). */
const COUNT_FIELD_NAMES = [...COUNT_FIELDS, 'post_count'] as const;

const fields = v.optional(
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const named = dataset.value.split(',');
      const odd = named.find((name) => !COUNT_FIELD_NAMES.some((field) => field === name));
      if (odd === undefined) return COUNT_FIELD_NAMES.filter((field) => named.includes(field));
      addIssue({
        message: `${about('search_count.fields', odd)} is not one of [${COUNT_FIELD_NAMES.join(',')}]`,
      });
      return NEVER;
    }),
  ),
  COUNT_FIELDS.join(','),
);

const PARAMETERS = {
  query: QUERY,
  start_time: instant('start_time'),
  end_time: instant('end_time'),
  since_id: id('since_id'),
  until_id: id('until_id'),
  next_token: token('next_token'),
  pagination_token: token('pagination_token'),
  granularity: v.optional(
    v.picklist(
      GRANULARITIES,
      (issue) => `${about('granularity', issue.input)} is not one of [${GRANULARITIES.join(',')}]`,
    ),
    'hour',
  ),
  'search_count.fields': fields,
};

/**
 * Parameters of `GET /2/tweets/counts/{recent,all}`. Instants become epoch ms at whole seconds, ids bigint; the rest
 * stays text as sent. Messages are the recorded ones where they exist (platform-facts 1.7).
 */
export const CountsRequest = v.strictObject(PARAMETERS, unknownOrMissing(PARAMETERS));
export type CountsRequest = v.InferOutput<typeof CountsRequest>;

/** Per app or user (platform-facts 1.5). */
function limits() {
  const limit = { requests: 300, windowSeconds: 900 };
  return { app: limit, user: limit };
}

/** One page of counts, newest page first, from Your posts; `ofSource` gives the endpoints of other sources. */
export const COUNTS = {
  recent: endpoint('GET', '/2/tweets/counts/recent', {
    // Clients know that counts refuse OAuth 1.0a (platform-facts section 12).
    authentication: ['app', 'oauth2', 'session'],
    level: 'read',
    limits: limits(),
    price: RECENT_COUNTS,
    query: CountsRequest,
  }),
  all: endpoint('GET', '/2/tweets/counts/all', {
    authentication: ['app', 'session'],
    access: { levels: ARCHIVE_LEVELS, need: 'Counts of the whole archive need' },
    level: 'read',
    limits: limits(),
    price: ALL_COUNTS,
    query: CountsRequest,
  }),
};
