import * as v from 'valibot';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { endpoint } from './endpoint.ts';
import { about, id, instant, QUERY, token, unknownOrMissing } from './parameters.ts';
import { vocabularyOf } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

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

/** Access levels of a token (specification, Limits; platform-facts section 0). */
export const ACCESS_LEVELS = ['self-service', 'pay-per-use', 'enterprise'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

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

/** Fields of a bucket by tweet names (platform-facts 1.1). `search_count.fields` may also name `post_count`. */
export const COUNT_FIELDS = ['end', 'start', 'tweet_count'] as const;
export type CountField = (typeof COUNT_FIELDS)[number];

/** The fields of a bucket, by tweet names, and the names of the answer. */
export interface CountSelection {
  readonly fields: readonly CountField[];
  readonly vocabulary: Vocabulary;
}

/** The name of a bucket's number, by vocabulary (platform-facts-additions, section 0). */
export const COUNT_NAMES = { tweet: 'tweet_count', post: 'post_count' } as const;

const fields = v.optional(
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }): CountSelection => {
      const parameter = 'search_count.fields';
      const named = dataset.value.split(',');
      const known = [...COUNT_FIELDS, COUNT_NAMES.post] as const;
      const odd = named.find((name) => !known.some((field) => field === name));
      if (odd !== undefined) {
        addIssue({ message: `${about(parameter, odd)} is not one of [${known.join(',')}]` });
        return NEVER;
      }
      const marks = (['tweet', 'post'] as const)
        .filter((vocabulary) => named.includes(COUNT_NAMES[vocabulary]))
        .map((vocabulary) => {
          const part = `the \`${parameter}\` value [${COUNT_NAMES[vocabulary]}]`;
          return { parameter, part, vocabulary };
        });
      const vocabulary = vocabularyOf(marks);
      if (typeof vocabulary !== 'string') {
        addIssue({ message: vocabulary.message });
        return NEVER;
      }
      const has = (field: CountField): boolean =>
        named.includes(field === 'tweet_count' ? COUNT_NAMES[vocabulary] : field);
      return { fields: COUNT_FIELDS.filter(has), vocabulary };
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
    authentication: ['app', 'user', 'session'],
    level: 'read',
    limits: limits(),
    query: CountsRequest,
  }),
  all: endpoint('GET', '/2/tweets/counts/all', {
    authentication: ['app', 'session'],
    archive: 'Counts of the whole archive need',
    level: 'read',
    limits: limits(),
    query: CountsRequest,
  }),
};
