import { inVocabulary } from '#contract/selection.ts';
import type { UserSelection } from '#contract/selection.ts';
import { readId } from '#server/import/id.ts';
import { digits, object } from '#server/import/json.ts';
import type { Json } from '#server/import/json.ts';
import { userMetrics } from './metrics.ts';
import { foundPost, isVisible, postJson, someOf } from './post-json.ts';
import type { PostFinder } from './source.ts';

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

/**
 * The JSON of a user in tweet names: the default fields and the requested ones, without unknown ones. `name` is
 * required, so the username replaces an unknown one.
 */
export function userJson(user: Json, fields: readonly string[], finder: PostFinder): Json {
  const id = readId(digits(user.id) ?? '');
  const figures =
    id !== null && fields.includes('public_metrics') ? finder.figures?.(id) : undefined;
  const public_metrics = figures && userMetrics(user, figures);
  const affiliation = object(user.affiliation);
  return someOf(
    {
      name: user.username,
      ...user,
      ...(public_metrics && { public_metrics }),
      ...(affiliation && { affiliation: withIds(affiliation) }),
    },
    DEFAULT_FIELDS,
    fields,
  );
}

/** The pinned Posts of users, as far as they may be shown. */
export function pinnedPosts(
  finder: PostFinder,
  users: readonly Json[],
  { fields, vocabulary }: UserSelection,
): Json[] {
  const ids = users.flatMap((user) => readId(digits(user.pinned_tweet_id) ?? '') ?? []);
  return finder
    .rows(ids)
    .map(foundPost)
    .filter((post) => isVisible(post, finder))
    .map((post) => inVocabulary(postJson(post, fields, finder), vocabulary));
}
