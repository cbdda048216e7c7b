import type { Condition } from '#core/query/ast.ts';
import { object, type Json } from '#core/import/json.ts';
import type { RelationReader } from '#server/posts/store/relations.ts';
import type { RelationCount } from '#server/posts/store/relation-kinds.ts';

/** The figures that this service counted of a user. */
export interface UserFigures {
  readonly followers_count: RelationCount;
  readonly following_count: RelationCount;
  readonly listed_count: RelationCount;
  readonly like_count: RelationCount;
  /** Its Posts in the source, and those of them with media. */
  readonly tweet_count: number;
  readonly media_count: number;
}

/** Gives the metrics of a Post that changed here since its import. */
export function postMetrics(relations: RelationReader): (id: bigint) => Json {
  return (id) => ({
    retweet_count: relations.count('repost', 'target', id).made,
    like_count: relations.count('like', 'target', id).made,
    bookmark_count: relations.count('bookmark', 'target', id).made,
  });
}

/** @param count - Counts the Posts that meet a condition. */
export function userFigures(
  relations: RelationReader,
  id: bigint,
  count: (condition: Condition) => number,
): UserFigures {
  const from: Condition = { kind: 'term', term: `from:${id}` };
  const media: Condition = { kind: 'all', of: [from, { kind: 'term', term: 'has:media' }] };
  return {
    followers_count: relations.count('follow', 'target', id),
    following_count: relations.count('follow', 'source', id),
    listed_count: relations.count('member', 'target', id),
    like_count: relations.count('like', 'source', id),
    tweet_count: count(from),
    media_count: count(media),
  };
}

function figure(imported: Json, name: string): number | null {
  const value = imported[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** The figures of an import and what changed here since: a figure includes all earlier relations. */
export function sumMetrics(imported: Json, made: Json): Json {
  const added = Object.entries(made).map(([name, change]) => {
    const sum = (figure(imported, name) ?? 0) + Number(change);
    return [name, Math.max(sum, 0)] as const;
  });
  return { ...imported, ...Object.fromEntries(added) };
}

/**
 * The `public_metrics` of a user: the figures of its import and what changed here since; all known relations where an
 * import has no figures. A user has at least the Posts of the source.
 */
export function userMetrics(user: Json, figures: UserFigures): Json {
  const imported = object(user.public_metrics) ?? {};
  const { tweet_count: posts, media_count: media, ...relations } = figures;
  const counted = Object.entries(relations).map(([name, { total, made }]) => {
    const given = figure(imported, name);
    return [name, given === null ? total : Math.max(given + made, 0)] as const;
  });
  return {
    ...imported,
    ...Object.fromEntries(counted),
    tweet_count: Math.max(figure(imported, 'tweet_count') ?? 0, posts),
    media_count: Math.max(figure(imported, 'media_count') ?? 0, media),
  };
}
