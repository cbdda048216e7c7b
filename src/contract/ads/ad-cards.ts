import { choiceField, idField, listField, urlField } from './ad-fields.ts';
import {
  DATES,
  MOST_IDS,
  ofLineItem,
  OTHER,
  PAGE,
  type AdFieldTable,
  type AdKind,
} from './ad-kind.ts';

// Calls to action and cards. Cards do not exist here, so that their listings are empty.

/** The call to action of a video before other videos (docs creatives/reference, preroll_call_to_actions). */
export const PREROLL_CALL_TO_ACTION: AdKind = {
  path: 'preroll_call_to_actions',
  key: 'preroll_call_to_action_id',
  missing: 'NOT_FOUND',
  ids: 'preroll_call_to_action_ids',
  parent: ofLineItem,
  fields: {
    line_item_id: { read: idField, required: true, fixed: true },
    call_to_action: {
      read: choiceField(['GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW']),
      required: true,
    },
    call_to_action_url: { read: urlField, required: true },
  },
  sorted: DATES,
  page: PAGE,
  reads: OTHER,
  writes: ['create', 'update', 'remove'],
  deletes: true,
};

const OF_CARDS = {
  key: 'card_id',
  missing: 'NOT_FOUND',
  ids: 'card_ids',
  search: 'beginning',
  sorted: [...DATES, 'name'],
  reads: OTHER,
  deletes: true,
} as const;
const CARD_FIELDS: AdFieldTable = { name: {}, card_type: {}, card_uri: {} };
const CONVERSATION: AdFieldTable = {
  ...CARD_FIELDS,
  title: {},
  first_cta: {},
  first_cta_tweet: {},
  thank_you_text: {},
  media_key: {},
  media_url: {},
};

export const IMAGE_CONVERSATION_CARD: AdKind = {
  ...OF_CARDS,
  path: 'cards/image_conversation',
  fields: CONVERSATION,
  page: PAGE,
};

export const VIDEO_CONVERSATION_CARD: AdKind = {
  ...OF_CARDS,
  path: 'cards/video_conversation',
  fields: { ...CONVERSATION, poster_media_url: {} },
  page: PAGE,
};

export const POLL_CARD: AdKind = {
  ...OF_CARDS,
  path: 'cards/poll',
  fields: { ...CARD_FIELDS, start_time: {}, end_time: {}, duration_in_minutes: {} },
  page: PAGE,
};

export const CARD: AdKind = {
  ...OF_CARDS,
  path: 'cards',
  filters: [
    {
      parameter: 'card_types',
      read: listField(20, /^[A-Z_]{1,50}$/, 'a type of cards'),
      by: { field: 'card_type' },
    },
    {
      parameter: 'card_uris',
      read: listField(MOST_IDS, /^card:\/\/\d{1,19}$/, 'the address of a card'),
      by: { field: 'card_uri' },
    },
  ],
  fields: { ...CARD_FIELDS, components: { absent: [] } },
  page: { max: 200, default: 100 },
};
