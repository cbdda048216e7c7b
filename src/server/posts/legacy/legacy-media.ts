import { object, objects, string, type Json } from '#core/import/json.ts';
import { MEDIA_PATH } from '#server/media/media-json.ts';
import { readJson } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { isMediaLink, legacyLinks, withText } from './legacy-values.ts';

/** The dependencies with which the media of a Post are read. */
export interface MediaDeps {
  readonly finder: PostFinder;
  /** Beginning of the addresses of this service's files, such as `http://localhost:8080`. */
  readonly host: string;
}

function videoInfo({ variants, duration_ms }: Json, whole: (address: unknown) => string): Json {
  return {
    video_info: {
      ...(typeof duration_ms === 'number' && { duration_millis: duration_ms }),
      variants: objects(variants).map(({ bit_rate, content_type, url }) => ({
        ...(bit_rate !== undefined && { bitrate: bit_rate }),
        content_type,
        url: whole(url),
      })),
    },
  };
}

/** The media of a Post as version 1.1 has them: where their link is in the text, at its end if there is none. */
export function legacyMedia(post: Json, { finder, host }: MediaDeps): Json[] {
  const keys = object(post.attachments)?.media_keys;
  const links = objects(object(post.entities)?.urls).filter(isMediaLink);
  const whole = (address: unknown): string =>
    String(address).startsWith(MEDIA_PATH) ? host + String(address) : String(address);
  return (Array.isArray(keys) ? keys.map(String) : []).flatMap((key) => {
    const media = readJson(finder.object('media', key));
    const file =
      string(media?.url) ?? string(media?.preview_image_url) ?? objects(media?.variants)[0]?.url;
    if (!media || file === undefined) return [];
    const address = whole(file);
    const { length } = Array.from(String(post.text));
    const link = links.find((each) => each.media_key === key) ?? links.at(-1);
    const [shown] = legacyLinks({ urls: [link ?? { url: address, start: length, end: length }] });
    const { width: w, height: h, type, alt_text } = media;
    return {
      ...withText('id', key.slice(key.indexOf('_') + 1)),
      media_url: address,
      media_url_https: address,
      ...shown,
      type,
      sizes:
        typeof w === 'number' && typeof h === 'number' ? { large: { w, h, resize: 'fit' } } : {},
      ...(string(alt_text) !== undefined && { ext_alt_text: alt_text }),
      ...(type !== 'photo' && videoInfo(media, whole)),
    };
  });
}
