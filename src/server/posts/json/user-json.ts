import { entitiesOf } from '#core/text/entities.ts';
import type { UserSelection } from '#contract/posts/selection.ts';
import { readId } from '#core/import/id.ts';
import { digits, object, type Json } from '#core/import/json.ts';
import { userMetrics } from './metrics.ts';
import { foundPost, isOpenTo, isVisible, postJson, readJson, someOf } from './post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { inVocabulary } from '#contract/posts/vocabulary-names.ts';

/** Fields that every user of an answer has. */
const DEFAULT_FIELDS = ['id', 'name', 'username'] as const;

/**
 * Ids of the accounts that a user is affiliated with. The specification has them as `user_ids`, the platform's shapes as
 * `user_id` (platform-facts-additions, Corrections), and older data as one text.
 */
export function affiliateIds(user: Json | null): string[] {
  const affiliation = object(user?.affiliation);
  return [affiliation?.user_ids ?? affiliation?.user_id ?? []]
    .flat()
    .flatMap((id) => digits(id) ?? []);
}

/** The affiliation of a user with its ids as a list, under both names; none if it has none. */
function affiliationOf(user: Json): Json {
  const affiliation = object(user.affiliation);
  if (!affiliation) return {};
  const ids = affiliateIds(user);
  return {
    affiliation: {
      ...affiliation,
      ...(ids.length > 0 && { user_id: ids, user_ids: ids }),
    },
  };
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
  return someOf(
    {
      name: user.username,
      ...user,
      ...(public_metrics && { public_metrics }),
      ...(newest !== null && { most_recent_tweet_id: String(newest) }),
      ...(connection_status && { connection_status }),
      ...(entities && { entities }),
      ...affiliationOf(user),
    },
    DEFAULT_FIELDS,
    fields,
  );
}

/**
 * The objects that expansions add for users, in the names of their vocabulary: Posts as far as they may be shown, and the users that
 * they are affiliated with. None if nothing was requested or found.
 *
 * @param users - As {@link userJson} gives them.
 */
export function includesOfUsers(
  finder: PostFinder,
  users: readonly Json[],
  { fields, users: userFields, vocabulary, posts, affiliates }: UserSelection,
): { readonly includes?: Json } {
  const ids = users.flatMap((user) =>
    posts.flatMap((field) => readId(digits(user[field]) ?? '') ?? []),
  );
  const affiliateOf = (id: string): Json[] => {
    const stored = readJson(finder.object('users', id));
    return typeof stored?.username === 'string' ? [{ ...stored, id }] : [];
  };
  const named = (json: Json): Json => inVocabulary(json, vocabulary);
  const lists: Readonly<Record<string, readonly Json[]>> = {
    [vocabulary === 'tweet' ? 'tweets' : 'posts']: finder
      .rows([...new Set(ids)])
      .map(foundPost)
      .filter((post) => isVisible(post, finder))
      .map((post) => named(postJson(post, fields, finder))),
    users: (affiliates ? [...new Set(users.flatMap(affiliateIds))] : [])
      .flatMap(affiliateOf)
      .map((user) => named(userJson(user, userFields, finder))),
  };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  return filled.length === 0 ? {} : { includes: Object.fromEntries(filled) };
}
