import {
  currencyOf,
  flagOf,
  listOf,
  microOf,
  namesOf,
  idOf,
  numberedOf,
  oneOf,
  textOf,
  timeOf,
  urlOf,
  wholeOf,
  zoneOf,
} from './ad-fields.ts';
import type { FieldValue, ReadField } from './ad-fields.ts';

/** A field of an advertiser entity. */
export interface AdField {
  /** Reads the parameter that sets it; absent for a field that the service derives. */
  readonly read?: ReadField;
  /** Whether creating the entity needs it. */
  readonly required?: true;
  /** Whether it can only be set when the entity is created. */
  readonly fixed?: true;
  /** The kind of entity of the same account that it names. The field of {@link AdKind.parent} needs no other mention. */
  readonly names?: 'ACCOUNT_MEDIA';
  /** Its value where none was given; null if absent. */
  readonly absent?: FieldValue;
}

type Fields = Readonly<Record<string, AdField>>;

/** Attributes by which listings can be sorted. */
export const SORTED = [
  'created_at',
  'updated_at',
  'deleted',
  'name',
  'start_time',
  'end_time',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'standard_delivery',
] as const;
export type Sorted = (typeof SORTED)[number];

/** A kind of advertiser entity. Fields, filters and codes: platform-facts and its additions, section 10. */
export interface AdKind {
  /** Last part of its path. */
  readonly path: string;
  /** Name of the member and of the path's parameter that identify it. */
  readonly key: string;
  /** Code of the 404 for an unknown one. */
  readonly missing: string;
  readonly fields: Fields;
  /** The parameter with up to 200 of its ids. */
  readonly ids: string;
  /** The field that names what it belongs to, and the listing parameter that filters by it. */
  readonly parent?: {
    readonly kind: 'FUNDING_INSTRUMENT' | 'CAMPAIGN' | 'LINE_ITEM';
    readonly field: string;
    readonly filter: string;
  };
  readonly sorted: readonly Sorted[];
  /** How many entities a page may have, and has by default. */
  readonly page: { readonly most: number; readonly usual: number };
  /** Reads in 15 minutes per user and per ad account. */
  readonly reads: number;
  /** Which of POST, PUT and DELETE it takes; none if absent. */
  readonly writes?: readonly ('create' | 'update' | 'remove')[];
  /** A parameter that creates one entity for each of its values. */
  readonly each?: { readonly parameter: string; readonly field: string; readonly most: number };
  /** Set if it can be deleted and keeps that in its member `deleted`. */
  readonly deletes: boolean;
}

const PAGE = { most: 1000, usual: 200 };
const CORE = 10_000;
const OTHER = 2000;
const DATES: readonly Sorted[] = ['created_at', 'updated_at', 'deleted'];
const FLIGHT: readonly Sorted[] = [
  'name',
  'start_time',
  'end_time',
  'daily_budget_amount_local_micro',
  'total_budget_amount_local_micro',
  'standard_delivery',
];
const STATUS: AdField = { read: oneOf(['ACTIVE', 'DRAFT', 'PAUSED']), absent: 'ACTIVE' };
const LIST: AdField = { absent: [] };

const CREATIVES = ['BANNER', 'INTERSTITIAL', 'PREROLL'];

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
  sorted: [...DATES, 'start_time', 'end_time'],
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
  deletes: true,
};

