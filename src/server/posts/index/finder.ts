import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { answerTable } from '#server/posts/json/answers.ts';
import { postMetrics } from '#server/posts/json/metrics.ts';
import { communityReader } from '#server/posts/store/communities.ts';
import { handlesIn } from '#server/posts/store/handles.ts';
import { listReader } from '#server/posts/store/lists.ts';
import { postTable } from '#server/posts/store/post-table.ts';
import { connectionsOf, relationReader } from '#server/posts/store/relations.ts';
import { versionTable } from '#server/posts/store/versions.ts';
import { PROTECTED } from './protection.ts';

/** Users whose followees are in memory at most. */
const MOST_FOLLOWERS = 64;

/** The part of a finder of a file that does not depend on the index. @param version - As for `loadedIndex`. */
export function finderIn(db: Db, version: () => unknown) {
  const rows = postTable(db);
  const relations = relationReader(db);
  const meta = metaOf(db);

  let protection: { readonly version: unknown; readonly users: readonly string[] } | null = null;
  const protectedUsers = (): readonly string[] => {
    const now = version();
    if (!protection || protection.version !== now) {
      const found = rows.protectedUsers();
      const before = protection?.users ?? [];
      const isSame = found.length === before.length && found.every((id, i) => id === before[i]);
      protection = { version: now, users: isSame ? before : found };
    }
    return protection.users;
  };
  const followed = new Map<bigint, ReadonlySet<string>>();
  let followedAsOf: unknown;
  const followees = (source: bigint): ReadonlySet<string> => {
    const now = version();
    if (followedAsOf !== now || followed.size >= MOST_FOLLOWERS) followed.clear();
    followedAsOf = now;
    const found = followed.get(source) ?? new Set(relations.targets('follow', source).map(String));
    followed.set(source, found);
    return found;
  };

  return {
    object: rows.object,
    protectedUsers,
    notedHandles: handlesIn(db).text,
    notedProtected: () => meta.number(PROTECTED),
    userId: rows.userId,
    versions: versionTable(db).of,
    answers: answerTable(db).counts,
    ...communityReader(db),
    relations,
    lists: listReader(db),
    metrics: postMetrics(relations),
    follows: (source: bigint, target: bigint): boolean => relations.has('follow', source, target),
    followees,
    connections: (viewer: bigint, user: bigint) => connectionsOf(relations, viewer, user),
  };
}
