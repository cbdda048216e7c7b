import {
  AD_ID,
  currencyOf,
  flagOf,
  idOf,
  listOf,
  microOf,
  namesOf,
  numberedOf,
  oneOf,
  textOf,
  timeOf,
  wholeOf,
  zoneOf,
} from './ad-fields.ts';
import { CUSTOM_AUDIENCE, TARGETING_CRITERION, TRACKING_TAG } from './ad-targeting.ts';
import {
  ACCOUNT_MEDIA,
  DRAFT_TWEET,
  MEDIA_CREATIVE,
  MEDIA_LIBRARY,
  PROMOTED_TWEET,
  SCHEDULED_TWEET,
} from './ad-creatives.ts';
import { CORE, DATES, LIST, MOST_IDS, OTHER, PAGE, STATUS } from './ad-kind.ts';
import type { AdKind, Sorted } from './ad-kind.ts';

const FLIGHT: readonly Sorted[] = [
  'name',
  'start_time',
  'end_time',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'standard_delivery',
];

/** Operations of a batch of campaigns or line items. */
const MOST_OPERATIONS = 40;

/** Time zone of an ad account that names none. */
export const USUAL_ZONE = 'America/Los_Angeles';

const ACCOUNT: AdKind = {
  path: 'accounts',
  key: 'account_id',
  missing: 'ACCOUNT_NOT_FOUND',
  ids: 'account_ids',
  fields: {
    name: { read: textOf(255), absent: 'Sandbox account' },
    business_name: { read: textOf(255) },
    business_id: {},
    timezone: { read: zoneOf, fixed: true, absent: USUAL_ZONE },
    timezone_switch_at: {},
    industry_type: { read: textOf(100) },
    approval_status: { absent: 'ACCEPTED' },
  },
  search: 'beginning',
  sorted: [...DATES, 'name'],
  page: PAGE,
  reads: OTHER,
  writes: ['create', 'update', 'remove'],
  deletes: true,
};

const FUNDING_INSTRUMENT: AdKind = {
  path: 'funding_instruments',
  key: 'funding_instrument_id',
  missing: 'FUNDING_INSTRUMENT_NOT_FOUND',
  ids: 'funding_instrument_ids',
  fields: {
    account_id: {},
    description: { read: textOf(255) },
    type: { read: oneOf(['CREDIT_CARD', 'CREDIT_LINE']), required: true, fixed: true },
    currency: { read: currencyOf, required: true, fixed: true },
    credit_limit_local_micro: { read: microOf },
    credit_remaining_local_micro: { read: microOf },
    funded_amount_local_micro: { read: microOf },
    start_time: { read: timeOf, required: true },
    end_time: { read: timeOf },
    entity_status: STATUS,
    able_to_fund: {},
    reasons_not_able_to_fund: LIST,
    io_header: { read: textOf(255) },
  },
  sorted: [...DATES, 'funded_amount_local_micro', 'start_time', 'end_time'],
  page: PAGE,
  reads: OTHER,
  writes: ['create', 'remove'],
  deletes: true,
};

const CAMPAIGN: AdKind = {
  path: 'campaigns',
  key: 'campaign_id',
  missing: 'CAMPAIGN_NOT_FOUND',
  ids: 'campaign_ids',
  parent: {
    kind: 'FUNDING_INSTRUMENT',
    field: 'funding_instrument_id',
    filter: 'funding_instrument_ids',
  },
  fields: {
    name: { read: textOf(255), required: true },
    budget_optimization: { read: oneOf(['CAMPAIGN', 'LINE_ITEM']), absent: 'LINE_ITEM' },
    start_time: { read: timeOf },
    end_time: { read: timeOf },
    daily_budget_amount_local_micro: { read: microOf },
    total_budget_amount_local_micro: { read: microOf },
    funding_instrument_id: { read: idOf, required: true, fixed: true },
    entity_status: STATUS,
    effective_status: {},
    servable: {},
    reasons_not_servable: LIST,
    standard_delivery: { read: flagOf, absent: true },
    duration_in_days: { read: wholeOf(1, 365) },
    frequency_cap: { read: wholeOf(1, 1000) },
    purchase_order_number: { read: textOf(50) },
    currency: {},
  },
  sorted: [...DATES, ...FLIGHT],
  page: PAGE,
  reads: CORE,
  writes: ['create', 'update', 'remove'],
  batch: MOST_OPERATIONS,
  deletes: true,
};

