import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { boardFileName, writeBoard } from '#app/counts/files/board-file.ts';
import { fileKind, HEAD_BYTES, type OtherKind } from '#app/import/file-kind.ts';

/** Downloads a board as a file. */
export async function exportBoard(
  board: SavedBoard,
  download: (file: Blob, name: string) => void,
): Promise<void> {
  download(await writeBoard(board), boardFileName(board.name));
}

/** True if a file is a workbook of counts that a spreadsheet has saved again, without the mark of its first bytes. */
async function isCountsWorkbook(file: File, [p, k]: Uint8Array): Promise<boolean> {
  if (p !== 0x50 || k !== 0x4b) return false;
  const { openFile } = await import('#app/import/open-file.ts');
  const opened = await openFile(file).catch(() => null);
  return opened?.kind === 'counts';
}

/**
 * The kind of a file that Groundswell wrote.
 *
 * @param refuse - Called with a message for any other file, which says what it is and where it belongs.
 */
export async function ownKind(
  file: File,
  refuse: (problem: string) => void,
): Promise<OtherKind | null> {
  // A folder cannot be read.
  const bytes = await file
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => null);
  const kind = bytes && fileKind(file.name, new Uint8Array(bytes));
  if (kind && kind !== 'posts' && kind !== 'calendar') return kind;
  if (bytes && (await isCountsWorkbook(file, new Uint8Array(bytes)))) return 'workbook';
  const type = file.type === '' ? '' : ` (${file.type})`;
  refuse(
    kind
      ? `“${file.name}”${type} is not a file that Groundswell wrote. To import ${kind === 'calendar' ? 'a calendar' : 'Posts'}, drop it on the page.`
      : `“${file.name}” cannot be read.`,
  );
  return null;
}
