import { entitiesOf } from '#core/text/entities.ts';
import { inVocabulary, type UserSelection } from '#contract/posts/selection.ts';
import { readId } from '#core/import/id.ts';
import { digits, object, type Json } from '#core/import/json.ts';
import { userMetrics } from './metrics.ts';
import { foundPost, isOpenTo, isVisible, postJson, someOf } from './post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

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

/** The entities in the description and the address of a user (platform-openapi, User); undefined if there are none. */
function entitiesOfUser({ description, url }: Json): Json | undefined {
  const lists = {
    url: { urls: typeof url === 'string' ? entitiesOf(url).urls : undefined },
    description: typeof description === 'string' ? entitiesOf(description) : {},
  };
  const entries = Object.entries(lists).filter(([, list]) =>
    Object.values(list).some((each) => each !== undefined),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The newest Post of a user, if the viewer may see its Posts. */
function newestOf(id: bigint | null, finder: PostFinder): bigint | null {
  return id !== null && isOpenTo(finder, String(id)) ? (finder.newestOf?.(id) ?? null) : null;
}

/** The relation of the viewer to a user; undefined for an app, which has no relations. */
function connectionStatus(
  id: bigint | null,
  fields: readonly string[],
  { viewer, connections }: PostFinder,
): readonly string[] | undefined {
  const from = viewer === undefined ? null : readId(viewer);
  if (id === null || from === null || !fields.includes('connection_status')) return undefined;
  return connections?.(from, id) ?? [];
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
  const newest = fields.includes('most_recent_tweet_id') ? newestOf(id, finder) : null;
  const connection_status = connectionStatus(id, fields, finder);
  const entities = fields.includes('entities')
    ? (object(user.entities) ?? entitiesOfUser(user))
    : undefined;
  const affiliation = object(user.affiliation);
  return someOf(
    {
      name: user.username,
      ...user,
      ...(public_metrics && { public_metrics }),
      ...(newest !== null && { most_recent_tweet_id: String(newest) }),
      ...(connection_status && { connection_status }),
      ...(entities && { entities }),
      ...(affiliation && { affiliation: withIds(affiliation) }),
    },
    DEFAULT_FIELDS,
    fields,
  );
}

/**
 * The Posts that expansions add for users, as far as they may be shown.
 *
 * @param users - As {@link userJson} gives them.
 */
export function postsOfUsers(
  finder: PostFinder,
  users: readonly Json[],
  { fields, vocabulary, posts }: UserSelection,
): Json[] {
  const ids = users.flatMap((user) =>
    posts.flatMap((field) => readId(digits(user[field]) ?? '') ?? []),
  );
  return finder
    .rows([...new Set(ids)])
    .map(foundPost)
    .filter((post) => isVisible(post, finder))
    .map((post) => inVocabulary(postJson(post, fields, finder), vocabulary));
}
