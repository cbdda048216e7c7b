import type { Json } from '#core/import/json.ts';
import { MEDIA_PATH } from '#server/media/media-json.ts';

/** Members of a medium that contain addresses, and those that contain objects with them. */
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'preview_image_url', 'variants']);

function withOrigin(value: unknown, origin: string): unknown {
  if (typeof value === 'string') return value.startsWith(MEDIA_PATH) ? origin + value : value;
  if (Array.isArray(value)) return value.map((each) => withOrigin(each, origin));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      ADDRESSES.has(name) ? withOrigin(each, origin) : each,
    ]),
  );
}

/**
 * An answer whose `includes.media` has whole addresses of this service's files. Other answers stay as they are.
 *
 * @param origin - Of this service, such as `http://127.0.0.1:4319`.
 */
export function withMediaAddresses(answer: unknown, origin: string): unknown {
  const { includes } = answer as { includes?: Json };
  const list = includes?.['media'];
  if (!Array.isArray(list)) return answer;
  return {
    ...(answer as object),
    includes: { ...includes, media: withOrigin(list, origin) },
  };
}
