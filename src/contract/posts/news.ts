import * as v from 'valibot';
import { DecimalId, Time, Whole } from '#contract/members.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHours } from '#contract/paging.ts';
import { about, instant, onlyParameters, splitList, wholeBetween } from '#contract/parameters.ts';
import { answerWith, answerWithMany } from '#contract/answers.ts';

/**
 * Fields of a story: those of the platform (platform-openapi, NewsFieldsParameter), then this service's own. `id` and
 * `name` are in every answer.
 */
export const NEWS_FIELDS = [
  'category',
  'cluster_posts_results',
  'contexts',
  'disclaimer',
  'hook',
  'id',
  'keywords',
  'name',
  'summary',
  'updated_at',
  'start_time',
  'end_time',
  'post_count',
] as const;
export type NewsField = (typeof NEWS_FIELDS)[number];

/** The name of `updated_at` in the specification (Data objects). An answer has both. */
const TIME = 'last_updated_at_ms';

/** Longest query (platform-openapi, searchNews). */
const QUERY_LENGTH = 2048;

const fields = v.optional(
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const named = splitList(dataset.value).map((name) => (name === TIME ? 'updated_at' : name));
      const odd = named.find((name) => !NEWS_FIELDS.some((field) => field === name));
      if (odd === undefined) return NEWS_FIELDS.filter((field) => named.includes(field));
      addIssue({
        message: `${about('news.fields', odd)} is not one of [${NEWS_FIELDS.join(',')},${TIME}]`,
      });
      return NEVER;
    }),
  ),
);

const query = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== '', `Invalid 'query':''. 'query' must be a non-empty string`),
  v.check(
    (text) => Array.from(text).length <= QUERY_LENGTH,
    ({ input }) =>
      `Invalid 'query':'${input}'. 'query' must have at most ${QUERY_LENGTH} characters, got ${Array.from(input).length}`,
  ),
);

const SEARCH = {
  query,
  max_results: v.optional(wholeBetween('max_results', 1, 100), '10'),
  max_age_hours: v.optional(wholeBetween('max_age_hours', 1, 720), '168'),
  end_time: instant('end_time'),
  'news.fields': fields,
};
const ONE = { 'news.fields': fields };

/**
 * Parameters of `GET /2/news/search` (platform-facts, section 8). `end_time` is this service's own: the hours are counted
 * back from it, and from now without it.
 */
export const NewsRequest = onlyParameters(SEARCH);
export type NewsRequest = v.InferOutput<typeof NewsRequest>;

const texts = v.array(v.string());

/** A story in an answer (platform-openapi, News), with this service's own fields last. */
export const NewsObject = v.object({
  rest_id: DecimalId,
  id: DecimalId,
  name: v.string(),
  summary: v.optional(v.string()),
  hook: v.optional(v.string()),
  category: v.optional(v.string()),
  contexts: v.optional(
    v.object({
      entities: v.object({
        events: texts,
        organizations: texts,
        people: texts,
        places: texts,
        products: texts,
      }),
      finance: v.object({ tickers: texts }),
      sports: v.object({ teams: texts }),
      topics: texts,
    }),
  ),
  cluster_posts_results: v.optional(v.array(v.object({ post_id: DecimalId }))),
  keywords: v.optional(texts),
  disclaimer: v.optional(v.string()),
  last_updated_at_ms: v.optional(Time),
  updated_at: v.optional(Time),
  start_time: v.optional(Time),
  end_time: v.optional(Time),
  post_count: v.optional(Whole),
});
export type NewsObject = v.InferOutput<typeof NewsObject>;

const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: ['tweet.read', 'users.read'],
  level: 'read',
  limits: quarterHours(200),
  budget: 'news',
} as const;

/**
 * Stories of Your posts; `ofSource` gives the endpoints of the sample. The documents give no price for reading them.
 * Sources: platform-facts 1.5, sections 8 and 12.
 */
export const NEWS = {
  search: endpoint('GET', '/2/news/search', {
    ...READING,
    source: 'GET /2/news/search',
    query: NewsRequest,
    response: v.object({
      ...answerWithMany(NewsObject).entries,
      meta: v.object({ result_count: Whole }),
    }),
  }),
  one: endpoint('GET', '/2/news/:id', {
    ...READING,
    source: 'GET /2/news/{id}',
    query: onlyParameters(ONE),
    response: answerWith(NewsObject),
  }),
};
