import { TextReader } from './decode.ts';
import { FeedError } from '#core/readers/error.ts';
import type { Stretch, ReadOptions } from './stretch.ts';
import { unpacked } from './unpacked.ts';

/** The first unpacked bytes of a stretch, as far as they are intact. @throws {@link FeedError} as {@link texts} if none is. */
export async function firstBytes(stretch: Stretch, length: number): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let got = 0;
  try {
    for await (const block of unpacked(stretch, {})) {
      blocks.push(block);
      got += block.length;
      if (got >= length) break;
    }
  } catch (error) {
    if (!(error instanceof FeedError) || got === 0) throw error;
  }
  return Buffer.concat(blocks).subarray(0, length);
}

/** Decodes blocks of bytes by an encoding. */
function readerOf(
  { file }: Stretch,
  encoding: string,
  isLenient: boolean,
  isInside: boolean,
): Pick<TextReader, 'push' | 'end' | 'pending'> {
  if (encoding === 'utf-8') return new TextReader(isInside);
  const decoder = new TextDecoder(encoding, { fatal: !isLenient, ignoreBOM: true });
  const decode = (block?: Buffer): string => {
    try {
      return block ? decoder.decode(block, { stream: true }) : decoder.decode();
    } catch (error) {
      const why = `is declared as ${encoding}, but has bytes that this encoding does not have.`;
      throw new FeedError('damaged', file, why, { cause: error });
    }
  };
  return { push: decode, end: decode, pending: null };
}

/**
 * The text of a stretch in blocks of 64 KB. UTF-8, UTF-16 of either order with a byte-order mark, or a declared encoding.
 * The mark is removed, characters split between blocks are complete, and bytes that are not UTF-8 are
 * marked (see `unreadable`).
 *
 * @throws {@link FeedError} `truncated` or `damaged` with the byte, `damaged` for bytes that a declared encoding does not
 *   have and for too much text, or an error of the file system; the signal's reason when it was aborted.
 */
export async function* texts(stretch: Stretch, options: ReadOptions = {}): AsyncGenerator<string> {
  const { from = 0, encoding = 'utf-8', isLenient = false } = options;
  const reader = readerOf(stretch, encoding, isLenient, from > 0);
  let first = from === 0;
  let end = stretch.packing === 'plain' ? from : 0;
  for await (const block of unpacked(stretch, options)) {
    const fresh = block.subarray(Math.min(block.length, Math.max(0, from - end)));
    end += block.length;
    let text = reader.push(fresh);
    if (text === '') continue;
    options.onText?.(reader.pending === null ? null : end - reader.pending);
    if (first && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    first = false;
    yield text;
  }
  let rest = reader.end();
  if (first && rest.charCodeAt(0) === 0xfeff) rest = rest.slice(1);
  if (!rest) return;
  options.onText?.(end);
  yield rest;
}
