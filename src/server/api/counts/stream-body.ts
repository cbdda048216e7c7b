import { finished } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { MIN_PIECE, type PieceText } from './count-json.ts';
import type { ContentCoding } from '#server/http/encoding.ts';

/** Packing shorter texts saves nothing: with their headers they fit one network packet. */
export const WORTH_PACKING = 1400;

/** Bytes packed at once: half a millisecond on this thread, then a wait for the thread that packs. */
const PACKED_PIECE = 512 * 1024;

/** Bytes written at once without packing; one such piece waits for each slow reader. */
const SENT_PIECE = 64 * 1024;

/**
 * Low levels, because an answer is sent once and better compression takes longer than it saves. Rows repeat recent
 * ones, so a window of 8 KiB compresses them better than the largest, in half the memory.
 */
const GZIP = { level: 1, windowBits: 13, chunkSize: PACKED_PIECE };
const BROTLI = {
  chunkSize: PACKED_PIECE,
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
};

export type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

/** A buffer for the whole text where that is short, else for a piece of the given length. */
function pieceFor(text: PieceText, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Math.min(length, text.length) + MIN_PIECE);
}

/** Packs a text on another thread: it packs one piece while this thread writes the next. */
async function packed(
  text: PieceText,
  encoding: 'gzip' | 'br',
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const packer = encoding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(BROTLI);
  const parts: Uint8Array[] = [];
  packer.on('data', (part: Uint8Array) => parts.push(part));
  const ended = finished(packer);
  // The await below reports an error; without this line, one after the reader has gone would be unhandled.
  ended.catch(() => {});
  let piece = pieceFor(text, PACKED_PIECE);
  let other = pieceFor(text, PACKED_PIECE);
  let before = Promise.resolve();
  for (let n = text.write(piece); n > 0; n = text.write(piece)) {
    const written = piece.subarray(0, n);
    const taken = new Promise<void>((resolve) => packer.write(written, () => resolve()));
    await before;
    if (signal.aborted) {
      packer.destroy();
      return null;
    }
    before = taken;
    [piece, other] = [other, piece];
  }
  packer.end();
  await ended;
  return Buffer.concat(parts);
}

/** Writes a text as fast as it is read, so that no more than one piece waits for a slow reader. */
function streamed(text: PieceText): ReadableStream<Uint8Array<ArrayBuffer>> {
  let gone = false;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        // A reader as fast as this thread would otherwise block all others.
        await new Promise((resolve) => setImmediate(resolve));
        if (gone) return;
        const piece = pieceFor(text, SENT_PIECE);
        const n = text.write(piece);
        if (n === 0) controller.close();
        else controller.enqueue(piece.subarray(0, n));
      },
      cancel: () => {
        gone = true;
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The body of an answer. A packed body is small and made whole, whatever the speed of its reader; any other is
 * written while it is read. Either way an answer occupies some hundred kilobytes of memory, not its megabytes.
 *
 * @param signal - Aborts when the client disconnects.
 * @returns The body, or null if the signal aborted first.
 */
export async function streamBody(
  text: PieceText,
  encoding: ContentCoding,
  signal: AbortSignal,
): Promise<Body | null> {
  if (encoding !== 'identity') return await packed(text, encoding, signal);
  if (text.length > SENT_PIECE) return streamed(text);
  const whole = pieceFor(text, SENT_PIECE);
  return whole.subarray(0, text.write(whole));
}
