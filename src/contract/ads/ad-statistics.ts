import * as v from 'valibot';
import { AD_ID, listField, parseTime, adIdInPath } from './ad-fields.ts';
import { ADVERTISER_BASE, expected, oneOf, parametersOf } from './advertising.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';

/** Kinds of entities that have statistics (platform-facts-additions, section 10, like all in this file). */
export const STATISTICS_KINDS = [
  'ACCOUNT',
  'CAMPAIGN',
  'FUNDING_INSTRUMENT',
  'LINE_ITEM',
  'MEDIA_CREATIVE',
  'PROMOTED_ACCOUNT',
  'PROMOTED_TWEET',
] as const;

export const PLACEMENTS = ['ALL_ON_TWITTER', 'SPOTLIGHT', 'TREND'] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** The metrics of each group. */
export const METRICS = {
  ENGAGEMENT: [
    'impressions',
    'engagements',
    'clicks',
    'url_clicks',
    'likes',
    'replies',
    'retweets',
    'follows',
    'card_engagements',
    'app_clicks',
    'qualified_impressions',
    'carousel_swipes',
  ],
  BILLING: ['billed_engagements', 'billed_charge_local_micro'],
  VIDEO: [
    'video_total_views',
    'video_views_25',
    'video_views_50',
    'video_views_75',
    'video_views_100',
    'video_content_starts',
    'video_cta_clicks',
    'video_3s100pct_views',
    'video_6s_views',
    'video_15s_views',
  ],
} as const;
export type MetricGroup = keyof typeof METRICS;

/** The metrics of groups of which this service has no figures: they are null (docs analytics, metrics and segmentation). */
export const UNKNOWN_METRICS: Readonly<Record<string, readonly string[]>> = {
  WEB_CONVERSION: [
    'purchases',
    'sign_ups',
    'site_visits',
    'downloads',
    'custom',
    'add_to_carts',
    'checkouts_initiated',
    'content_views',
    'payment_info_additions',
    'add_to_wishlists',
    'searches',
    'landing_page_views',
    'subscriptions',
  ].map((name) => `conversion_${name}`),
  MOBILE_CONVERSION: [
    'spent_credits',
    'installs',
    'content_views',
    'add_to_wishlists',
    'checkouts_initiated',
    'reservations',
    'tutorials_completed',
    'achievements_unlocked',
    'searches',
    'add_to_carts',
    'payment_info_additions',
    're_engages',
    'shares',
    'rates',
    'logins',
    'updates',
    'levels_achieved',
    'invites',
    'key_page_views',
    'downloads',
    'purchases',
    'sign_ups',
    'site_visits',
  ].map((name) => `mobile_conversion_${name}`),
  LIFE_TIME_VALUE_MOBILE_CONVERSION: [
    'purchases',
    'sign_ups',
    'updates',
    'tutorials_completed',
    'reservations',
    'add_to_carts',
    'add_to_wishlists',
    'checkouts_initiated',
    'levels_achieved',
    'achievements_unlocked',
    'shares',
    'invites',
    'payment_info_additions',
    'spent_credits',
    'rates',
  ].map((name) => `mobile_conversion_lifetime_value_${name}`),
};
export type Metric = (typeof METRICS)[MetricGroup][number];

const GRANULARITIES = ['TOTAL', 'DAY', 'HOUR'] as const;

/** Most metric groups of a request, known or not. */
const MOST_GROUPS = 20;

/** Metric groups, in any case. */
const metricGroups = v.pipe(
  listField(MOST_GROUPS, /^\w{1,50}$/, 'a metric group')('metric_groups'),
  v.transform((groups) => groups.map((group) => group.toUpperCase())),
);

/** Years that figures can be of. */
export const FIRST_YEAR = 2006;
export const LAST_YEAR = 2099;

/** Most entities of a request. */
const MOST_ENTITIES = 20;

/** An instant, read as epoch ms. */
function time(name: string) {
  return v.pipe(
    v.string(),
    v.check((text) => parseTime(text) !== null, expected('time', name)),
    v.transform((text) => parseTime(text) ?? 0),
    // Offsets of a time zone are computed for all years up to a window.
    v.check(
      (at) => at >= Date.UTC(FIRST_YEAR) && at < Date.UTC(LAST_YEAR + 1),
      () => `Expected time from ${FIRST_YEAR} to ${LAST_YEAR} for ${name}`,
    ),
  );
}

const IDS = listField(MOST_ENTITIES, AD_ID, 'an id');
const WINDOW = { start_time: time('start_time'), end_time: time('end_time') };

const params = v.object({ account_id: adIdInPath('account_id') });
/** The rules that all statistics of an ad account have in common. */
export const OF_STATISTICS = {
  authentication: ['oauth1'],
  level: 'read',
  source: 'platform-facts-additions, section 10',
  params,
} as const;
const request = v.object({ params: v.record(v.string(), v.unknown()) });

/** Requests for statistics of a user, and of an ad account, in 15 minutes. */
export const STATISTICS_LIMIT = quarterHour(250);

/** The parameters of statistics, given at once or by a job. */
export const STATISTICS_PARAMETERS = {
  entity: oneOf('entity', STATISTICS_KINDS),
  entity_ids: IDS('entity_ids'),
  ...WINDOW,
  granularity: oneOf('granularity', GRANULARITIES),
  metric_groups: metricGroups,
  placement: oneOf('placement', PLACEMENTS),
};

const StatisticsRequest = parametersOf(STATISTICS_PARAMETERS);
export type StatisticsRequest = v.InferOutput<typeof StatisticsRequest>;

export const AD_STATISTICS = {
  stats: endpoint('GET', `${ADVERTISER_BASE}/stats/accounts/:account_id`, {
    ...OF_STATISTICS,
    limits: { user: STATISTICS_LIMIT },
    budget: 'statistics',
    query: StatisticsRequest,
    response: v.object({
      data_type: v.literal('stats'),
      time_series_length: v.number(),
      data: v.array(
        v.object({
          id: v.string(),
          id_data: v.array(
            v.object({
              segment: v.null(),
              metrics: v.record(v.string(), v.nullable(v.array(v.number()))),
            }),
          ),
        }),
      ),
      request,
    }),
  }),
  active: endpoint('GET', `${ADVERTISER_BASE}/stats/accounts/:account_id/active_entities`, {
    ...OF_STATISTICS,
    limits: { user: STATISTICS_LIMIT },
    budget: 'statistics',
    query: parametersOf({ entity: oneOf('entity', STATISTICS_KINDS), ...WINDOW }),
    response: v.object({
      request,
      data: v.array(
        v.object({
          entity_id: v.string(),
          activity_start_time: v.string(),
          activity_end_time: v.string(),
          placements: v.array(v.string()),
        }),
      ),
    }),
  }),
  reach: endpoint('GET', `${ADVERTISER_BASE}/stats/accounts/:account_id/reach/campaigns`, {
    ...OF_STATISTICS,
    limits: { user: STATISTICS_LIMIT },
    budget: 'statistics',
    query: parametersOf({ campaign_ids: IDS('campaign_ids'), ...WINDOW }),
    response: v.object({
      data_type: v.literal('reach'),
      request,
      data: v.array(
        v.object({
          id: v.string(),
          total_audience_reach: v.nullable(v.number()),
          average_frequency: v.nullable(v.number()),
        }),
      ),
    }),
  }),
};
