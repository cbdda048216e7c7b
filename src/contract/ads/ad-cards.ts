import { choiceField, listField, urlField } from './ad-fields.ts';
import {
  DATES,
  ENTITY,
  LINE_ITEM_ID,
  MOST_IDS,
  OF_LINE_ITEM,
  type AdFieldTable,
  type AdKind,
} from './ad-kind.ts';

// Calls to action and cards. Cards do not exist here, so that their listings are empty.

/** The call to action of a video before other videos (docs creatives/reference, preroll_call_to_actions). */
export const PREROLL_CALL_TO_ACTION: AdKind = {
  ...OF_LINE_ITEM,
  path: 'preroll_call_to_actions',
  key: 'preroll_call_to_action_id',
  fields: {
    line_item_id: LINE_ITEM_ID,
    call_to_action: {
      read: choiceField(['GO_TO', 'SEE_MORE', 'SHOP', 'VISIT_SITE', 'WATCH_NOW']),
      required: true,
    },
    call_to_action_url: { read: urlField, required: true },
  },
  writes: ['create', 'update', 'remove'],
};

const OF_CARDS = {
  ...ENTITY,
  key: 'card_id',
  search: 'beginning',
  sorted: [...DATES, 'name'],
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
};

export const VIDEO_CONVERSATION_CARD: AdKind = {
  ...OF_CARDS,
  path: 'cards/video_conversation',
  fields: { ...CONVERSATION, poster_media_url: {} },
};

export const POLL_CARD: AdKind = {
  ...OF_CARDS,
  path: 'cards/poll',
  fields: { ...CARD_FIELDS, start_time: {}, end_time: {}, duration_in_minutes: {} },
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
