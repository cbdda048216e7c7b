import * as v from 'valibot';
import { DecimalId } from '#contract/members.ts';
import { bodyOf, choiceAt, idAt, objectAt } from '#contract/body.ts';
import { MEDIA_METADATA } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import {
  about,
  flag,
  missingParameter,
  NO_PARAMETERS,
  onlyParameters,
  pathOf,
  splitList,
} from '#contract/parameters.ts';

/** The purposes of media, in requests (platform-openapi, MediaCategory). */
export const MEDIA_CATEGORIES = [
  'amplify_video',
  'tweet_gif',
  'tweet_image',
  'tweet_video',
  'dm_gif',
  'dm_image',
  'dm_video',
  'subtitles',
] as const;
export type MediaCategory = (typeof MEDIA_CATEGORIES)[number];
const ONE_SHOT_CATEGORIES = ['tweet_image', 'dm_image', 'subtitles'] as const;

/** Types that a request may declare (platform-openapi, MediaUploadConfigRequest). The service checks the file itself. */
const MEDIA_TYPES = [
  'video/mp4',
  'video/webm',
  'video/mp2t',
  'video/quicktime',
  'text/srt',
  'text/vtt',
  'image/jpeg',
  'image/gif',
  'image/bmp',
  'image/png',
  'image/webp',
  'image/pjpeg',
  'image/tiff',
  'model/gltf-binary',
  'model/vnd.usdz+zip',
] as const;

/** Most bytes that a request may announce (platform-openapi, MediaUploadConfigRequest). */
const MOST_ANNOUNCED = 17_179_869_184;
/** The highest index of a segment (platform-openapi, MediaSegments). */
const LAST_SEGMENT = 999;
/** Most further accounts that may use a medium. */
const MOST_OWNERS = 100;
/** Most characters of an alternative text (platform-openapi, AltText). */
const MOST_ALT_TEXT = 1000;

/** A whole number, as JSON or, in a form, as digits. */
function wholeNumber(name: string, most: number) {
  const message = ({ input }: { input: unknown }): string =>
    `$.${name}: [${String(input)}] is not a whole number between 0 and ${most}`;
  return v.pipe(
    v.union(
      [
        v.number(),
        v.pipe(
          v.string(),
          v.regex(/^\d{1,11}$/),
          v.transform((text) => Number(text)),
        ),
      ],
      message,
    ),
    v.integer(message),
    v.minValue(0, message),
    v.maxValue(most, message),
  );
}

/** A boolean, as JSON or, in a form, as a word. */
function flagIn(name: string) {
  const message = ({ input }: { input: unknown }): string =>
    `$.${name}: must be a boolean, got ${JSON.stringify(input)}`;
  return v.union([v.boolean(), flag(name, message)], message);
}

/** Ids of accounts, as a list or, in a form, separated by commas. */
const owners = v.pipe(
  v.union(
    [
      v.pipe(v.array(v.unknown()), v.metadata({ element: idAt('additional_owners') })),
      v.pipe(v.string(), v.transform(splitList)),
    ],
    ({ received }) => `$.additional_owners: must be an array, got ${received}`,
  ),
  v.maxLength(MOST_OWNERS, `$.additional_owners: may have at most ${MOST_OWNERS} ids`),
  v.array(idAt('additional_owners')),
);

const ANNOUNCED = {
  media_type: v.exactOptional(choiceAt('media_type', MEDIA_TYPES)),
  media_category: v.exactOptional(choiceAt('media_category', MEDIA_CATEGORIES)),
  total_bytes: v.exactOptional(wholeNumber('total_bytes', MOST_ANNOUNCED)),
  additional_owners: v.exactOptional(owners),
  shared: v.exactOptional(flagIn('shared')),
};

/** Category by the declared type, where a request names none. */
function categoryFor(type: string): MediaCategory | null {
  if (type === 'image/gif') return 'tweet_gif';
  if (type.startsWith('image/')) return 'tweet_image';
  if (type.startsWith('video/')) return 'tweet_video';
  return type.startsWith('text/') ? 'subtitles' : null;
}

type Announced = { media_type?: string | undefined; media_category?: MediaCategory | undefined };

/** Adds the category by the type, where it is absent. */
function withCategory<T extends Announced>() {
  return v.rawTransform<T, T & { media_category: MediaCategory }>(
    ({ dataset: { value }, addIssue, NEVER }) => {
      const category = value.media_category ?? categoryFor(value.media_type ?? '');
      if (category) return { ...value, media_category: category };
      const key = 'media_category';
      addIssue({
        message: '$.media_category: is required where media_type does not determine it',
        path: [{ type: 'object', origin: 'value', input: value, key, value: undefined }],
      });
      return NEVER;
    },
  );
}

