import { object } from '#server/import/json.ts';
import type { Json } from '#server/import/json.ts';
import { someOf } from '#server/posts/post-json.ts';

/** Fields that every user of an answer has. */
const DEFAULT_FIELDS = ['id', 'name', 'username'] as const;

/**
 * An affiliation with its ids as a list, under both names: the specification has `user_ids`, the platform's shapes have
 * `user_id` (platform-facts-additions, Corrections). Older data has one id as text.
 */
function withIds(affiliation: Json): Json {
  const ids = [affiliation.user_ids ?? affiliation.user_id ?? []].flat();
  return ids.length === 0 ? affiliation : { ...affiliation, user_id: ids, user_ids: ids };
}

/** The JSON of a user in tweet names. `name` is required, so the username replaces an unknown one. */
export function userJson(user: Json, fields: readonly string[]): Json {
  const affiliation = object(user.affiliation);
  return someOf(
    { name: user.username, ...user, ...(affiliation && { affiliation: withIds(affiliation) }) },
    DEFAULT_FIELDS,
    fields,
  );
}
