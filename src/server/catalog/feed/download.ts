import { open, stat, type FileHandle } from 'node:fs/promises';
import { errorCode } from '#core/thrown.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher, StreamAnswer } from '#server/fetcher/fetcher.ts';
import type { Machine } from '#server/machine.ts';
import type { Timer } from '#server/timer.ts';

/** Most bytes of a feed as it is sent (specification, Limits). */
export const MOST_FEED = 8 * 1024 ** 3;

/** A host must send so many bytes in each stretch of time, ms: far less than any that is not stuck. */
const STRETCH_MS = 60_000;
const LEAST_BYTES = 64 * 1024;

/** The time that a download may take, with all its attempts, ms: 8 GB at 3 megabits per second. */
const TOTAL_MS = 6 * 3_600_000;

/** Attempts in a row that bring no {@link PROGRESS} before a download fails. */
const MOST_ATTEMPTS = 6;
const PROGRESS = 2 ** 20;

/** Waits between attempts, ms: the first, which doubles, and the longest, also of those that a host asks for. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 10 * 60_000;

/** The number of times a download may begin again because the file changed. */
const MOST_STARTS = 3;

/** Bytes between two flushes to the disk, behind which a download continues after a crash. */
const FLUSHED_BYTES = 16 * 2 ** 20;

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

const NOTHING: DownloadState = {
  bytes: 0,
  total: null,
  etag: null,
  modified: null,
  charset: null,
  complete: false,
};

/** The reason an attempt ended and another one may succeed. */
class Retry extends Error {
  override readonly name = 'Retry';
  /** The time that the host asks to wait, ms; null if it does not ask. */
  readonly wait: number | null;

  constructor(message: string, wait: number | null = null) {
    super(message);
    this.wait = wait;
  }
}

/** The file is no longer the one of which a part is on the disk, or the host cannot send the rest of it. */
class Changed extends Error {
  override readonly name = 'Changed';
}

/** The validator that a request for the rest of a file may name: only an exact one (RFC 9110, section 13.1.5). */
function exactOf({ etag, modified }: Validators): string | null {
  return etag !== null && !etag.startsWith('W/') ? etag : modified;
}

function headersOf(
  state: DownloadState,
  seen: Validators | null,
): Readonly<Record<string, string>> {
  const exact = exactOf(state);
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
function waitOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const seconds = wholeOf(text);
  const ms = seconds === null ? Date.parse(text) - now : seconds * 1000;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** The state of a new download, from the headers of its answer. @throws {@link DownloadError} for an encoding that nobody asked for. */
function stateOf({ headers }: StreamAnswer): DownloadState {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding)) {
    throw new DownloadError(
      `The host sends the feed in the encoding ${encoding.slice(0, 40)}; expected gzip or none.`,
    );
  }
  return {
    ...NOTHING,
    total: wholeOf(headers['content-length']),
    etag: headers['etag'] ?? null,
    modified: headers['last-modified'] ?? null,
    charset: /;\s*charset="?([\w.:-]{1,40})/i.exec(headers['content-type'] ?? '')?.[1] ?? null,
  };
}

/**
 * Checks that an answer is the rest of a file.
 *
 * @throws {@link Changed} if it is another part than the request asked for, or of another file.
 */