/** Body of `POST /2/media/upload/initialize`. */
const InitializeRequest = v.pipe(bodyOf(ANNOUNCED), withCategory());
export type InitializeRequest = v.InferOutput<typeof InitializeRequest>;

const SEGMENT = { segment_index: wholeNumber('segment_index', LAST_SEGMENT) };
/** The fields that `POST /2/media/upload/{id}/append` takes next to the file `media`. */
export const AppendFields = bodyOf(SEGMENT);
/** The fields that an upload in one request takes next to the file `media`. */
export const OneShotFields = bodyOf({
  ...ANNOUNCED,
  media_category: choiceAt('media_category', ONE_SHOT_CATEGORIES),
});

const media_id = idAt('media_id');
/** The older form of an upload in segments: one path, and a command that says what to do. */
export const CommandFields = {
  INIT: v.pipe(bodyOf({ command: v.literal('INIT'), ...ANNOUNCED }), withCategory()),
  APPEND: bodyOf({ command: v.literal('APPEND'), media_id, ...SEGMENT }),
  FINALIZE: bodyOf({ command: v.literal('FINALIZE'), media_id }),
};

const StatusParameters = {
  ...pathOf('media_id').entries,
  command: v.exactOptional(
    v.literal('STATUS', ({ input }) => `${about('command', input)} is not one of [STATUS]`),
  ),
};
const StatusRequest = onlyParameters(StatusParameters);

/** An alternative text, by the path of its member. */
function altTextAt(path: string) {
  const text = v.pipe(
    v.string(({ received }) => `$.${path}.text: must be a string, got ${received}`),
    v.check(
      (sent) => Array.from(sent).length <= MOST_ALT_TEXT,
      ({ input }) =>
        `$.${path}.text: may have at most ${MOST_ALT_TEXT} characters, got ${Array.from(input).length}`,
    ),
  );
  return v.exactOptional(objectAt(path, { text }));
}

/**
 * The metadata that a medium's owner may give and this service only stores (platform-openapi, MetadataCreateRequest).
 */
const STORED_METADATA = [
  'allow_download_status',
  'audience_policy',
  'content_expiration',
  'domain_restrictions',
  'found_media_origin',
  'geo_restrictions',
  'management_info',
  'preview_image',
  'sensitive_media_warning',
  'shared_info',
  'sticker_info',
  'upload_source',
] as const;
const stored = Object.fromEntries(
  STORED_METADATA.map((name) => [
    name,
    v.exactOptional(
      v.looseObject({}, ({ received }) => `$.metadata.${name}: must be an object, got ${received}`),
    ),
  ]),
);
const MediaMetadata = objectAt('metadata', {
  ...stored,
  alt_text: altTextAt('metadata.alt_text'),
});
export type MediaMetadata = v.InferOutput<typeof MediaMetadata>;
const MetadataRequest = bodyOf({ id: idAt('id'), metadata: v.exactOptional(MediaMetadata) });

/** Body of `POST /1.1/media/metadata/create.json`, as published clients send it. */
const V1MetadataRequest = bodyOf({ media_id, alt_text: altTextAt('alt_text') });

const ProcessingInfo = v.object({
  state: v.picklist(['pending', 'in_progress', 'succeeded', 'failed']),
  /** The state again: platform-openapi requires this member and says nothing else of it. */
  type: v.string(),
  check_after_secs: v.exactOptional(v.number()),
  progress_percent: v.exactOptional(v.number()),
  error: v.exactOptional(
    v.object({
      code: v.picklist([1, 3]),
      name: v.picklist(['InvalidMedia', 'UnsupportedMedia']),
      message: v.string(),
    }),
  ),
});

/** An image that needs no processing, pixels. */
const UploadedImage = v.object({ image_type: v.string(), w: v.number(), h: v.number() });

/** Answer to an upload and its steps; `meta` is empty, but platform-openapi requires it (MediaUploadResponse). */
const UploadAnswer = v.object({
  data: v.object({
    id: DecimalId,
    media_key: v.string(),
    /** Bytes. */
    size: v.exactOptional(v.number()),
    expires_after_secs: v.number(),
    processing_info: v.exactOptional(ProcessingInfo),
    image: v.exactOptional(UploadedImage),
  }),
  meta: v.object({}),
});
export type UploadAnswer = v.InferOutput<typeof UploadAnswer>;

/** Answer to a segment. `expires_at` in Unix seconds. */
const AppendAnswer = v.object({ data: v.object({ expires_at: v.number() }), meta: v.object({}) });
export type AppendAnswer = v.InferOutput<typeof AppendAnswer>;

