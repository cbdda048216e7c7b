import type { StoredObject } from '#server/posts/store/object-table.ts';
import { mediaKey, typeInPosts } from './content.ts';
import { mediaFileName } from './media-files.ts';
import type { StoredMedia } from './media-table.ts';

/** Beginning of the path of a medium's file. Stored addresses have no host: each answer uses that of its request. */
export const MEDIA_PATH = '/media/';

function addressOf({ hash, content }: StoredMedia): string {
  if (hash === null || !content) throw new TypeError('expected media whose check succeeded');
  return MEDIA_PATH + mediaFileName(hash, content.format);
}

/**
 * A medium as Posts refer to it, to be stored with them. `hash` names its file; answers do not show it.
 *
 * @param media - Its check succeeded, and Posts may contain its category.
 * @param preview - An image that shows a video before it plays; null if there is none.
 */
export function mediaObject(media: StoredMedia, preview: StoredMedia | null): StoredObject {
  const { content, hash, size, metadata, category } = media;
  const address = addressOf(media);
  const key = mediaKey(media);
  const type = typeInPosts(category);
  if (!content || type === null) throw new TypeError(`expected media for Posts, got ${category}`);
  const { width, height, format, durationMs } = content;
  const altText = metadata.alt_text?.text;
  const rate = durationMs === undefined ? 0 : Math.round(((size ?? 0) * 8000) / durationMs);
  const moving = {
    variants: [{ bit_rate: rate, content_type: format, url: address }],
    ...(type === 'animated_gif' && { preview_image_url: address }),
    ...(preview && { preview_image_url: addressOf(preview) }),
  };
  const json = {
    media_key: key,
    type,
    width,
    height,
    ...(type === 'photo' ? { url: address } : moving),
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(type === 'video' && { public_metrics: { view_count: 0 } }),
    ...(altText !== undefined && { alt_text: altText }),
    hash,
  };
  return { kind: 'media', key, json: JSON.stringify(json) };
}
