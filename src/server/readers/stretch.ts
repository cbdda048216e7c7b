import { openSync, closeSync, readSync, statSync } from 'node:fs';
import type { RandomAccess } from '#core/readers/zip.ts';
import { FeedError, feedError } from '#core/readers/error.ts';

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

export const READ_SIZE = 256 * 1024;

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
