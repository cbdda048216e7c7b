import { SAMPLE_BYTES } from '#core/readers/encoding.ts';
import { FeedError } from '#core/readers/error.ts';
import { zipPart, type RandomAccess, type ZipEntry } from '#core/readers/zip.ts';

export const ZIP = [0x50, 0x4b, 0x03, 0x04];
export const EMPTY_ZIP = [0x50, 0x4b, 0x05, 0x06];
export const GZIP = [0x1f, 0x8b];

/** True if bytes begin with a mark. */
export function begins(head: Uint8Array, sign: readonly number[]): boolean {
  return sign.every((byte, i) => head[i] === byte);
}

export type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The blocks of a stream, which ends with the loop over them. */
export async function* fileBlocks(stream: Bytes): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** The first bytes of a stream; all if it has fewer, or is damaged after some. @throws {@link FeedError} without any. */
export async function headBytes(file: File, stream: Bytes): Promise<Uint8Array> {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let got = 0;
  try {
    for await (const block of fileBlocks(stream)) {
      const part = block.subarray(0, SAMPLE_BYTES - got);
      sample.set(part, got);
      got += part.length;
      if (got === SAMPLE_BYTES) break;
    }
  } catch (error) {
    if (error instanceof DOMException) throw error;
    if (got > 0) return sample.subarray(0, got);
    const why = 'is damaged: its compressed data cannot be unpacked.';
    throw new FeedError('damaged', file.name, why, { cause: error });
  }
  return sample.subarray(0, got);
}

export function accessTo(file: File): RandomAccess {
  return {
    file: file.name,
    size: file.size,
    read: async (from, length) =>
      new Uint8Array(await file.slice(from, from + length).arrayBuffer()),
  };
}

/** The content of a zip's entry. @throws {@link FeedError} */
export async function entryStream(file: File, zip: RandomAccess, entry: ZipEntry): Promise<Bytes> {
  const { start, length, packing } = await zipPart(zip, entry);
  const packed = file.slice(start, start + length).stream();
  return packing === 'plain' ? packed : packed.pipeThrough(new DecompressionStream('deflate-raw'));
}

/** The text of a stream in blocks. */
export async function* textStream(stream: Bytes): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const block of fileBlocks(stream)) yield decoder.decode(block, { stream: true });
}
