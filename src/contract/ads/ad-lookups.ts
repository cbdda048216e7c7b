import * as v from 'valibot';
import {
  AD_ID,
  decimalIdField,
  flagField,
  listField,
  adIdInPath,
  textField,
  timeField,
} from './ad-fields.ts';
import { MOST_IDS, OTHER, PAGE } from './ad-kind.ts';
import { ADVERTISER_BASE, listAnswer, oneOf, paged, parametersOf } from './advertising.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';

// Listings of what advertisers choose from, and of what belongs to an audience (docs campaign-management/reference,
// targeting options; docs audiences/reference; docs creatives/reference, tweets).

/** Reads in 15 minutes of what is the same for all ad accounts, and of what can be targeted. */
const GLOBAL = 5;
const TARGETED = 400;

const q = v.optional(textField(255)('q'));
/** A list of codes of ISO 3166-1, in any case. */
const countryCodes = (most: number) => listField(most, /^[A-Za-z]{2}$/, 'a country code');
const country = v.optional(countryCodes(1)('country_code'));
const withTotal = { with_total_count: v.optional(flagField('with_total_count')) };

const RULES = {
  authentication: ['oauth1'],
  level: 'read',
  source: 'platform-facts, section 10',
} as const;

/** A listing that is the same for all ad accounts. */
function everywhere<T extends v.ObjectEntries>(path: string, reads: number, entries: T) {
  return endpoint('GET', `${ADVERTISER_BASE}/${path}`, {
    ...RULES,
    limits: { user: quarterHour(reads) },
    query: parametersOf(entries),
    response: listAnswer(v.looseObject({ name: v.string() })),
  });
}

const OF_ACCOUNT = v.object({ account_id: adIdInPath('account_id') });

/** A listing of an ad account. */
function ofAccount<T extends v.ObjectEntries, U extends v.GenericSchema>(
  path: string,
  entries: T,
  item: U,
) {
  return endpoint('GET', `${ADVERTISER_BASE}/accounts/:account_id/${path}`, {
    ...RULES,
    limits: { user: quarterHour(OTHER) },
    params: OF_ACCOUNT,
    query: parametersOf(entries),
    response: listAnswer(item),
  });
}

/** A listing of a custom audience. */
function ofAudience<T extends v.ObjectEntries, U extends v.GenericSchema>(
  path: string,
  entries: T,
  item: U,
) {
  return endpoint(
    'GET',
    `${ADVERTISER_BASE}/accounts/:account_id/custom_audiences/:custom_audience_id/${path}`,
    {
      ...RULES,
      limits: { user: quarterHour(OTHER) },
      params: v.object({
        ...OF_ACCOUNT.entries,
        custom_audience_id: adIdInPath('custom_audience_id'),
      }),
      query: parametersOf(entries),
      response: listAnswer(item),
    },
  );
}

/** Kinds of places. Of all but countries there are none here. */
const LOCATION_TYPES = ['COUNTRIES', 'REGIONS', 'METROS', 'CITIES', 'POSTAL_CODES'] as const;

const EVENT_TYPES = [
  'CONFERENCE',
  'HOLIDAY',
  'MUSIC_AND_ENTERTAINMENT',
  'OTHER',
  'POLITICS',
  'RECURRING',
  'SPORTS',
];

/** The values that line items can target, by the type of targeting. */
export const TARGETING_LOOKUPS = {
  CONVERSATION: everywhere('targeting_criteria/conversations', TARGETED, {
    ...paged(PAGE),
    conversation_type: v.optional(textField(50)('conversation_type')),
    q,
  }),
  EVENT: everywhere('targeting_criteria/events', TARGETED, {
    ...paged(PAGE),
    event_types: v.optional(
      listField(
        EVENT_TYPES.length,
        new RegExp(`^(?:${EVENT_TYPES.join('|')})$`),
        'a type of event',
      )('event_types'),
    ),
    country_codes: v.optional(countryCodes(MOST_IDS)('country_codes')),
    start_time: v.optional(timeField('start_time')),
    end_time: v.optional(timeField('end_time')),
  }),
  INTEREST: everywhere('targeting_criteria/interests', TARGETED, { ...paged(PAGE), q }),
  LANGUAGE: everywhere('targeting_criteria/languages', TARGETED, { ...paged(PAGE), q }),
  LOCATION: everywhere('targeting_criteria/locations', TARGETED, {
    ...paged(PAGE),
    country_code: country,
    location_type: v.optional(oneOf('location_type', LOCATION_TYPES)),
    q,
  }),
  NETWORK_OPERATOR: everywhere('targeting_criteria/network_operators', TARGETED, {
    ...paged(PAGE),
    country_code: country,
    q,
  }),
  TV_SHOW: everywhere('targeting_criteria/tv_shows', TARGETED, {
    ...paged({ max: 50, default: 50 }),
    tv_market_locale: v.optional(textField(20)('tv_market_locale')),
    q,
  }),
};
export type TargetedType = keyof typeof TARGETING_LOOKUPS;

export const TWEET_TYPES = ['DRAFT', 'PUBLISHED', 'SCHEDULED'] as const;

export const AD_LOOKUPS = {
  ...TARGETING_LOOKUPS,
  iabCategories: everywhere('iab_categories', GLOBAL, { ...paged(PAGE), ...withTotal }),
  features: ofAccount(
    'features',
    { feature_keys: v.optional(textField(1000)('feature_keys')) },
    v.string(),
  ),
  tweets: ofAccount(
    'tweets',
    {
      ...paged(PAGE),
      tweet_type: oneOf('tweet_type', TWEET_TYPES),
      tweet_ids: v.optional(listField(MOST_IDS, /^\d{1,19}$/, 'a decimal id')('tweet_ids')),
      user_id: v.optional(decimalIdField('user_id')),
      name: v.optional(textField(80)('name')),
      timeline_type: v.optional(oneOf('timeline_type', ['ALL', 'NULLCAST', 'ORGANIC'])),
      include_mentions_and_replies: v.optional(flagField('include_mentions_and_replies')),
      trim_user: v.optional(flagField('trim_user')),
      tweet_mode: v.optional(oneOf('tweet_mode', ['compat', 'extended'])),
    },
    v.looseObject({ tweet_type: v.string() }),
  ),
  permissions: ofAudience(
    'permissions',
    {
      ...paged(PAGE),
      ...withTotal,
      granted_account_ids: v.optional(listField(MOST_IDS, AD_ID, 'an id')('granted_account_ids')),
      custom_audience_permission_ids: v.optional(
        listField(MOST_IDS, AD_ID, 'an id')('custom_audience_permission_ids'),
      ),
    },
    v.looseObject({ id: v.string() }),
  ),
  targeted: ofAudience(
    'targeted',
    { ...paged(PAGE), with_active: v.optional(flagField('with_active')) },
    v.object({
      campaign_id: v.string(),
      campaign_name: v.nullable(v.string()),
      line_items: v.array(
        v.object({ id: v.string(), name: v.nullable(v.string()), servable: v.boolean() }),
      ),
    }),
  ),
};
