import { errorCode } from '#core/thrown.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { Machine } from '#server/machine.ts';

/** Most bytes of a feed as it is sent (specification, Limits). */
export const MOST_FEED = 8 * 1024 ** 3;

/** The headers that show whether a file on a host has changed: its `etag` and `last-modified`. */
export interface Validators {
  readonly etag: string | null;
  readonly modified: string | null;
}

/** The state of a download on the disk. */
export interface DownloadState extends Validators {
  /** Bytes that survive a crash. */
  readonly bytes: number;
  /** All bytes; null if the host does not say. */
  readonly total: number | null;
  /** Encoding of the text that the host states. */
  readonly charset: string | null;
  readonly complete: boolean;
}

/** A download that failed. The message is a sentence for the merchant, without the address. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

export interface DownloadDeps extends Pick<Machine, 'now' | 'timer'> {
  readonly stream: Fetcher['stream'];
  /** Ends the download; it can continue from what it saved. */
  readonly signal: AbortSignal;
  /** Stores the state, durably. */
  readonly save: (state: DownloadState) => void;
  readonly onProgress?: (bytes: number, total: number | null) => void;
  /** Most bytes of the file. */
  readonly limit: number;
  /** Bytes between two flushes to the disk. */
  readonly flushed?: number;
}

export interface Download {
  readonly url: string;
  readonly file: string;
  /** The state on the disk; null if nothing is there. */
  readonly state: DownloadState | null;
  /** Validators of the file that was read last: if it has not changed, nothing is downloaded. */
  readonly seen: Validators | null;
}

/** The state before the first byte. */
export const NOTHING_DOWNLOADED: DownloadState = {
  bytes: 0,
  total: null,
  etag: null,
  modified: null,
  charset: null,
  complete: false,
};

function megabytes(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GB` : `${Math.ceil(bytes / 1024 ** 2)} MB`;
}

/** @throws {@link DownloadError} for a file that is larger than allowed. */
export function checkSize(bytes: number | null, limit: number): void {
  if (bytes === null || bytes <= limit) return;
  throw new DownloadError(`The feed is larger than ${megabytes(limit)}, the most that is allowed.`);
}

/** @throws {@link DownloadError} if the disk is full. */
export function downloadDiskFault(error: unknown): never {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    throw new DownloadError('The disk of this service has no space for the feed.', {
      cause: error,
    });
  }
  throw new DownloadError(`The feed could not be written to the disk (${code}).`, { cause: error });
}
