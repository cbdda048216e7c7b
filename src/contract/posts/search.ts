import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { ARCHIVE_LEVELS } from '#contract/accounts/access.ts';
import { pageOf, PostObject } from '#contract/answers.ts';
import { endpoint } from '#contract/endpoint.ts';
import {
  choiceIn,
  id,
  instant,
  onlyParameters,
  QUERY,
  token,
  wholeBetween,
} from '#contract/parameters.ts';
import { POST_READ } from '#contract/counts/prices.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { POST_PARAMETERS, withSelection } from './selection.ts';

/** `recent`: last 7 days; `all`: the archive, as with counts (platform-facts section 4). */
export type SearchEndpoint = CountsEndpoint;

/** Posts per page (platform-facts section 4). */
export const PAGE_POSTS = {
  recent: { min: 10, max: 100, default: 10 },
  all: { min: 10, max: 500, default: 10 },
} as const;

/** `recency`: newest first. The platform does not define `relevancy`; here it is the same as `recency`. */
export const SORT_ORDERS = ['recency', 'relevancy'] as const;

function parametersOf(endpoint: SearchEndpoint) {
  const { min, max, default: few } = PAGE_POSTS[endpoint];
  return {
    query: QUERY,
    start_time: instant('start_time'),
    end_time: instant('end_time'),
    since_id: id('since_id'),
    until_id: id('until_id'),
    max_results: v.optional(wholeBetween('max_results', min, max), String(few)),
    next_token: token('next_token'),
    pagination_token: token('pagination_token'),
    sort_order: v.optional(choiceIn('sort_order', SORT_ORDERS), 'recency'),
    ...POST_PARAMETERS,
  };
}

function requestOf(endpoint: SearchEndpoint) {
  return v.pipe(onlyParameters(parametersOf(endpoint)), withSelection());
}

/**
 * Parameters of `GET /2/tweets/search/{recent,all}` (platform-facts section 4, platform-openapi). Messages are the
 * recorded ones where they exist (platform-facts 1.7).
 */
export const SearchRequest = { recent: requestOf('recent'), all: requestOf('all') };
export type SearchRequest = v.InferOutput<(typeof SearchRequest)['all']>;

/** Facts of a Post that an import has and the platform has no fields for: its address, and the name and username of its author. */
const PostOrigin = v.object({
  url: v.optional(v.string()),
  name: v.optional(v.string()),
  username: v.optional(v.string()),
});
export type PostOrigin = v.InferOutput<typeof PostOrigin>;

/** A Post of an answer, as far as the dashboard reads it. The dashboard requests `created_at`. */
export const AnswerPost = v.looseObject({
  id: v.string(),
  text: v.string(),
  created_at: Time,
  author_id: v.optional(v.string()),
  lang: v.optional(v.string()),
  public_metrics: v.optional(
    v.looseObject({
      retweet_count: v.optional(v.number()),
      like_count: v.optional(v.number()),
      reply_count: v.optional(v.number()),
    }),
  ),
  /** Of Your posts, for the dashboard alone. */
  origin: v.optional(PostOrigin),
});
export type AnswerPost = v.InferOutput<typeof AnswerPost>;

/** Answer of `GET /2/tweets/search/{recent,all}`. `data` is absent if nothing was found. */
export const SearchAnswer = v.object({
  data: v.optional(v.array(AnswerPost)),
  includes: v.optional(
    v.looseObject({
      users: v.optional(
        v.array(v.looseObject({ id: v.string(), name: v.string(), username: v.string() })),
      ),
    }),
  ),
  meta: v.object({
    newest_id: v.optional(v.string()),
    oldest_id: v.optional(v.string()),
    result_count: Whole,
    next_token: v.optional(v.string()),
  }),
});
export type SearchAnswer = v.InferOutput<typeof SearchAnswer>;

const QUARTER_HOUR = { windowSeconds: 900 };
const ALL_LIMIT = { requests: 300, ...QUARTER_HOUR };

/** Paths apart from the endpoints, whose rules the dashboard does not need. */
export const SEARCH_PATH = {
  recent: '/2/tweets/search/recent',
  all: '/2/tweets/search/all',
} as const;

/**
 * One page of Posts, newest first, from Your posts; `ofSource` gives the endpoints of other sources. Limits by
 * platform-facts 1.5, but as with counts this service does not enforce one request per second on `all`.
 */
export const SEARCH = {
  recent: endpoint('GET', SEARCH_PATH.recent, {
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    scopes: ['tweet.read', 'users.read'],
    level: 'read',
    limits: {
      app: { requests: 450, ...QUARTER_HOUR },
      user: { requests: 300, ...QUARTER_HOUR },
    },
    price: POST_READ,
    query: SearchRequest.recent,
    response: pageOf(PostObject),
  }),
  all: endpoint('GET', SEARCH_PATH.all, {
    authentication: ['app', 'session'],
    access: { levels: ARCHIVE_LEVELS, need: 'Search of the whole archive needs' },
    level: 'read',
    limits: { app: ALL_LIMIT, user: ALL_LIMIT },
    price: POST_READ,
    query: SearchRequest.all,
    response: pageOf(PostObject),
  }),
};
