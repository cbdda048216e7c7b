import { object, string, type Json } from '#core/import/json.ts';
import type { PostRow } from '#server/posts/store/post-table.ts';
import { readJson } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { userJson } from '#server/posts/json/user-json.ts';
import { legacyLinks, legacyTime, withText } from './legacy-values.ts';

const NO_PICTURE = 'https://abs.twimg.com/sticky/default_profile_images/default_profile_normal.png';

/** Fields of version 2 that have a counterpart. */
const FIELDS = [
  'created_at',
  'description',
  'entities',
  'location',
  'profile_banner_url',
  'profile_image_url',
  'protected',
  'public_metrics',
  'url',
  'verified',
  'withheld',
] as const;

/** The values that nobody can set any more: of a profile with the default theme and a viewer who is not signed in. */
const CONSTANT = {
  utc_offset: null,
  time_zone: null,
  geo_enabled: false,
  lang: null,
  contributors_enabled: false,
  is_translator: false,
  is_translation_enabled: false,
  profile_background_color: 'F5F8FA',
  profile_background_image_url: '',
  profile_background_image_url_https: '',
  profile_background_tile: false,
  profile_link_color: '1DA1F2',
  profile_sidebar_border_color: 'C0DEED',
  profile_sidebar_fill_color: 'DDEEF6',
  profile_text_color: '333333',
  profile_use_background_image: true,
  has_extended_profile: false,
  default_profile: true,
  following: null,
  follow_request_sent: null,
  notifications: null,
  translator_type: 'none',
} as const;

function countIn(metrics: Json | null, name: string): number {
  const count = metrics?.[name];
  return typeof count === 'number' ? count : 0;
}

/** The author of a Post as version 1.1 has it; null if neither its id nor its username is known. */
export function legacyAuthor({ authorId, username }: PostRow, finder: PostFinder): Json | null {
  const id = authorId ?? (username === null ? null : finder.userId(username.toLowerCase()));
  if (id === null && username === null) return null;
  const stored = id === null ? null : readJson(finder.object('users', id));
  const user = userJson(
    { ...stored, id, username: string(stored?.username) ?? username },
    FIELDS,
    finder,
  );
  const metrics = object(user.public_metrics);
  const entities = object(user.entities);
  const picture = string(user.profile_image_url) ?? NO_PICTURE;
  const banner = string(user.profile_banner_url);
  const created = Date.parse(String(user.created_at));
  const countries = object(user.withheld)?.country_codes;
  return {
    ...withText('id', id),
    name: user.name ?? null,
    screen_name: user.username ?? null,
    location: user.location ?? '',
    description: user.description ?? '',
    url: user.url ?? null,
    entities: {
      ...(string(user.url) !== undefined && { url: { urls: legacyLinks(object(entities?.url)) } }),
      description: { urls: legacyLinks(object(entities?.description)) },
    },
    protected: user.protected === true,
    followers_count: countIn(metrics, 'followers_count'),
    friends_count: countIn(metrics, 'following_count'),
    listed_count: countIn(metrics, 'listed_count'),
    created_at: Number.isNaN(created) ? null : legacyTime(created),
    favourites_count: countIn(metrics, 'like_count'),
    verified: user.verified === true,
    statuses_count: countIn(metrics, 'tweet_count'),
    ...CONSTANT,
    profile_image_url: picture.replace(/^https:/, 'http:'),
    profile_image_url_https: picture,
    ...(banner !== undefined && { profile_banner_url: banner }),
    default_profile_image: picture === NO_PICTURE,
    withheld_in_countries: Array.isArray(countries) ? countries : [],
  };
}
