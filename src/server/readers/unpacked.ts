import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import { errorCode } from '#core/thrown.ts';
import { FeedError, feedError } from '#core/readers/error.ts';
import { gzipHeaderLength, GZIP_HEADER, GZIP_TRAILER } from './gzip.ts';
import { type Stretch, peek, type ReadOptions, READ_SIZE } from './stretch.ts';

/**
 * Blocks that stay in the processor's cache: reading in 64 KB blocks is twice as fast as 1 MB, since
 * rows are short-lived.
 */
const UNPACK_SIZE = 64 * 1024;
/** Posts and products compress at most thirtyfold; a file that unpacks beyond both bounds was made to fill a disk. */
const MAX_RATIO = 250;
const UNCHECKED_BYTES = 64 * 1024 * 1024;

/** True if compressed data is damaged or cut off. */
function isDamage(error: unknown): boolean {
  return errorCode(error).startsWith('Z_');
}

/** @param taken - Bytes of the stretch that are intact. */
function unpackFault(stretch: Stretch, error: unknown, taken: number): unknown {
  const code = errorCode(error);
  if (code === 'Z_BUF_ERROR') {
    const at = stretch.start + stretch.length;
    return new FeedError(
      'truncated',
      stretch.file,
      `is cut off: its compressed data ends at byte ${at} before it is complete.`,
    );
  }
  if (isDamage(error)) {
    return new FeedError(
      'damaged',
      stretch.file,
      `is damaged near byte ${stretch.start + taken}: ${(error as Error).message}.`,
    );
  }
  return feedError(stretch.file, error);
}

/** Checks unpacked bytes against the zip's statement, and their number against an absurd ratio. */
class Measure {
  readonly #stretch: Stretch;
  readonly #most: number;
  #bytes: number;
  #crc = 0;

  /** @param bytes - Those that are left out. */
  constructor(stretch: Stretch, most: number, bytes: number) {
    this.#stretch = stretch;
    this.#most = most;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws {@link FeedError} `damaged` if there are more bytes than possible. */
  add(block: Uint8Array, taken: number): void {
    const { file, whole } = this.#stretch;
    this.#bytes += block.length;
    if (this.#bytes > this.#most) {
      throw new FeedError('damaged', file, `has more than ${this.#most} bytes of text.`);
    }
    if (whole) {
      this.#crc = crc32(block, this.#crc);
      if (this.#bytes > whole.length) {
        const why = `is damaged: it unpacks to more than the ${whole.length} bytes that the zip states.`;
        throw new FeedError('damaged', file, why);
      }
    }
    if (this.#bytes > UNCHECKED_BYTES && this.#bytes > MAX_RATIO * taken) {
      const why = `unpacks to more than ${MAX_RATIO} times its size, which no real file does.`;
      throw new FeedError('damaged', file, why);
    }
  }

  /** @throws {@link FeedError} `damaged` if the bytes are not those that were packed. */
  end(): void {
    const { file, whole } = this.#stretch;
    if (!whole || (this.#bytes === whole.length && this.#crc === whole.crc)) return;
    const why =
      this.#bytes === whole.length
        ? 'is damaged: its checksum in the zip does not match its content.'
        : `is damaged: it unpacks to ${this.#bytes} bytes, but the zip states ${whole.length}.`;
    throw new FeedError('damaged', file, why);
  }
}

/**
 * Unpacks the intact members of a damaged gzip file again: zlib says neither where the last of them ends nor, from the block
 * with the damage, what is before it.
 *
 * @param measure - Has what was unpacked before, which is left out.
 * @returns The bytes of the stretch that the intact members have.
 */
async function* intactMembers(
  { path, start, length }: Stretch,
  measure: Measure,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, number> {
  let known = measure.bytes;
  for (let taken = 0; ;) {
    const header = gzipHeaderLength(peek(path, GZIP_HEADER, start + taken).head);
    if (header === null || taken + header >= length) return taken;
    const disk = createReadStream(path, { start: start + taken + header, end: start + length - 1 });
    const zip = createInflateRaw({ chunkSize: UNPACK_SIZE });
    disk.on('error', (error) => zip.destroy(error));
    let crc = 0;
    try {
      for await (const block of disk.pipe(zip) as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        crc = crc32(block, crc);
        const fresh = block.subarray(Math.min(known, block.length));
        known -= block.length - fresh.length;
        measure.add(fresh, taken + zip.bytesWritten);
        if (fresh.length > 0) yield fresh;
      }
    } catch (error) {
      if (isDamage(error)) return taken;
      throw error;
    } finally {
      disk.destroy();
      zip.destroy();
    }
    const end = taken + header + zip.bytesWritten;
    const trailer = peek(path, GZIP_TRAILER, start + end).head;
    if (trailer.length < GZIP_TRAILER || trailer.readUInt32LE(0) !== crc) return taken;
    taken = end + GZIP_TRAILER;
  }
}

/** The bytes of a stretch, unpacked. */
export async function* unpacked(stretch: Stretch, options: ReadOptions): AsyncGenerator<Buffer> {
  // Packed bytes can only be unpacked from their beginning.
  const skipped = stretch.packing === 'plain' ? (options.from ?? 0) : 0;
  const measure = new Measure(stretch, options.mostBytes ?? Infinity, skipped);
  if (stretch.length === skipped) return measure.end();
  const disk = createReadStream(stretch.path, {
    start: stretch.start + skipped,
    end: stretch.start + stretch.length - 1,
    highWaterMark: stretch.packing === 'plain' ? UNPACK_SIZE : READ_SIZE,
  });
  const zip =
    stretch.packing === 'gzip'
      ? createGunzip({ chunkSize: UNPACK_SIZE })
      : stretch.packing === 'deflate'
        ? createInflateRaw({ chunkSize: UNPACK_SIZE })
        : null;
  let stream: Readable = disk;
  if (zip) {
    disk.on('error', (error) => zip.destroy(error));
    stream = disk.pipe(zip);
  }
  const stop = () => stream.destroy();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    for await (const block of stream) {
      options.signal?.throwIfAborted();
      const taken = zip?.bytesWritten ?? skipped + disk.bytesRead;
      measure.add(block as Buffer, taken);
      options.onBytes?.(Math.min(taken, stretch.length));
      yield block as Buffer;
    }
    options.signal?.throwIfAborted();
    measure.end();
    options.onBytes?.(stretch.length);
  } catch (error) {
    options.signal?.throwIfAborted();
    const taken = zip?.bytesWritten ?? disk.bytesRead;
    const isUnknown = stretch.packing === 'gzip' && errorCode(error) === 'Z_DATA_ERROR';
    if (!isUnknown) throw unpackFault(stretch, error, taken);
    const intact = yield* intactMembers(stretch, measure, options.signal);
    throw unpackFault(stretch, error, Math.max(taken, intact));
  } finally {
    options.signal?.removeEventListener('abort', stop);
    disk.destroy();
    zip?.destroy();
  }
}
