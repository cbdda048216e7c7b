import type { Context } from 'hono';
import { MEDIA_PATH } from '#server/media/media-json.ts';
import { hostOf } from './origin.ts';

/** Members of a medium that contain addresses, and those that contain objects with them. */
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'preview_image_url', 'variants']);

type Json = Readonly<Record<string, unknown>>;

function withHost(value: unknown, host: string): unknown {
  if (typeof value === 'string') return value.startsWith(MEDIA_PATH) ? host + value : value;
  if (Array.isArray(value)) return value.map((one) => withHost(one, host));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      ADDRESSES.has(name) ? withHost(one, host) : one,
    ]),
  );
}

/**
 * An answer whose `includes.media` has whole addresses of this service's files, at the host that the request was sent
 * to. Other answers stay as they are.
 */
export function withMediaAddresses(answer: unknown, c: Context): unknown {
  const { includes } = answer as { includes?: Json };
  const list = includes?.['media'];
  if (!Array.isArray(list)) return answer;
  return {
    ...(answer as object),
    includes: { ...includes, media: withHost(list, `http://${hostOf(c)}`) },
  };
}
