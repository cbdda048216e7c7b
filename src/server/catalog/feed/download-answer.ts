import type { StreamAnswer } from '#server/fetcher/fetcher.ts';
import {
  type Validators,
  type DownloadState,
  DownloadError,
  NOTHING_DOWNLOADED,
} from './download-state.ts';

/** The longest wait that a server may ask for, ms. */
export const LONGEST_RETRY_MS = 10 * 60_000;

/** The reason an attempt ended and another one may succeed. */
export class RetryDownload extends Error {
  override readonly name = 'Retry';
  /** The time that the host asks to wait, ms; null if it does not ask. */
  readonly wait: number | null;

  constructor(message: string, wait: number | null = null) {
    super(message);
    this.wait = wait;
  }
}

/** The file is no longer the one of which a part is on the disk, or the host cannot send the rest of it. */
export class ChangedDownload extends Error {
  override readonly name = 'Changed';
}

/** The validator that a request for the rest of a file may name: only an exact one (RFC 9110, section 13.1.5). */
export function exactValidator({ etag, modified }: Validators): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : modified;
}

/** The headers of a request: for a changed file only, or for the rest of one. */
export function downloadHeaders(
  state: DownloadState,
  seen: Validators | null,
): Readonly<Record<string, string>> {
  const exact = exactValidator(state);
  if (state.bytes > 0 && exact !== null) {
    return { range: `bytes=${state.bytes}-`, 'if-range': exact };
  }
  if (!seen) return {};
  return {
    ...(seen.etag !== null && { 'if-none-match': seen.etag }),
    ...(seen.modified !== null && { 'if-modified-since': seen.modified }),
  };
}

/** A length or size that a header states; null if it states none. */
function wholeOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The time that a host asks to wait, in seconds or until a date; null if it does not ask. */
export function retryWait(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const seconds = wholeOf(text);
  const ms = seconds === null ? Date.parse(text) - now : seconds * 1000;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** The state of a new download, from the headers of its answer. @throws {@link DownloadError} for an encoding that nobody asked for. */
export function answeredState({ headers }: StreamAnswer): DownloadState {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding)) {
    throw new DownloadError(
      `The host sends the feed in the encoding ${encoding.slice(0, 40)}; expected gzip or none.`,
    );
  }
  return {
    ...NOTHING_DOWNLOADED,
    total: wholeOf(headers['content-length']),
    etag: headers['etag'] ?? null,
    modified: headers['last-modified'] ?? null,
    charset: /;\s*charset="?([\w.:-]{1,40})/i.exec(headers['content-type'] ?? '')?.[1] ?? null,
  };
}

/**
 * Checks that an answer is the rest of a file.
 *
 * @throws {@link ChangedDownload} if it is another part than the request asked for, or of another file.
 */
export function checkRest(state: DownloadState, { headers }: StreamAnswer): DownloadState {
  const [, first, last, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  const isNext = Number(first) === state.bytes && Number(last) === Number(total) - 1;
  const isSame =
    (headers['etag'] ?? state.etag) === state.etag &&
    (state.total === null || state.total === Number(total));
  if (!isNext || !isSame) throw new ChangedDownload();
  return { ...state, total: Number(total) };
}
