import type { LogSession } from '#server/streams/log.ts';

/**
 * The place at which a reader continues in a log that may have been restored from a backup: at its cursor, or, if the
 * file has other entries up to there than those that were read, after the last one that it still has of those. So
 * nothing new is left out, and nothing is read twice, unless a later backup brings back what an earlier one had set
 * back.
 *
 * @param sessions - Those of the log, ascending.
 * @param last - Number of its newest entry.
 * @param known - Ids of the sessions that were read.
 * @returns The number of the entry after which to continue, at most the cursor.
 */
export function placeIn(
  { sessions, last }: { readonly sessions: readonly LogSession[]; readonly last: number },
  known: ReadonlySet<string>,
  cursor: number,
): number {
  const other = sessions.find(({ id }) => !known.has(id));
  if (other && other.first <= cursor) return other.first - 1;
  return Math.min(cursor, last);
}