/** {@link UploadAnswer} of version 1.1, where an id is a number and a text. Its state has no `type`. */
const V1UploadAnswer = v.object({
  media_id: v.pipe(v.number(), v.integer()),
  media_id_string: DecimalId,
  media_key: v.string(),
  size: v.exactOptional(v.number()),
  expires_after_secs: v.number(),
  processing_info: v.exactOptional(v.omit(ProcessingInfo, ['type'])),
  image: v.exactOptional(UploadedImage),
});
export type V1UploadAnswer = v.InferOutput<typeof V1UploadAnswer>;

const MetadataAnswer = v.object({
  data: v.object({ id: DecimalId, associated_metadata: MediaMetadata }),
});
export type MetadataAnswer = v.InferOutput<typeof MetadataAnswer>;

/** Limits by platform-facts-additions, section 3a. */
function limitsOf(user: number, appDay: number) {
  return {
    user: { requests: user, windowSeconds: 900 },
    appDay: { requests: appDay, windowSeconds: 86_400 },
  };
}

const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['media.write'],
  level: 'read-write',
  source: 'platform-facts-additions, section 3a',
} as const;

/** Uploads of media, in one request or in segments. */
export const MEDIA = {
  /** One request with the whole file, or one step of the older form, which names it as `command`. */
  upload: endpoint('POST', '/2/media/upload', {
    ...WRITING,
    limits: limitsOf(500, 50_000),
    response: v.union([UploadAnswer, AppendAnswer]),
    otherStatuses: [201],
  }),
  status: endpoint('GET', '/2/media/upload', {
    ...WRITING,
    level: 'read',
    limits: limitsOf(1000, 100_000),
    query: StatusRequest,
    response: UploadAnswer,
  }),
  initialize: endpoint('POST', '/2/media/upload/initialize', {
    ...WRITING,
    limits: limitsOf(1875, 180_000),
    query: NO_PARAMETERS,
    body: InitializeRequest,
    response: UploadAnswer,
  }),
  /** One segment, as a form or as JSON with the file in Base64. */
  append: endpoint('POST', '/2/media/upload/:id/append', {
    ...WRITING,
    limits: limitsOf(1875, 180_000),
    query: NO_PARAMETERS,
    response: AppendAnswer,
  }),
  /** Ends an upload in segments. 201 as recorded. Its body, if any, is not read. */
  finalize: endpoint('POST', '/2/media/upload/:id/finalize', {
    ...WRITING,
    limits: limitsOf(1875, 180_000),
    query: NO_PARAMETERS,
    response: UploadAnswer,
    status: 201,
  }),
  metadata: endpoint('POST', '/2/media/metadata', {
    price: MEDIA_METADATA,
    ...WRITING,
    limits: limitsOf(500, 50_000),
    query: NO_PARAMETERS,
    body: MetadataRequest,
    response: MetadataAnswer,
  }),
};

/**
 * Most bytes of a form with a file in Base64. The largest image has 7.0 million characters of it, and `+` and `/`, which
 * a form writes with three bytes, are one in 32 of them where the file is compressed, as images are.
 */
const MOST_IN_FORM = 8 * 2 ** 20;

/** Requests of version 1.1 are signed (tweepy `API`, twitter-api-v2 `v1`), and the same limits count them. */
function v1Of({ level, limits, source, budget }: (typeof MEDIA)[keyof typeof MEDIA]) {
  return { authentication: ['oauth1'], level, limits, source, budget } as const;
}

/**
 * Uploads of media by version 1.1, which Python's clients use. They are the same media. Parameters of uploads that it
 * does not know are ignored, because tweepy sends its own options as such.
 */
export const MEDIA_V1 = {
  /** One request with the whole file, as `media` or in Base64 as `media_data`, or one step, which `command` names. */
  upload: endpoint('POST', '/1.1/media/upload.json', {
    ...v1Of(MEDIA.upload),
    maxForm: MOST_IN_FORM,
    response: V1UploadAnswer,
    otherStatuses: [201, 202, 204],
  }),
  status: endpoint('GET', '/1.1/media/upload.json', {
    ...v1Of(MEDIA.status),
    query: v.object(StatusParameters, missingParameter('media_id')),
    response: V1UploadAnswer,
  }),
  /** Its answer has no body. */
  metadata: endpoint('POST', '/1.1/media/metadata/create.json', {
    ...v1Of(MEDIA.metadata),
    price: MEDIA_METADATA,
    query: NO_PARAMETERS,
    body: V1MetadataRequest,
  }),
};
