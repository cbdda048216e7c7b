import type { Note, SavedBoard } from '#app/counts/cache/saved-board.ts';
import { openArchive } from './archive.ts';
import { check } from './archive-schema.ts';
import { boardParts, readBoardEntry } from './board-part.ts';
import { writeArchive } from './write-archive.ts';
import { ArchivedNotes } from './note-entry.ts';

/** Extension of board files. */
export const BOARD_ENDING = '.groundswell-board';

/** The file name for a board, without characters that are special to an operating system. */
export function boardFileName(name: string): string {
  const safe = name
    .replaceAll(/[\p{Cc}\\/:*?"<>|]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[.\s]+|[.\s]+$/gu, '');
  return `${safe.slice(0, 80) || 'Board'}${BOARD_ENDING}`;
}

/** Writes a board as a file. The same board gives the same bytes. */
export async function writeBoard(saved: SavedBoard): Promise<Blob> {
  const { entries, parts } = boardParts([saved]);
  const [board] = entries;
  if (!board) throw new TypeError('expected an entry for the board, got none');
  return await writeArchive({ groundswell: 'board', version: 1, board }, parts);
}

/**
 * Reads and checks a board file.
 *
 * @throws {Fault} of type `BAD_BOARD` that says what is wrong.
 */
export async function readBoard(file: Blob): Promise<SavedBoard> {
  const { archive, manifest } = await openArchive(file, 'board');
  const board = await readBoardEntry(archive, manifest.board);
  archive.finish();
  return board;
}

/** Number of bytes that every browser converts to characters in one call. */
const PIECE = 8_192;

/** Writes a board as text with one character per byte, for storage with a limit in characters. */
export async function packBoard(board: SavedBoard): Promise<string> {
  const packed = new Uint8Array(await (await writeBoard(board)).arrayBuffer());
  let text = '';
  for (let i = 0; i < packed.length; i += PIECE) {
    text += String.fromCharCode(...packed.subarray(i, i + PIECE));
  }
  return text;
}

/** Reads the text of {@link packBoard}. @throws {Fault} if it is anything else. */
export async function unpackBoard(text: string): Promise<SavedBoard> {
  return await readBoard(new Blob([Uint8Array.from(text, (char) => char.charCodeAt(0))]));
}

/** Notes that were stored as JSON; null if they are not valid. */
export function notesOf(value: unknown): readonly Note[] | null {
  const result = check(ArchivedNotes, value);
  return 'output' in result ? result.output : null;
}
