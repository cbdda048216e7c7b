import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { boardFileName, writeBoard } from '#app/counts/files/board-file.ts';
import { fileKind, HEAD_BYTES } from '#app/import/file-kind.ts';

/** Messages for files that are not boards, by kind. */
const HOLDS_COUNTS = 'holds counts, not a board. Drop it on the page to add its series.';
const NO_BOARD = {
  counts: HOLDS_COUNTS,
  workbook: HOLDS_COUNTS,
  report: HOLDS_COUNTS,
  backup: 'is a backup of the cache, not a board. Import it in Settings, under Cache.',
  posts:
    'is not a board (.groundswell-board) or a bundle (.groundswell). To import Posts, drop the file on the page.',
} as const;

/** Downloads a board as a file. */
export async function exportBoard(
  board: SavedBoard,
  download: (file: Blob, name: string) => void,
): Promise<void> {
  download(await writeBoard(board), boardFileName(board.name));
}

/**
 * The kind of a file that can replace the board on the page.
 *
 * @param refuse - Called with a message for any other file, which says where it belongs.
 */
export async function boardOrBundle(
  file: File,
  refuse: (problem: string) => void,
): Promise<'board' | 'bundle' | null> {
  // A folder cannot be read.
  const bytes = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => null);
  const kind = bytes && fileKind(file.name, new Uint8Array(bytes));
  if (kind === 'board' || kind === 'bundle') return kind;
  refuse(`“${file.name}” ${kind ? NO_BOARD[kind] : 'cannot be read.'}`);
  return null;
}
