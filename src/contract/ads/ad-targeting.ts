import { choiceField, textField, urlField } from './ad-fields.ts';
import { DATES, ENTITY, LINE_ITEM_ID, OF_LINE_ITEM, type AdKind } from './ad-kind.ts';

// The users that line items reach, and those who are notified of it.

/** The operations that a type of targeting allows. */
interface TargetingRule {
  /** Operators besides EQ. */
  readonly operators?: readonly ('NE' | 'GTE' | 'LT')[];
  /** True if EQ is not allowed. */
  readonly excludes?: true;
  /** Form of its values, and what messages call it; any text if absent. */
  readonly value?: { readonly form: RegExp; readonly what: string };
}

const USER = { form: /^[0-9]{1,19}$/, what: 'the decimal id of a user' };
const CODE = { form: /^[\w.:-]{1,100}$/, what: 'a code of letters, digits and . : _ -' };
const EXCLUDABLE: TargetingRule = { operators: ['NE'] };
const CODED: TargetingRule = { operators: ['NE'], value: CODE };

/** Types of targeting (docs campaign-management/reference, POST targeting_criteria). */
export const TARGETING_TYPES: Readonly<Record<string, TargetingRule>> = {
  AGE: {
    value: { form: /^AGE_(?:OVER_)?\d\d(?:_TO_\d\d)?$/, what: 'an age such as AGE_21_TO_34' },
  },
  APP_LIST: { operators: ['NE'], excludes: true, value: CODE },
  APP_STORE_CATEGORY: CODED,
  APP_STORE_CATEGORY_LOOKALIKE: CODED,
  BROAD_KEYWORD: EXCLUDABLE,
  CAMPAIGN_ENGAGEMENT: { value: CODE },
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: { value: CODE },
  CONVERSATION: CODED,
  CUSTOM_AUDIENCE: CODED,
  CUSTOM_AUDIENCE_EXPANDED: { value: CODE },
  DEVICE: CODED,
  ENGAGEMENT_TYPE: { value: CODE },
  EVENT: CODED,
  EXACT_KEYWORD: EXCLUDABLE,
  FOLLOWERS_OF_USER: { operators: ['NE'], value: USER },
  GENDER: { value: { form: /^[12]$/, what: '1 (male) or 2 (female)' } },
  INTEREST: CODED,
  LANGUAGE: { value: { form: /^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, what: 'a language such as en' } },
  LIVE_TV_EVENT: CODED,
  LOCATION: CODED,
  NETWORK_ACTIVATION_DURATION: {
    operators: ['GTE', 'LT'],
    value: { form: /^\d{1,3}$/, what: 'a number of months' },
  },
  NETWORK_OPERATOR: CODED,
  PHRASE_KEYWORD: EXCLUDABLE,
  PLATFORM: CODED,
  PLATFORM_VERSION: { operators: ['NE', 'GTE'], value: CODE },
  SIMILAR_TO_FOLLOWERS_OF_USER: { operators: ['NE'], value: USER },
  TV_SHOW: CODED,
  UNORDERED_KEYWORD: EXCLUDABLE,
  USER_ENGAGEMENT: { operators: ['NE'], value: USER },
  USER_ENGAGEMENT_LOOKALIKE: { value: USER },
  WIFI_ONLY: { value: { form: /^[01]$/, what: '0 or 1' } },
};

export const TARGETING_CRITERION: AdKind = {
  ...OF_LINE_ITEM,
  path: 'targeting_criteria',
  key: 'targeting_criterion_id',
  missing: 'TARGETING_CRITERION_NOT_FOUND',
  fields: {
    line_item_id: LINE_ITEM_ID,
    name: {},
    operator_type: { read: choiceField(['EQ', 'GTE', 'LT', 'NE']), absent: 'EQ' },
    targeting_type: { read: choiceField(Object.keys(TARGETING_TYPES)), required: true },
    targeting_value: { read: textField(255), required: true },
  },
  reads: 400,
  writes: ['create', 'remove'],
  batch: 500,
};

export const CUSTOM_AUDIENCE: AdKind = {
  ...ENTITY,
  path: 'custom_audiences',
  key: 'custom_audience_id',
  missing: 'TAILORED_AUDIENCE_NOT_FOUND',
  search: 'beginning',
  fields: {
    name: { read: textField(255), required: true },
    description: { read: textField(1000) },
    audience_type: { absent: 'CRM' },
    audience_size: {},
    targetable: { absent: false },
    targetable_types: { absent: ['CRM', 'EXCLUDED_CRM'] },
    // A new audience has no users, and nothing here adds some.
    reasons_not_targetable: { absent: ['TOO_SMALL'] },
    owner_account_id: {},
    permission_level: { absent: 'READ_WRITE' },
    partner_source: { absent: 'OTHER' },
  },
  sorted: [...DATES, 'name'],
  writes: ['create', 'update', 'remove'],
};

/** A mobile app that a line item advertises (docs campaign-management/reference, account_apps). */
export const ACCOUNT_APP: AdKind = {
  ...ENTITY,
  path: 'account_apps',
  key: 'account_app_id',
  fields: {
    app_store_identifier: {},
    os_type: {},
    conversion_tracking_enabled: { absent: false },
    deep_link_pattern: {},
  },
};

/** The categories of publishers that a line item runs with. There are none here, so that the listing is empty. */
export const LINE_ITEM_CURATED_CATEGORY: AdKind = {
  ...OF_LINE_ITEM,
  path: 'line_item_curated_categories',
  key: 'line_item_curated_category_id',
  fields: { line_item_id: {}, curated_category_id: {} },
};

export const TRACKING_TAG: AdKind = {
  ...OF_LINE_ITEM,
  path: 'tracking_tags',
  key: 'tracking_tag_id',
  fields: {
    line_item_id: LINE_ITEM_ID,
    tracking_tag_type: {
      read: choiceField(['CLICK_TRACKER', 'IMPRESSION_TAG']),
      required: true,
      fixed: true,
    },
    tracking_tag_url: { read: urlField, required: true },
  },
  writes: ['create', 'update', 'remove'],
};
