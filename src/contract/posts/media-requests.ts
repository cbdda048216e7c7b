import * as v from 'valibot';
import { bodyOf, choiceAt, idAt } from '#contract/body.ts';
import { about, flag, onlyParameters, pathOf, splitList } from '#contract/parameters.ts';

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
export const InitializeRequest = v.pipe(bodyOf(ANNOUNCED), withCategory());
export type InitializeRequest = v.InferOutput<typeof InitializeRequest>;

const SEGMENT = { segment_index: wholeNumber('segment_index', LAST_SEGMENT) };
/** The fields that `POST /2/media/upload/{id}/append` takes next to the file `media`. */
export const AppendFields = bodyOf(SEGMENT);
/** The fields that an upload in one request takes next to the file `media`. */
export const OneShotFields = bodyOf({
  ...ANNOUNCED,
  media_category: choiceAt('media_category', ONE_SHOT_CATEGORIES),
});

export const media_id = idAt('media_id');
/** The older form of an upload in segments: one path, and a command that says what to do. */
export const CommandFields = {
  INIT: v.pipe(bodyOf({ command: v.literal('INIT'), ...ANNOUNCED }), withCategory()),
  APPEND: bodyOf({ command: v.literal('APPEND'), media_id, ...SEGMENT }),
  FINALIZE: bodyOf({ command: v.literal('FINALIZE'), media_id }),
};

/** The parameters of the state of a check. */
export const StatusParameters = {
  ...pathOf('media_id').entries,
  command: v.exactOptional(
    v.literal('STATUS', ({ input }) => `${about('command', input)} is not one of [STATUS]`),
  ),
};
export const StatusRequest = onlyParameters(StatusParameters);
