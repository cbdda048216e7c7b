import {
  AD_ID,
  flagField,
  idField,
  listField,
  MEDIA_KEY,
  mediaKeyField,
  namesField,
  decimalIdField,
  choiceField,
  textField,
  timeField,
  urlField,
} from './ad-fields.ts';
import {
  CORE,
  DATES,
  ENTITY,
  LINE_ITEM_ID,
  MOST_IDS,
  OF_LINE_ITEM,
  STATUS,
  type AdFieldTable,
  type AdKind,
} from './ad-kind.ts';

// The contents of campaigns: promoted Posts, creatives, media, and Posts that are to be published.

const CREATIVES = [
  'BANNER',
  'BANNER_TABLET',
  'INTERSTITIAL',
  'INTERSTITIAL_LANDSCAPE',
  'INTERSTITIAL_LANDSCAPE_TABLET',
  'INTERSTITIAL_TABLET',
  'MEDIUM_RECTANGLE',
  'PREROLL',
  'VAST_PREROLL',
];

export const PROMOTED_TWEET: AdKind = {
  ...OF_LINE_ITEM,
  path: 'promoted_tweets',
  key: 'promoted_tweet_id',
  missing: 'PROMOTED_TWEET_NOT_FOUND',
  filters: [
    {
      parameter: 'campaign_ids',
      read: listField(MOST_IDS, AD_ID, 'an id'),
      by: { through: ['LINE_ITEM'] },
    },
  ],
  each: { parameter: 'tweet_ids', field: 'tweet_id', max: 50 },
  fields: {
    line_item_id: LINE_ITEM_ID,
    tweet_id: {},
    entity_status: STATUS,
    approval_status: { absent: 'ACCEPTED' },
  },
  reads: CORE,
  writes: ['create', 'update', 'remove'],
};

/** An account that a line item promotes (docs campaign-management/reference, promoted_accounts). */
export const PROMOTED_ACCOUNT: AdKind = {
  ...OF_LINE_ITEM,
  path: 'promoted_accounts',
  key: 'promoted_account_id',
  fields: {
    line_item_id: LINE_ITEM_ID,
    user_id: { read: decimalIdField, required: true, fixed: true },
    entity_status: STATUS,
    approval_status: { absent: 'ACCEPTED' },
  },
  writes: ['create', 'remove'],
};

/** A scheduled Post that a line item promotes once it is published (docs, scheduled_promoted_tweets). */
export const SCHEDULED_PROMOTED_TWEET: AdKind = {
  ...OF_LINE_ITEM,
  path: 'scheduled_promoted_tweets',
  key: 'scheduled_promoted_tweet_id',
  fields: {
    line_item_id: LINE_ITEM_ID,
    scheduled_tweet_id: {
      read: decimalIdField,
      required: true,
      fixed: true,
      names: 'SCHEDULED_TWEET',
    },
    tweet_id: {},
  },
  writes: ['create', 'remove'],
};

export const MEDIA_CREATIVE: AdKind = {
  ...OF_LINE_ITEM,
  path: 'media_creatives',
  key: 'media_creative_id',
  missing: 'MEDIA_CREATIVE_NOT_FOUND',
  filters: [{ parameter: 'campaign_id', read: idField, by: { through: ['LINE_ITEM'] } }],
  fields: {
    line_item_id: LINE_ITEM_ID,
    account_media_id: { read: idField, required: true, fixed: true, names: 'ACCOUNT_MEDIA' },
    creative_type: {},
    landing_url: { read: urlField },
    entity_status: STATUS,
    approval_status: { absent: 'ACCEPTED' },
  },
  reads: CORE,
  writes: ['create', 'update', 'remove'],
};

export const ACCOUNT_MEDIA: AdKind = {
  ...ENTITY,
  path: 'account_media',
  key: 'account_media_id',
  missing: 'ACCOUNT_MEDIA_NOT_FOUND',
  filters: [
    { parameter: 'creative_types', read: namesField(CREATIVES), by: { field: 'creative_type' } },
  ],
  fields: {
    media_id: { read: decimalIdField, hidden: true },
    media_url: { read: urlField },
    video_id: { read: mediaKeyField },
    creative_type: { read: choiceField(CREATIVES), required: true },
  },
  writes: ['create', 'remove'],
};

export const MEDIA_LIBRARY: AdKind = {
  ...ENTITY,
  path: 'media_library',
  key: 'media_key',
  keyed: true,
  missing: 'MEDIA_NOT_FOUND',
  filters: [
    {
      parameter: 'media_type',
      read: choiceField(['GIF', 'IMAGE', 'VIDEO']),
      by: { field: 'media_type' },
    },
  ],
  fields: {
    media_key: { read: mediaKeyField, required: true, fixed: true },
    name: { read: textField(100) },
    file_name: { read: textField(255) },
    title: { read: textField(70) },
    description: { read: textField(200) },
    media_url: {},
    media_category: {},
    media_type: {},
    media_status: {},
    duration: {},
    aspect_ratio: {},
    poster_media_key: { read: mediaKeyField },
    poster_media_url: {},
    tweeted: {},
  },
  sorted: [...DATES, 'name'],
  page: { max: 50, default: 20 },
  writes: ['create', 'update', 'remove'],
};

/** The members that scheduled Posts and drafts have in common. */
const UNPUBLISHED = {
  ...ENTITY,
  missing: 'TWEET_NOT_FOUND',
  decimal: true,
  filters: [{ parameter: 'user_id', read: decimalIdField, by: { field: 'user_id' } }],
  sorted: ['created_at', 'updated_at'],
  page: { max: 200, default: 100 },
  writes: ['create', 'update', 'remove'],
  deletes: false,
} as const;

const TEXT: AdFieldTable = {
  as_user_id: { read: decimalIdField, hidden: true, fixed: true },
  name: { read: textField(80) },
  // Rules of Posts say how long it may be.
  text: { read: textField(25_000), absent: '' },
  user_id: {},
  nullcast: { read: flagField, absent: true },
  card_uri: {},
  media_keys: { read: listField(4, MEDIA_KEY, 'a media key'), absent: [] },
};

export const SCHEDULED_TWEET: AdKind = {
  ...UNPUBLISHED,
  path: 'scheduled_tweets',
  key: 'scheduled_tweet_id',
  fields: {
    ...TEXT,
    scheduled_at: { read: timeField, required: true },
    scheduled_status: {},
    completed_at: {},
    tweet_id: {},
  },
};

export const DRAFT_TWEET: AdKind = {
  ...UNPUBLISHED,
  path: 'draft_tweets',
  key: 'draft_tweet_id',
  fields: TEXT,
};
