import { contentSum, mergeBoard, sorted } from './merge-boards.ts';
import type { BoardRow, RemovedBoard } from './saved-board.ts';

/** A board as a browser or the service has it, or its removal. */
export type BoardOrRemoval = BoardRow | RemovedBoard;

/** The checksum of a removed board, which a restored one has among those of its earlier contents. */
export const REMOVED_SUM = '00000000';

/** Words in the name of a copy that merging makes. */
export const FROM_OTHER_BROWSER = '(other browser)';

export const isBoard = (version: BoardOrRemoval): version is BoardRow => 'view' in version;

/** The checksum of a version's content. */
export function versionSum(version: BoardOrRemoval): string {
  return isBoard(version) ? contentSum(version) : REMOVED_SUM;
}

/** Merges a board with its removal. A board that changed without knowing of the removal stays. */
function mergeRemoved(board: BoardRow, removed: RemovedBoard): BoardOrRemoval {
  const was = sorted(...board.was, ...removed.was);
  const removedIt = removed.was.includes(contentSum(board));
  const restoredIt = board.was.includes(REMOVED_SUM);
  if (removedIt && (!restoredIt || removed.at > board.at)) return { ...removed, was };
  return { ...board, was: sorted(...was, REMOVED_SUM) };
}

/**
 * Merges two versions of a board. The order does not matter. Of two contents, the one that has the other among its
 * earlier ones is newer; if both or neither have, the later one is. What neither browser knew of the other becomes a
 * copy.
 *
 * @returns The version that keeps the id, and the copy made of the other one, if any.
 */
export function mergeVersions(
  a: BoardOrRemoval,
  b: BoardOrRemoval,
): { version: BoardOrRemoval; copy: BoardRow | null } {
  if (isBoard(a) && isBoard(b)) {
    const { board, copy } = mergeBoard(a, b, FROM_OTHER_BROWSER);
    return { version: board, copy };
  }
  if (isBoard(a)) return { version: mergeRemoved(a, b), copy: null };
  if (isBoard(b)) return { version: mergeRemoved(b, a), copy: null };
  const was = sorted(...a.was, ...b.was);
  return { version: { id: a.id, at: Math.max(a.at, b.at), was }, copy: null };
}
