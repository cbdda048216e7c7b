import * as v from 'valibot';
import { DecimalId } from '#contract/members.ts';
import { MEDIA_METADATA } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { missingParameter, NO_PARAMETERS } from '#contract/parameters.ts';
import { MediaMetadata, MetadataRequest, V1MetadataRequest } from './media-metadata.ts';
import { StatusRequest, InitializeRequest, StatusParameters } from './media-requests.ts';

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
