import {
  currencyField,
  flagField,
  idField,
  microField,
  decimalIdField,
  choiceField,
  textField,
  timeField,
  wholeField,
  zoneField,
} from './ad-fields.ts';
import {
  CARD,
  IMAGE_CONVERSATION_CARD,
  POLL_CARD,
  PREROLL_CALL_TO_ACTION,
  VIDEO_CONVERSATION_CARD,
} from './ad-cards.ts';
import {
  ACCOUNT_APP,
  CUSTOM_AUDIENCE,
  LINE_ITEM_CURATED_CATEGORY,
  TARGETING_CRITERION,
  TRACKING_TAG,
} from './ad-targeting.ts';
import {
  ACCOUNT_MEDIA,
  DRAFT_TWEET,
  MEDIA_CREATIVE,
  MEDIA_LIBRARY,
  PROMOTED_ACCOUNT,
  PROMOTED_TWEET,
  SCHEDULED_PROMOTED_TWEET,
  SCHEDULED_TWEET,
} from './ad-creatives.ts';
import { CORE, DATES, ENTITY, LIST, STATUS, type AdKind } from './ad-kind.ts';
import { FLIGHT, MOST_OPERATIONS, LINE_ITEM } from './ad-line-item.ts';

/** Time zone of an ad account that names none. */
export const USUAL_ZONE = 'America/Los_Angeles';

const ACCOUNT: AdKind = {
  ...ENTITY,
  path: 'accounts',
  key: 'account_id',
  missing: 'ACCOUNT_NOT_FOUND',
  fields: {
    name: { read: textField(255), absent: 'Sandbox account' },
    business_name: { read: textField(255) },
    business_id: {},
    timezone: { read: zoneField, fixed: true, absent: USUAL_ZONE },
    timezone_switch_at: {},
    industry_type: { read: textField(100) },
    approval_status: { absent: 'ACCEPTED' },
  },
  search: 'beginning',
  sorted: [...DATES, 'name'],
  writes: ['create', 'update', 'remove'],
};

const FUNDING_INSTRUMENT: AdKind = {
  ...ENTITY,
  path: 'funding_instruments',
  key: 'funding_instrument_id',
  missing: 'FUNDING_INSTRUMENT_NOT_FOUND',
  fields: {
    account_id: {},
    description: { read: textField(255) },
    type: { read: choiceField(['CREDIT_CARD', 'CREDIT_LINE']), required: true, fixed: true },
    currency: { read: currencyField, required: true, fixed: true },
    credit_limit_local_micro: { read: microField },
    credit_remaining_local_micro: { read: microField },
    funded_amount_local_micro: { read: microField },
    start_time: { read: timeField, required: true },
    end_time: { read: timeField },
    entity_status: STATUS,
    able_to_fund: {},
    reasons_not_able_to_fund: LIST,
    io_header: { read: textField(255) },
  },
  sorted: [...DATES, 'funded_amount_local_micro', 'start_time', 'end_time'],
  writes: ['create', 'remove'],
};

const CAMPAIGN: AdKind = {
  ...ENTITY,
  path: 'campaigns',
  key: 'campaign_id',
  missing: 'CAMPAIGN_NOT_FOUND',
  parent: {
    kind: 'FUNDING_INSTRUMENT',
    field: 'funding_instrument_id',
    filter: 'funding_instrument_ids',
  },
  fields: {
    name: { read: textField(255), required: true },
    budget_optimization: { read: choiceField(['CAMPAIGN', 'LINE_ITEM']), absent: 'LINE_ITEM' },
    start_time: { read: timeField },
    end_time: { read: timeField },
    daily_budget_amount_local_micro: { read: microField },
    total_budget_amount_local_micro: { read: microField },
    funding_instrument_id: { read: idField, required: true, fixed: true },
    entity_status: STATUS,
    effective_status: {},
    servable: {},
    reasons_not_servable: LIST,
    standard_delivery: { read: flagField, absent: true },
    duration_in_days: { read: wholeField(1, 365) },
    frequency_cap: { read: wholeField(1, 1000) },
    purchase_order_number: { read: textField(50) },
    currency: {},
  },
  sorted: [...DATES, ...FLIGHT],
  reads: CORE,
  writes: ['create', 'update', 'remove'],
  batch: MOST_OPERATIONS,
};

const PROMOTABLE_USER: AdKind = {
  ...ENTITY,
  path: 'promotable_users',
  key: 'promotable_user_id',
  missing: 'PROMOTABLE_USER_NOT_FOUND',
  fields: { user_id: {}, promotable_user_type: {} },
};

const ACCOUNT_HISTORY: AdKind = {
  ...ENTITY,
  path: 'account_history',
  key: 'account_history_id',
  filters: [
    { parameter: 'entity_type', read: textField(50), by: { field: 'entity' } },
    { parameter: 'entity_id', read: idField, by: { through: [] } },
    { parameter: 'user_id', read: decimalIdField, by: { field: 'user_id' } },
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
  ACCOUNT_APP,
  LINE_ITEM_CURATED_CATEGORY,
  PROMOTED_ACCOUNT,
  SCHEDULED_PROMOTED_TWEET,
  PREROLL_CALL_TO_ACTION,
  // Their paths are not ids of cards, so they come before these.
  IMAGE_CONVERSATION_CARD,
  VIDEO_CONVERSATION_CARD,
  POLL_CARD,
  CARD,
} as const satisfies Record<string, AdKind>;
export type AdKindName = keyof typeof AD_KINDS;
