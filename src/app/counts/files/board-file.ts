import { Fault } from '#contract/fault.ts';
import { jsonExcess, parseJson } from '#core/text/bounded-json.ts';
import { read } from './backup-form.ts';
import { BoardForm, boardForm, boardFrom } from './board-form.ts';
import { BAD_BOARD, type SavedBoard } from '#app/counts/cache/saved-board.ts';
import { crc32 } from './crc32.ts';

/** What the name of a board's file ends with. */
export const BOARD_ENDING = '.groundswell-board.json';

/** Most bytes of a board's file: hours of twenty years, four times. */
const MAX_BOARD_BYTES = 2 ** 25;

const FORM = 1;

/** The fault for a file that cannot be read. @param detail - What is wrong with it, as a sentence. */
function badBoard(detail: string): Fault {
  return new Fault(0, { title: 'This file cannot be read as a board', detail, type: BAD_BOARD });
}

const checksum = (text: string): string =>
  crc32(new TextEncoder().encode(text)).toString(16).padStart(8, '0');

/** A value of a file for a message: `String` calls what the file says it should. */
const written = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 40);

/** Writes a board as a file: the same board gives the same text. */
export function formatBoard(board: SavedBoard): string {
  const form = boardForm(board);
  const sum = checksum(JSON.stringify(form));
  return `${JSON.stringify({ groundswell: 'board', form: FORM, sum, board: form }, null, 1)}\n`;
}

/** The name of a board's file: its own, without what some system takes for something else. */
export function boardFileName(name: string): string {
  const safe = name
    .replaceAll(/[\p{Cc}\\/:*?"<>|]+/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[.\s]+|[.\s]+$/gu, '');
  return `${safe.slice(0, 80) || 'Board'}${BOARD_ENDING}`;
}

/**
 * Reads the file of a board, checked in every field.
 *
 * @throws {Fault} of type {@link BAD_BOARD} in words that name what is wrong.
 */
export function parseBoard(text: string): SavedBoard {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!jsonExcess(text)) throw badBoard('It is no JSON, or it was cut off.');
    throw badBoard(`It is no board: ${(error as Error).message}.`);
  }
  const { groundswell, form, sum, board } = (value instanceof Object ? value : {}) as {
    [key: string]: unknown;
  };
  if (groundswell !== 'board') throw badBoard('It is no board of Groundswell.');
  if (form !== FORM) {
    throw badBoard(
      `A newer version of Groundswell wrote it, in form ${written(form)}; this one reads form ${FORM}.`,
    );
  }
  const got = checksum(JSON.stringify(board ?? null));
  if (got !== sum) {
    throw badBoard(
      `It was changed or damaged: its checksum is ${written(sum)}, its content’s ${got}.`,
    );
  }
  return boardOf(board);
}

/**
 * A board of what JSON held, checked in every field.
 *
 * @throws {Fault} of type {@link BAD_BOARD} in words that name what is wrong.
 */
export function boardOf(form: unknown): SavedBoard {
  const result = read(BoardForm, form);
  if ('wrong' in result) throw badBoard(`It is not in order: ${result.wrong}.`);
  return boardFrom(result.output);
}

/**
 * Reads a file as a board, unless it is larger than any.
 *
 * @throws {Fault} of type {@link BAD_BOARD}, as {@link parseBoard}.
 */
export async function readBoard(file: Blob): Promise<SavedBoard> {
  if (file.size > MAX_BOARD_BYTES) {
    throw badBoard(`It has more than ${MAX_BOARD_BYTES / 2 ** 20} MB: no board has.`);
  }
  return parseBoard(await file.text());
}

/** Bytes through a stream that makes others of them. */
async function through(
  bytes: BlobPart,
  transform: CompressionStream | DecompressionStream,
): Promise<ArrayBuffer> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer();
}

/** Bytes that one call can make characters of, in every browser. */
const PIECE = 8_192;

/** A board as a short text, gzip with a character for each byte, for a place that counts characters. */
export async function packBoard(board: SavedBoard): Promise<string> {
  const packed = new Uint8Array(await through(formatBoard(board), new CompressionStream('gzip')));
  let text = '';
  for (let i = 0; i < packed.length; i += PIECE) {
    text += String.fromCharCode(...packed.subarray(i, i + PIECE));
  }
  return text;
}

/** Reads what {@link packBoard} wrote. @throws Where it is anything else. */
export async function unpackBoard(text: string): Promise<SavedBoard> {
  const packed = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const bytes = await through(packed, new DecompressionStream('gzip'));
  return parseBoard(new TextDecoder().decode(bytes));
}
