import { readId } from '#core/import/id.ts';
import { object, objects, string, type Json } from '#core/import/json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

/** An instant (epoch ms) as version 1.1 writes it: `Tue Mar 21 20:50:14 +0000 2006`. */
export function legacyTime(at: number): string {
  const [weekday, day, month, year, time] = new Date(at).toUTCString().split(/,? /);
  return `${weekday} ${month} ${day} ${time} +0000 ${year}`;
}

/** An id as a number and as text, both null if there is none. */
export function withText(name: string, id: string | null | undefined): Json {
  const number = readId(id ?? '');
  return { [name]: number, [`${name}_str`]: number === null ? null : String(number) };
}

/** The position of an entity in the text, by code points. */
function indicesOf({ start, end }: Json): Json {
  return { indices: [Number(start ?? 0), Number(end ?? 0)] };
}

function legacyLink(link: Json): Json {
  const url = string(link.url) ?? '';
  const { expanded_url = url, display_url = url } = link;
  return { url, expanded_url, display_url, ...indicesOf(link) };
}

export function legacyLinks(found: Json | null | undefined): Json[] {
  return objects(found?.urls).map(legacyLink);
}

/** True if a link shows a medium of the Post itself. */
export function isMediaLink({ media_key, display_url }: Json): boolean {
  return media_key !== undefined || /^pic\.(?:twitter|x)\.com\//.test(String(display_url));
}

/**
 * The entities of a text, apart from media. Of an unknown user, a mention has the username as the name.
 *
 * @param hasMedia - Whether media are listed, so that their links are not.
 */
export function legacyEntities(found: Json | null, finder: PostFinder, hasMedia: boolean): Json {
  const tags = (name: string): Json[] =>
    objects(found?.[name]).map((tag) => ({ text: tag.tag, ...indicesOf(tag) }));
  const mentions = objects(found?.mentions).map((mention) => {
    const id = string(mention.id);
    const stored = id === undefined ? null : finder.object('users', id);
    const user = stored === null ? null : object(JSON.parse(stored));
    return {
      screen_name: mention.username,
      name: string(user?.name) ?? mention.username,
      ...withText('id', id),
      ...indicesOf(mention),
    };
  });
  const urls = objects(found?.urls).filter((link) => !hasMedia || !isMediaLink(link));
  return {
    hashtags: tags('hashtags'),
    symbols: tags('cashtags'),
    user_mentions: mentions,
    urls: legacyLinks({ urls }),
  };
}
