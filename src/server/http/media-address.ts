import { MEDIA_PATH } from '#server/media/media-json.ts';

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
 * An answer whose `includes.media` has whole addresses of this service's files. Other answers stay as they are.
 *
 * @param host - Host and port of this service.
 */
export function withMediaAddresses(answer: unknown, host: string): unknown {
  const { includes } = answer as { includes?: Json };
  const list = includes?.['media'];
  if (!Array.isArray(list)) return answer;
  return {
    ...(answer as object),
    includes: { ...includes, media: withHost(list, `http://${host}`) },
  };
}
