import * as v from 'valibot';
import { AD_ID, listField, parseTime, adIdInPath } from './ad-fields.ts';
import { ADVERTISER_BASE, expected, oneOf, parametersOf } from './advertising.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';
import { PLACEMENTS } from './ad-metrics.ts';

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
