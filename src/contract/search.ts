import * as v from 'valibot';
import type { CountsEndpoint } from './counts.ts';
import { endpoint } from './endpoint.ts';
import { about, id, instant, QUERY, token, unknownOrMissing } from './parameters.ts';

/** `recent`: last 7 days; `all`: the archive, as with counts (platform-facts section 4). */
export type SearchEndpoint = CountsEndpoint;

/** Posts per page (platform-facts section 4). */
export const PAGE_POSTS = {
  recent: { least: 10, most: 100, default: 10 },
  all: { least: 10, most: 500, default: 10 },
} as const;

/** Fields that `tweet.fields` may name (platform-openapi, TweetFieldsParameter). */
export const POST_FIELDS = [
  'article',
  'attachments',
  'author_id',
  'card_uri',
  'community_id',
  'context_annotations',
  'conversation_id',
  'created_at',
  'display_text_range',
  'edit_controls',
  'edit_history_tweet_ids',
  'entities',
  'geo',
  'id',
  'in_reply_to_user_id',
  'lang',
  'matched_media_notes',
  'media_metadata',
  'non_public_metrics',
  'note_request_suggestions',
  'note_tweet',
  'organic_metrics',
  'paid_partnership',
  'possibly_sensitive',
  'promoted_metrics',
  'public_metrics',
  'referenced_tweets',
  'reply_settings',
  'scopes',
  'source',
  'suggested_source_links',
  'suggested_source_links_with_counts',
  'text',
  'withheld',
] as const;
export type PostField = (typeof POST_FIELDS)[number];

/** Fields that `user.fields` may name (platform-openapi, UserFieldsParameter). */
const USER_FIELDS = [
  'affiliation',
  'confirmed_email',
  'connection_status',
  'created_at',
  'description',
  'entities',
  'id',
  'is_identity_verified',
  'location',
  'most_recent_tweet_id',
  'name',
  'parody',
  'pinned_tweet_id',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'receives_your_dm',
  'subscription',
  'subscription_type',
  'url',
  'username',
  'verified',
  'verified_followers_count',
  'verified_type',
  'withheld',
] as const;

/** Fields that `media.fields`, `poll.fields` and `place.fields` may name (platform-openapi). */
const MEDIA_FIELDS = [
  'alt_text',
  'duration_ms',
  'height',
  'media_key',
  'non_public_metrics',
  'organic_metrics',
  'preview_image_url',
  'promoted_metrics',
  'public_metrics',
  'type',
  'url',
  'variants',
  'width',
] as const;
const POLL_FIELDS = ['duration_minutes', 'end_datetime', 'id', 'options', 'voting_status'] as const;
const PLACE_FIELDS = [
  'contained_within',
  'country',
  'country_code',
  'full_name',
  'geo',
  'id',
  'name',
  'place_type',
] as const;

/** Expansions that this service supports. */
export const EXPANSIONS = [
  'attachments.media_keys',
  'attachments.poll_ids',
  'author_id',
  'geo.place_id',
  'in_reply_to_user_id',
  'referenced_tweets.id',
  'referenced_tweets.id.author_id',
] as const;

/** Further expansions of the platform (platform-openapi, TweetExpansionsParameter). */
const OTHER_EXPANSIONS: readonly string[] = [
  'article.cover_media',
  'article.media_entities',
  'attachments.media_source_tweet',
  'edit_history_tweet_ids',
  'entities.mentions.username',
  'entities.note.mentions.username',
  'referenced_tweets.id.attachments.media_keys',
];

/** `recency`: newest first. The platform does not define `relevancy`; here it is the same as `recency`. */
export const SORT_ORDERS = ['recency', 'relevancy'] as const;

/** Names from a list, separated by commas. @param refuse - Gives the message for an unknown name. */
function listOf<T extends string>(
  parameter: string,
  known: readonly T[],
  refuse = (name: string): string => `${about(parameter, name)} is not one of [${known.join(',')}]`,
) {
  return v.optional(
    v.pipe(
      v.string(),
      v.rawTransform(({ dataset, addIssue, NEVER }) => {
        const named = dataset.value.split(',');
        const odd = named.find((name) => !known.some((one) => one === name));
        if (odd === undefined) return known.filter((one) => named.includes(one));
        addIssue({ message: refuse(odd) });
        return NEVER;
      }),
    ),
  );
}

