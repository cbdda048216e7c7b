import * as v from 'valibot';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { ARCHIVE_LEVELS } from '#contract/accounts/access.ts';
import { COUNTS_PATH, CountsAnswer } from './counts.ts';
import { endpoint } from '#contract/endpoint.ts';
import {
  about,
  choiceIn,
  id,
  instant,
  onlyParameters,
  QUERY,
  splitList,
  token,
} from '#contract/parameters.ts';
import { ALL_COUNTS, RECENT_COUNTS } from './prices.ts';

/** Fields of a bucket by tweet names (platform-facts 1.1). */
export const COUNT_FIELDS = ['end', 'start', 'tweet_count'] as const;
export type CountField = (typeof COUNT_FIELDS)[number];

/** Names that `search_count.fields` may have, of both vocabularies (platform-facts-additions, section 0). */
const COUNT_FIELD_NAMES = [...COUNT_FIELDS, 'post_count'] as const;

const fields = v.optional(
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const named = splitList(dataset.value);
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

/**
 * Parameters of `GET /2/tweets/counts/{recent,all}`. Instants become epoch ms at whole seconds, ids bigint; the rest
 * stays text as sent. Messages are the recorded ones where they exist (platform-facts 1.7).
 */
export const CountsRequest = onlyParameters({
  query: QUERY,
  start_time: instant('start_time'),
  end_time: instant('end_time'),
  since_id: id('since_id'),
  until_id: id('until_id'),
  next_token: token('next_token'),
  pagination_token: token('pagination_token'),
  granularity: v.optional(choiceIn('granularity', GRANULARITIES), 'hour'),
  'search_count.fields': fields,
});
export type CountsRequest = v.InferOutput<typeof CountsRequest>;

/** Per app or user (platform-facts 1.5). */
function limits() {
  const limit = { requests: 300, windowSeconds: 900 };
  return { app: limit, user: limit };
}

/** One page of counts, newest page first, from Your posts; `ofSource` gives the endpoints of other sources. */
export const COUNTS = {
  recent: endpoint('GET', COUNTS_PATH.recent, {
    // Clients know that counts refuse OAuth 1.0a (platform-facts section 12).
    authentication: ['app', 'oauth2', 'session'],
    level: 'read',
    limits: limits(),
    price: RECENT_COUNTS,
    query: CountsRequest,
    response: CountsAnswer,
  }),
  all: endpoint('GET', COUNTS_PATH.all, {
    authentication: ['app', 'session'],
    access: { levels: ARCHIVE_LEVELS, need: 'Counts of the whole archive need' },
    level: 'read',
    limits: limits(),
    price: ALL_COUNTS,
    query: CountsRequest,
    response: CountsAnswer,
  }),
};
