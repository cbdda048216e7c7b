import * as v from 'valibot';
import { sessionEndpoint } from '#contract/endpoint.ts';

/** Most bytes of a board, as the file that stores it. */
export const MOST_BOARD_BYTES = 4 * 1024 * 1024;
/** Most boards of a login, removed ones included, and most bytes of all of them. */
export const MOST_BOARDS = 1000;
export const MOST_LOGIN_BYTES = 64 * 1024 * 1024;

/** Type of the fault 409 for a board that another browser has stored since. */
export const BOARD_CHANGED = 'groundswell:board-changed';
/** Type of the faults 409 and 413 for a board that has no room at the service. */
export const NO_ROOM_FOR_BOARD = 'groundswell:no-room-for-board';

/** Base64 of so many bytes has this many characters. */
const MOST_TEXT = 4 * Math.ceil(MOST_BOARD_BYTES / 3);
/** The body of a request has little more than a board. */
const MOST_BODY = MOST_TEXT + 64 * 1024;
/** Most earlier contents of a removed board. */
const MOST_SUMS = 50_000;

/** Looks for a character that does not belong: matching millions that do can exceed the stack of a pattern. */
function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return text.length > padding && !/[^A-Za-z\d+/]/.test(text.slice(0, text.length - padding));
}

const BoardId = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));
/** Changes with every version that the service stores. */
const Revision = v.pipe(v.string(), v.regex(/^[\w-]{12}$/));
const at = v.pipe(v.number(), v.minValue(0), v.maxValue(8.64e15));

/** One version of a board, as a browser stores it at the service. */
export const BoardVersion = v.variant('removed', [
  v.strictObject({
    removed: v.literal(false),
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(120)),
    /** The time at which it was last saved, epoch ms. */
    at,
    /** The file of a backup with this board alone, in base64. */
    file: v.pipe(v.string(), v.maxLength(MOST_TEXT), v.check(isBase64, 'must be base64')),
  }),
  v.strictObject({
    removed: v.literal(true),
    /** The time at which it was removed, epoch ms. */
    at,
    /** Checksums of its contents, of which a browser may have one that is not removed there yet. */
    was: v.pipe(v.array(v.pipe(v.string(), v.regex(/^[\da-f]{8}$/))), v.maxLength(MOST_SUMS)),
  }),
]);
export type BoardVersion = v.InferOutput<typeof BoardVersion>;

/** A board in the list of a login. */
export const StoredBoard = v.object({
  id: v.string(),
  revision: v.string(),
  /** Null if it was removed. */
  name: v.nullable(v.string()),
  at: v.number(),
});
export type StoredBoard = v.InferOutput<typeof StoredBoard>;

const BoardQuery = v.strictObject({ id: BoardId });

/** The saved boards of the caller's login, for the dashboard; where nobody signs in, those of this machine. */
export const BOARDS = {
  list: sessionEndpoint('GET', '/boards', { answer: v.object({ boards: v.array(StoredBoard) }) }),
  read: sessionEndpoint('GET', '/boards/version', {
    query: BoardQuery,
    answer: v.object({ revision: v.string(), version: BoardVersion }),
  }),
  /** Stores a version of a board, unless it has another revision than the browser knows. */
  store: sessionEndpoint('PUT', '/boards/version', {
    ownData: true,
    query: BoardQuery,
    body: v.strictObject({
      /** The revision that the version was made from; null for a board that the service does not have. */
      after: v.nullable(Revision),
      version: BoardVersion,
    }),
    maxBody: MOST_BODY,
    answer: v.object({ revision: v.string() }),
  }),
};