const LINE_ITEM: AdKind = {
  path: 'line_items',
  key: 'line_item_id',
  missing: 'LINE_ITEM_NOT_FOUND',
  ids: 'line_item_ids',
  parent: { kind: 'CAMPAIGN', field: 'campaign_id', filter: 'campaign_ids' },
  filters: [
    {
      parameter: 'funding_instrument_ids',
      read: listOf(MOST_IDS, AD_ID, 'an id'),
      by: { through: ['CAMPAIGN'] },
    },
  ],
  fields: {
    campaign_id: { read: idOf, required: true, fixed: true },
    funding_instrument_id: {},
    name: { read: textOf(255) },
    objective: {
      read: oneOf([
        'APP_ENGAGEMENTS',
        'APP_INSTALLS',
        'ENGAGEMENTS',
        'FOLLOWERS',
        'PREROLL_VIEWS',
        'REACH',
        'VIDEO_VIEWS',
        'WEBSITE_CLICKS',
      ]),
      required: true,
      fixed: true,
    },
    product_type: {
      read: oneOf(['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_TWEETS']),
      required: true,
      fixed: true,
    },
    placements: {
      read: namesOf([
        'ALL_ON_TWITTER',
        'PUBLISHER_NETWORK',
        'SPOTLIGHT',
        'TAP_BANNER',
        'TAP_FULL',
        'TREND',
        'TWITTER_PROFILE',
        'TWITTER_REPLIES',
        'TWITTER_SEARCH',
        'TWITTER_TIMELINE',
      ]),
      required: true,
    },
    goal: { read: textOf(50) },
    bid_strategy: { read: oneOf(['AUTO', 'MAX', 'TARGET']), absent: 'AUTO' },
    bid_amount_local_micro: { read: microOf },
    target_cpa_local_micro: { read: microOf },
    pay_by: { read: textOf(50) },
    start_time: { read: timeOf },
    end_time: { read: timeOf },
    daily_budget_amount_local_micro: { read: microOf },
    total_budget_amount_local_micro: { read: microOf },
    duration_in_days: { read: wholeOf(1, 365) },
    standard_delivery: { read: flagOf, absent: true },
    entity_status: STATUS,
    effective_status: {},
    servable: {},
    reasons_not_servable: LIST,
    creative_source: { read: oneOf(['MANUAL']), absent: 'MANUAL' },
    advertiser_user_id: { read: numberedOf },
    advertiser_domain: { read: textOf(255) },
    categories: { read: listOf(50, /^[\w-]{1,50}$/, 'a category'), absent: [] },
    frequency_cap: { read: wholeOf(1, 1000) },
    currency: {},
    android_app_store_identifier: { read: textOf(255) },
    ios_app_store_identifier: { read: textOf(255) },
    primary_web_event_tag: { read: textOf(50) },
    automatic_tweet_promotion: { read: flagOf },
  },
  sorted: [...DATES, ...FLIGHT, 'bid_amount_local_micro'],
  page: PAGE,
  reads: CORE,
  writes: ['create', 'update', 'remove'],
  batch: MOST_OPERATIONS,
  deletes: true,
};

const PROMOTABLE_USER: AdKind = {
  path: 'promotable_users',
  key: 'promotable_user_id',
  missing: 'PROMOTABLE_USER_NOT_FOUND',
  ids: 'promotable_user_ids',
  fields: { user_id: {}, promotable_user_type: {} },
  sorted: DATES,
  page: PAGE,
  reads: OTHER,
  deletes: true,
};

const ACCOUNT_HISTORY: AdKind = {
  path: 'account_history',
  key: 'account_history_id',
  missing: 'NOT_FOUND',
  ids: 'account_history_ids',
  filters: [
    { parameter: 'entity_type', read: textOf(50), by: { field: 'entity' } },
    { parameter: 'entity_id', read: idOf, by: { through: [] } },
    { parameter: 'user_id', read: numberedOf, by: { field: 'user_id' } },
  ],
  fields: {
    entity: {},
    entity_id: {},
    change_type: {},
    user_id: {},
    changed_at: {},
    changed_fields: LIST,
  },
  sorted: ['created_at', 'updated_at'],
  page: PAGE,
  reads: OTHER,
  deletes: false,
};

/** Every kind of advertiser entity, by the name that statistics use where they have one. */
export const AD_KINDS = {
  ACCOUNT,
  FUNDING_INSTRUMENT,
  CAMPAIGN,
  LINE_ITEM,
  PROMOTED_TWEET,
  MEDIA_CREATIVE,
  PROMOTABLE_USER,
  ACCOUNT_MEDIA,
  MEDIA_LIBRARY,
  SCHEDULED_TWEET,
  DRAFT_TWEET,
  CUSTOM_AUDIENCE,
  TARGETING_CRITERION,
  TRACKING_TAG,
  ACCOUNT_HISTORY,
} as const satisfies Record<string, AdKind>;
export type AdKindName = keyof typeof AD_KINDS;