const LINE_ITEM: AdKind = {
  path: 'line_items',
  key: 'line_item_id',
  missing: 'LINE_ITEM_NOT_FOUND',
  ids: 'line_item_ids',
  parent: { kind: 'CAMPAIGN', field: 'campaign_id', filter: 'campaign_ids' },
  fields: {
    campaign_id: { read: idOf, required: true, fixed: true },
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
  sorted: [...DATES, ...FLIGHT],
  page: PAGE,
  reads: CORE,
  writes: ['create', 'update', 'remove'],
  deletes: true,
};

const ofLineItem = {
  kind: 'LINE_ITEM',
  field: 'line_item_id',
  filter: 'line_item_ids',
} as const;

const PROMOTED_TWEET: AdKind = {
  path: 'promoted_tweets',
  key: 'promoted_tweet_id',
  missing: 'PROMOTED_TWEET_NOT_FOUND',
  ids: 'promoted_tweet_ids',
  parent: ofLineItem,
  each: { parameter: 'tweet_ids', field: 'tweet_id', most: 50 },
  fields: {
    line_item_id: { read: idOf, required: true, fixed: true },
    tweet_id: {},
    entity_status: STATUS,
    approval_status: { absent: 'ACCEPTED' },
  },
  sorted: DATES,
  page: PAGE,
  reads: CORE,
  writes: ['create', 'update', 'remove'],
  deletes: true,
};

const MEDIA_CREATIVE: AdKind = {
  path: 'media_creatives',
  key: 'media_creative_id',
  missing: 'MEDIA_CREATIVE_NOT_FOUND',
  ids: 'media_creative_ids',
  parent: ofLineItem,
  fields: {
    line_item_id: { read: idOf, required: true, fixed: true },
    account_media_id: { read: idOf, required: true, fixed: true, names: 'ACCOUNT_MEDIA' },
    creative_type: { read: oneOf(CREATIVES), fixed: true },
    landing_url: { read: urlOf },
    approval_status: { absent: 'ACCEPTED' },
  },
  sorted: DATES,
  page: PAGE,
  reads: CORE,
  writes: ['create', 'update', 'remove'],
  deletes: true,
};

/** A kind that is only read. */
function listed(
  path: string,
  key: string,
  names: string,
  rules: Partial<Pick<AdKind, 'deletes' | 'page' | 'parent' | 'reads' | 'sorted'>> & {
    readonly ids?: string;
  } = {},
): AdKind {
  return {
    path,
    key,
    missing: 'NOT_FOUND',
    ids: `${key}s`,
    fields: Object.fromEntries(
      names
        .split(' ')
        .map((name) => [name.replace('[]', ''), name.endsWith('[]') ? LIST : {}] as const),
    ),
    sorted: DATES,
    page: PAGE,
    reads: OTHER,
    deletes: true,
    ...rules,
  };
}

const UNDELETED = { deletes: false, sorted: ['created_at', 'updated_at'] } as const;
const POSTS_PAGE = { most: 200, usual: 100 };

/** Every kind of advertiser entity, by the name that statistics use where they have one. */
export const AD_KINDS = {
  ACCOUNT,
  FUNDING_INSTRUMENT,
  CAMPAIGN,
  LINE_ITEM,
  PROMOTED_TWEET,
  MEDIA_CREATIVE,
  PROMOTABLE_USER: listed('promotable_users', 'promotable_user_id', 'user_id promotable_user_type'),
  ACCOUNT_MEDIA: {
    ...listed('account_media', 'account_media_id', 'media_url video_id creative_type', {
      ids: 'account_media_ids',
    }),
    fields: {
      media_url: { read: urlOf, required: true },
      video_id: { read: numberedOf },
      creative_type: { read: oneOf(CREATIVES), required: true },
    },
    writes: ['create', 'remove'],
  },
  MEDIA_LIBRARY: listed(
    'media_library',
    'media_key',
    'media_key name file_name media_url media_category media_type media_status tweeted',
    { page: { most: 50, usual: 20 } },
  ),
  SCHEDULED_TWEET: listed(
    'scheduled_tweets',
    'scheduled_tweet_id',
    'text user_id scheduled_at completed_at scheduled_status tweet_id nullcast media_keys[]',
    { page: POSTS_PAGE, ...UNDELETED },
  ),
  DRAFT_TWEET: listed('draft_tweets', 'draft_tweet_id', 'text user_id nullcast media_keys[]', {
    page: POSTS_PAGE,
    ...UNDELETED,
  }),
  CUSTOM_AUDIENCE: listed(
    'custom_audiences',
    'custom_audience_id',
    'name description audience_type audience_size targetable targetable_types[] reasons_not_targetable[] owner_account_id permission_level partner_source',
    { sorted: [...DATES, 'name'] },
  ),
  TARGETING_CRITERION: listed(
    'targeting_criteria',
    'targeting_criterion_id',
    'line_item_id name targeting_type targeting_value operator_type',
    { ids: 'targeting_criterion_ids', parent: ofLineItem, reads: 400 },
  ),
  TRACKING_TAG: listed(
    'tracking_tags',
    'tracking_tag_id',
    'line_item_id tracking_tag_type tracking_tag_url',
    { parent: ofLineItem },
  ),
  ACCOUNT_HISTORY: listed(
    'account_history',
    'account_history_id',
    'entity entity_id change_type user_id changed_at changed_fields[]',
    { ids: 'account_history_ids', ...UNDELETED },
  ),
} as const satisfies Record<string, AdKind>;
export type AdKindName = keyof typeof AD_KINDS;
