import type { Content } from './content.ts';

/** Thrown for a file that is not what its beginning says. */
export class BrokenFileError extends Error {
  override readonly name = 'BrokenFileError';
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;

/** Bytes of a color table, by the flags of the block that has it. */
function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/**
 * The grammar of a GIF (GIF89a specification): yields how many bytes it reads next, at most 768, and receives them.
 *
 * @throws {@link BrokenFileError} for anything else.
 */
function* grammar(): Generator<number, Content, Uint8Array> {
  const view = (bytes: Uint8Array): DataView =>
    new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const skip = function* (bytes: number): Generator<number, void, Uint8Array> {
    if (bytes > 0) yield bytes;
  };
  const skipBlocks = function* (): Generator<number, void, Uint8Array> {
    for (;;) {
      const [length = 0] = yield 1;
      if (length === 0) return;
      yield length;
    }
  };
  const signature = Buffer.from(yield 6).toString('latin1');
  if (signature !== 'GIF87a' && signature !== 'GIF89a') {
    throw new BrokenFileError('it does not begin as a GIF');
  }
  const screen = view(yield 7);
  const [width, height] = [screen.getUint16(0, true), screen.getUint16(2, true)];
  if (width === 0 || height === 0) throw new BrokenFileError('the GIF has no width or no height');
  yield* skip(tableBytes(screen.getUint8(4)));
  let images = 0;
  for (;;) {
    const [block] = yield 1;
    if (block === TRAILER) break;
    if (block === IMAGE) {
      images += 1;
      yield* skip(tableBytes(view(yield 9).getUint8(8)));
    } else if (block !== EXTENSION) {
      throw new BrokenFileError(`the GIF has an unknown block after image ${images}`);
    }
    // The first byte is the code size of an image or the label of an extension.
    yield 1;
    yield* skipBlocks();
  }
  if (images === 0) throw new BrokenFileError('the GIF has no image');
  return { format: 'image/gif', width, height, images };
}

/**
 * Reads a GIF piece by piece, in memory for one block.
 *
 * @returns Its size in pixels and number of images. What follows its end is ignored.
 *
 * Rejects with {@link BrokenFileError} if it is no GIF or ends early.
 */
export async function readGif(pieces: AsyncIterable<Uint8Array>): Promise<Content> {
  const reading = grammar();
  let step = reading.next();
  let rest = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    while (!step.done && at + step.value <= bytes.length) {
      const taken = bytes.subarray(at, at + step.value);
      at += step.value;
      step = reading.next(taken);
    }
    if (step.done) return step.value;
    rest = Uint8Array.from(bytes.subarray(at));
  }
  throw new BrokenFileError('the GIF ends early');
}
