import * as v from 'valibot';
import { bodyOf, idAt, objectAt } from '#contract/body.ts';
import { media_id } from './media-requests.ts';

/** Most characters of an alternative text (platform-openapi, AltText). */
const MOST_ALT_TEXT = 1000;

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
/** The description of a medium by its owner. */
export const MediaMetadata = objectAt('metadata', {
  ...stored,
  alt_text: altTextAt('metadata.alt_text'),
});
export type MediaMetadata = v.InferOutput<typeof MediaMetadata>;
export const MetadataRequest = bodyOf({ id: idAt('id'), metadata: v.exactOptional(MediaMetadata) });

/** Body of `POST /1.1/media/metadata/create.json`, as published clients send it. */
export const V1MetadataRequest = bodyOf({ media_id, alt_text: altTextAt('alt_text') });