function checkRest(state: DownloadState, { headers }: StreamAnswer): DownloadState {
  const [, first, last, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  const isNext = Number(first) === state.bytes && Number(last) === Number(total) - 1;
  const isSame =
    (headers['etag'] ?? state.etag) === state.etag &&
    (state.total === null || state.total === Number(total));
  if (!isNext || !isSame) throw new Changed();
  return { ...state, total: Number(total) };
}

function megabytes(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GB` : `${Math.ceil(bytes / 1024 ** 2)} MB`;
}

/** @throws {@link DownloadError} for a file that is larger than allowed. */
function checkSize(bytes: number | null, limit: number): void {
  if (bytes === null || bytes <= limit) return;
  throw new DownloadError(`The feed is larger than ${megabytes(limit)}, the most that is allowed.`);
}

/** @throws {@link DownloadError} if the disk is full. */
function diskFault(error: unknown): never {
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    throw new DownloadError('The disk of this service has no space for the feed.', {
      cause: error,
    });
  }
  throw new DownloadError(`The feed could not be written to the disk (${code}).`, { cause: error });
}

/** A signal that aborts when a host sends too little in a stretch of time. */
function watch(timer: Timer) {
  const controller = new AbortController();
  let got = 0;
  let cancel = (): void => {};
  const next = (): void => {
    cancel = timer(STRETCH_MS, () => {
      if (got < LEAST_BYTES) controller.abort();
      else next();
      got = 0;
    });
  };
  next();
  return {
    signal: controller.signal,
    got: (bytes: number) => void (got += bytes),
    end: () => cancel(),
  };
}

/** A signal that aborts after some ms. */
function late(timer: Timer, ms: number) {
  const controller = new AbortController();
  const cancel = timer(ms, () => controller.abort());
  return { signal: controller.signal, end: cancel };
}

/** Waits. @throws the signal's reason. */
function pause(ms: number, timer: Timer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = timer(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Writes the body of an answer behind what a file has. @returns The state when it ended. */
async function writeBody(
  handle: FileHandle,
  begun: DownloadState,
  body: AsyncIterable<Buffer>,
  { limit, save, onProgress, flushed = FLUSHED_BYTES }: DownloadDeps,
  got: (bytes: number) => void,
): Promise<DownloadState> {
  let { bytes } = begun;
  let durable = bytes;
  const flush = async (): Promise<void> => {
    if (bytes === durable) return;
    await handle.datasync().catch(diskFault);
    durable = bytes;
    save({ ...begun, bytes });
  };
  try {
    for await (const part of body) {
      checkSize(bytes + part.length, limit);
      await handle.write(part, 0, part.length, bytes).catch(diskFault);
      bytes += part.length;
      got(part.length);
      onProgress?.(bytes, begun.total);
      if (bytes - durable >= flushed) await flush();
    }
  } finally {
    // Another attempt, or another process, continues here.
    await flush();
  }
  if (begun.total !== null && bytes < begun.total) {
    throw new Retry(`The host sent ${bytes} of the ${begun.total} bytes that it announced.`);
  }
  return { ...begun, bytes, total: bytes };
}

/** The content of an answer: the file or its rest, or nothing new. */
function begin(
  answer: StreamAnswer,
  state: DownloadState,
  asked: Readonly<Record<string, string>>,
  deps: DownloadDeps,
): DownloadState | 'unchanged' {
  const { status, headers } = answer;
  const isRest = 'range' in asked;
  const isConditional = 'if-none-match' in asked || 'if-modified-since' in asked;
  if (status === 200) return stateOf(answer);
  if (isRest && status === 206) return checkRest(state, answer);
  if (isConditional && status === 304) return 'unchanged';
  // The host no longer has a part behind what is on the disk, or it was the whole file.
  if (isRest && status === 416) throw new Changed();
  const message = `The host answered with status ${status}.`;
  if (status !== 429 && status < 500) throw new DownloadError(message);
  const wait = waitOf(headers['retry-after'], deps.now());
  if (wait !== null && wait > LONGEST_WAIT_MS) {
    throw new DownloadError(`${message} It asks to wait for ${Math.ceil(wait / 60_000)} minutes.`);
  }
  throw new Retry(message, wait);
}

/** Downloads a feed or its rest. @returns The state of the download afterwards. */
async function attempt(
  { url, seen }: Download,
  state: DownloadState,
  handle: FileHandle,
  deps: DownloadDeps,
): Promise<DownloadState | 'unchanged'> {
  const slow = watch(deps.timer);
  const signal = AbortSignal.any([deps.signal, slow.signal]);
  try {
    const headers = { 'accept-encoding': 'gzip', ...headersOf(state, seen) };
    const answer = await deps.stream({ url, headers, signal });
    try {
      const begun = begin(answer, state, headers, deps);
      if (begun === 'unchanged') return begun;
      checkSize(begun.total, deps.limit);
      const { size } = await handle.stat();
      if (size > begun.bytes) await handle.truncate(begun.bytes).catch(diskFault);
      deps.save(begun);
      return await writeBody(handle, begun, answer.body, deps, slow.got);
    } finally {
      answer.discard();
    }
  } catch (error) {
    if (slow.signal.aborted) {
      throw new Retry(
        `The host sent less than ${LEAST_BYTES / 1024} KB within ${STRETCH_MS / 1000} seconds.`,
      );
    }
    if (!(error instanceof FetchError)) throw error;
    if (error.fault === 'connection' || error.fault === 'timeout') throw new Retry(error.message);
    throw new DownloadError(error.message, { cause: error });
  } finally {
    slow.end();
  }
}

/** The state of a download on the disk; nothing if its file does not have as much. */
async function stateOnDisk({ file, state }: Download): Promise<DownloadState> {
  if (!state) return NOTHING;
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  return size >= state.bytes ? state : NOTHING;
}

/**
 * Downloads a feed to a file, and resumes it there: over connections that break, and after the process ended. A file that
 * changes meanwhile is downloaded again from its beginning.
 *
 * @returns The state of the complete file; `unchanged` if the host says that it is the one that was seen last.
 * @throws {@link DownloadError} if the feed cannot be had; the signal's reason if it aborts.
 */
export async function downloadFeed(
  download: Download,
  deps: DownloadDeps,
): Promise<DownloadState | 'unchanged'> {
  let state = await stateOnDisk(download);
  if (state.complete) return state;
  const { timer, signal, save } = deps;
  const handle = await open(download.file, state.bytes > 0 ? 'r+' : 'w', 0o600).catch(diskFault);
  const ended = late(timer, TOTAL_MS);
  const either = AbortSignal.any([signal, ended.signal]);
  const stored: DownloadDeps = {
    ...deps,
    signal: either,
    save: (now) => {
      state = now;
      save(now);
    },
  };
  let failures = 0;
  let starts = 1;
  let wait = 0;
  try {
    for (;;) {
      const before = state.bytes;
      try {
        if (wait > 0) await pause(wait, timer, either);
        const done = await attempt(download, state, handle, stored);
        if (done === 'unchanged') return done;
        const complete = { ...done, complete: true };
        save(complete);
        return complete;
      } catch (error) {
        signal.throwIfAborted();
        if (ended.signal.aborted) {
          throw new DownloadError(`The download took longer than ${TOTAL_MS / 3_600_000} hours.`);
        }
        if (error instanceof Changed && ++starts <= MOST_STARTS) {
          [state, wait] = [NOTHING, 0];
          continue;
        }
        if (error instanceof Changed) {
          throw new DownloadError('The feed changes again and again while it is downloaded.');
        }
        if (!(error instanceof Retry)) throw error;
        failures = state.bytes - before >= PROGRESS ? 0 : failures + 1;
        if (failures >= MOST_ATTEMPTS) {
          throw new DownloadError(`${error.message} The download failed ${MOST_ATTEMPTS} times.`);
        }
        // The rest of a file without a validator could be that of another one.
        if (exactOf(state) === null) state = NOTHING;
        const doubled = FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1);
        wait = Math.min(error.wait ?? doubled, LONGEST_WAIT_MS);
      }
    }
  } finally {
    ended.end();
    await handle.close();
  }
}
