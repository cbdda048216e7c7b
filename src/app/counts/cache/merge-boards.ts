import { textChecksum } from './checksum.ts';
import {
  MAX_NAME,
  orderedNote,
  type BoardContent,
  type BoardRow,
  type SavedBoard,
} from './saved-board.ts';

/** Words in the name of a copy of an imported board, which the name of a copy of that one has once. */
const IMPORTED = '(imported)';
const ENDS_IMPORTED = / \(imported(?: \d+)?\)$/;

/** The content of a board as text; equal for equal contents. */
function contentText({ name, view, notes, fixed }: BoardContent): string {
  return JSON.stringify([
    name,
    view,
    notes.map((note) => Object.values(orderedNote(note))),
    fixed.map((series) => [
      series.label,
      series.query,
      series.source,
      [...series.bounds],
      [...series.counts],
      [...series.states],
      [...series.fetchedAt],
    ]),
  ]);
}

/** True if two boards have the same content. */
export function sameContent(a: BoardContent, b: BoardContent): boolean {
  return a === b || contentText(a) === contentText(b);
}

/** The checksum of a board's content. */
export function contentSum(board: BoardContent): string {
  return textChecksum(contentText(board)).toString(16).padStart(8, '0');
}

export const sorted = (...sums: readonly string[]): string[] => [...new Set(sums)].sort();

/** The row of a board that replaces the stored one. */
export function savedOver(before: BoardRow | null, board: SavedBoard): BoardRow {
  const { id, name, at, opened, view, notes, fixed } = board;
  const row = { id, name, at, opened, view, notes, fixed };
  if (!before) return { ...row, was: [] };
  const changed = !sameContent(before, board);
  return { ...row, was: changed ? sorted(...before.was, contentSum(before)) : before.was };
}

/** A name with a suffix, within the length of names. */
export function nameWith(name: string, words: string): string {
  return `${name.slice(0, MAX_NAME - words.length - 1).trimEnd()} ${words}`;
}

/**
 * The older of two boards with the same id that have both changed, as a copy with its own id. Every browser that merges
 * the two makes the same copy.
 *
 * @param from - The words that its name gets.
 */
function copyOf(board: BoardRow, from: string, own = board.name): BoardRow {
  const name = nameWith(own, from);
  return { ...board, id: `${board.id}~${contentSum(board)}`, name, was: [] };
}

/**
 * Merges two boards with the same id into one, or into two if both have changed. The order does not matter.
 *
 * @param from - Words in the name of a copy.
 * @returns The board that keeps the id, and the copy made of the other one, if any.
 */
export function mergeBoard(
  a: BoardRow,
  b: BoardRow,
  from: string,
): { board: BoardRow; copy: BoardRow | null } {
  const at = Math.max(a.at, b.at);
  const opened = Math.max(a.opened, b.opened);
  if (sameContent(a, b)) {
    return { board: { ...a, at, opened, was: sorted(...a.was, ...b.was) }, copy: null };
  }
  const [sumA, sumB] = [contentSum(a), contentSum(b)];
  const [aKnowsB, bKnowsA] = [a.was.includes(sumB), b.was.includes(sumA)];
  const greater = contentText(a) > contentText(b);
  const aIsLater = a.at === b.at ? greater : a.at > b.at;
  const aHasIt = aKnowsB === bKnowsA ? aIsLater : aKnowsB;
  const [board, other] = aHasIt ? [a, b] : [b, a];
  const was = sorted(...a.was, ...b.was, aHasIt ? sumB : sumA);
  const known = aKnowsB || bKnowsA;
  return { board: { ...board, at, opened, was }, copy: known ? null : copyOf(other, from) };
}

/**
 * The row for the board of an opened file. A stored board with its id keeps id and name, because a file may have
 * changes that were never saved: unless it is equal or an earlier version, the board of the file becomes the copy.
 *
 * @param stored - All stored boards.
 * @returns The row to write, or the stored one that has the board already.
 */
export function openedBoard(board: SavedBoard, stored: readonly BoardRow[]): BoardRow {
  const row = { ...board, was: [] };
  const withId = (id: string): BoardRow | undefined => stored.find((each) => each.id === id);
  const before = withId(row.id);
  if (!before) return row;
  if (sameContent(before, row) || before.was.includes(contentSum(row))) return before;
  const own = row.name.replace(ENDS_IMPORTED, '');
  let copy = copyOf(row, IMPORTED, own);
  const known = withId(copy.id);
  if (known) return known;
  for (let i = 2; stored.some(({ name }) => name === copy.name); i += 1) {
    copy = copyOf(row, `(imported ${i})`, own);
  }
  return copy;
}

/**
 * Merges the boards of two browsers.
 *
 * @param here - Reads the stored row with an id; null if there is none.
 * @param there - The rows to import.
 * @param from - Words in the names of copies.
 * @returns The rows to write.
 */
export async function mergeBoards(
  here: (id: string) => PromiseLike<BoardRow | null>,
  there: readonly BoardRow[],
  from = IMPORTED,
): Promise<BoardRow[]> {
  const rows = new Map<string, BoardRow>();
  const add = async (row: BoardRow): Promise<void> => {
    const before = rows.get(row.id) ?? (await here(row.id));
    if (!before) {
      rows.set(row.id, row);
      return;
    }
    const { board, copy } = mergeBoard(before, row, from);
    rows.set(board.id, board);
    if (copy) await add(copy);
  };
  for (const row of there) await add(row);
  return [...rows.values()];
}

/** Sorts by name, then last saved first. */
export function byName<T extends { readonly name: string; readonly at: number }>(
  rows: readonly T[],
): T[] {
  return [...rows].sort((a, b) => a.name.localeCompare(b.name) || b.at - a.at);
}
