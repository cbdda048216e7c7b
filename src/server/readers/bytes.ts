import { createReadStream, openSync, closeSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import type { RandomAccess } from '#core/readers/zip.ts';
import { errorCode } from '#core/thrown.ts';
import { TextReader } from './decode.ts';
import { FeedError, feedError } from '#core/readers/error.ts';
import { gzipHeaderLength, GZIP_HEADER, GZIP_TRAILER } from './gzip.ts';

/** The compression of the bytes of a part on disk. */
type Packing = 'plain' | 'gzip' | 'deflate';

/** A stretch of a file that unpacks to one text. */
export interface Stretch {
  readonly path: string;
  /** Name for messages. */
  readonly file: string;
  readonly packing: Packing;
  /** First byte and length on disk. */
  readonly start: number;
  readonly length: number;
  /** Size and checksum of the unpacked bytes, as the zip states them; absent outside zips. */
  readonly whole?: { readonly length: number; readonly crc: number };
}

export interface ReadOptions {
  /** Stops the reading: the generator throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called with the bytes read from disk so far, out of {@link Stretch.length}. */
  readonly onBytes?: (bytes: number) => void;
  /** Unpacked bytes that are left out: a number that `onText` had of the same stretch. */
  readonly from?: number;
  /** Called before each block of text with the unpacked bytes up to its end; null if the text is not UTF-8. */
  readonly onText?: (bytes: number | null) => void;
  /** Most unpacked bytes; no bound by default. */
  readonly mostBytes?: number;
  /** Name of the text's encoding as the WHATWG standard has it; UTF-8 by default. A byte-order mark is stronger. */
  readonly encoding?: string;
  /** Replaces bytes that the encoding does not have, instead of failing. */
  readonly isLenient?: boolean;
}

/** A file on a disk, for reading a zip's directory and entries. */
export function onDisk(path: string): RandomAccess {
  return {
    file: path,
    size: peek(path, 0).size,
    read: (from, length) => peek(path, length, from).head,
  };
}

const READ_SIZE = 256 * 1024;
/**
 * Blocks that stay in the processor's cache: reading in 64 KB blocks is twice as fast as 1 MB, since
 * rows are short-lived.
 */
const UNPACK_SIZE = 64 * 1024;
/** Posts and products compress at most thirtyfold; a file that unpacks beyond both bounds was made to fill a disk. */
const MAX_RATIO = 250;
const UNCHECKED_BYTES = 64 * 1024 * 1024;

/**
 * First bytes and size of a file.
 *
 * @throws {@link FeedError} if it is missing, a folder, not a regular file, or may not be read.
 */
export function peek(path: string, length: number, from = 0): { size: number; head: Buffer } {
  let fd: number | undefined;
  try {
    // Before opening: opening a pipe waits until another program writes to it.
    const stat = statSync(path);
    if (stat.isDirectory())
      throw new FeedError('folder', path, 'is a folder; name the files in it.');
    if (!stat.isFile()) {
      const why = 'is a pipe or a device; save its content to a file first.';
      throw new FeedError('unreadable', path, why);
    }
    fd = openSync(path, 'r');
    const head = Buffer.alloc(Math.max(0, Math.min(length, stat.size - from)));
    let got = 0;
    while (got < head.length) {
      const n = readSync(fd, head, got, head.length - got, from + got);
      if (n === 0) break;
      got += n;
    }
    return { size: stat.size, head: head.subarray(0, got) };
  } catch (error) {
    throw feedError(path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

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

async function* unpacked(stretch: Stretch, options: ReadOptions): AsyncGenerator<Buffer> {
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