function wholeBetween(parameter: string, least: number, most: number) {
  return v.pipe(
    v.string(),
    v.regex(/^-?\d{1,9}$/, (issue) => `${about(parameter, issue.input)} is not a valid Int`),
    v.transform(Number),
    v.check(
      (n) => n >= least && n <= most,
      (issue) => `${about(parameter, issue.input)} is not between ${least} and ${most}`,
    ),
  );
}

function parametersOf(endpoint: SearchEndpoint) {
  const { least, most, default: few } = PAGE_POSTS[endpoint];
  return {
    query: QUERY,
    start_time: instant('start_time'),
    end_time: instant('end_time'),
    since_id: id('since_id'),
    until_id: id('until_id'),
    max_results: v.optional(wholeBetween('max_results', least, most), String(few)),
    next_token: token('next_token'),
    pagination_token: token('pagination_token'),
    sort_order: v.optional(
      v.picklist(
        SORT_ORDERS,
        (issue) => `${about('sort_order', issue.input)} is not one of [${SORT_ORDERS.join(',')}]`,
      ),
      'recency',
    ),
    'tweet.fields': listOf('tweet.fields', POST_FIELDS),
    expansions: listOf('expansions', EXPANSIONS, (name) =>
      OTHER_EXPANSIONS.includes(name)
        ? `The expansion [${name}] is not supported yet: this service supports [${EXPANSIONS.join(',')}]`
        : `${about('expansions', name)} is not one of [${[...EXPANSIONS, ...OTHER_EXPANSIONS].join(',')}]`,
    ),
    'media.fields': listOf('media.fields', MEDIA_FIELDS),
    'poll.fields': listOf('poll.fields', POLL_FIELDS),
    'user.fields': listOf('user.fields', USER_FIELDS),
    'place.fields': listOf('place.fields', PLACE_FIELDS),
  };
}

function requestOf(endpoint: SearchEndpoint) {
  const parameters = parametersOf(endpoint);
  return v.strictObject(parameters, unknownOrMissing(parameters));
}

/**
 * Parameters of `GET /2/tweets/search/{recent,all}` (platform-facts section 4, platform-openapi). Lists of names are in
 * the order of the interface, not of the request. Messages are the recorded ones where they exist (platform-facts 1.7).
 */
export const SearchRequest = { recent: requestOf('recent'), all: requestOf('all') };
export type SearchRequest = v.InferOutput<(typeof SearchRequest)['all']>;

/** A Post of an answer, as far as the dashboard reads it. The dashboard requests `created_at`. */
export const AnswerPost = v.looseObject({
  id: v.string(),
  text: v.string(),
  created_at: v.pipe(v.string(), v.isoTimestamp()),
  author_id: v.optional(v.string()),
  lang: v.optional(v.string()),
  public_metrics: v.optional(
    v.looseObject({
      retweet_count: v.optional(v.number()),
      like_count: v.optional(v.number()),
    }),
  ),
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
    result_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    next_token: v.optional(v.string()),
  }),
});
export type SearchAnswer = v.InferOutput<typeof SearchAnswer>;

const QUARTER_HOUR = { windowSeconds: 900 };
const ALL_LIMIT = { requests: 300, ...QUARTER_HOUR };

/**
 * One page of Posts, newest first, from Your posts; `ofSource` gives the endpoints of other sources. Limits by
 * platform-facts 1.5, but as with counts this service does not enforce one request per second on `all`.
 */
export const SEARCH = {
  recent: endpoint('GET', '/2/tweets/search/recent', {
    authentication: ['app', 'user', 'session'],
    level: 'read',
    limits: {
      app: { requests: 450, ...QUARTER_HOUR },
      user: { requests: 300, ...QUARTER_HOUR },
    },
    query: SearchRequest.recent,
  }),
  all: endpoint('GET', '/2/tweets/search/all', {
    authentication: ['app', 'user', 'session'],
    archive: 'Search of the whole archive needs',
    level: 'read',
    limits: { app: ALL_LIMIT, user: ALL_LIMIT },
    query: SearchRequest.all,
  }),
};
