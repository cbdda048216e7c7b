import type { FileHandle } from 'node:fs/promises';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { StreamAnswer } from '#server/fetcher/fetcher.ts';
import type { Timer } from '#server/timer.ts';
import {
  type DownloadState,
  type DownloadDeps,
  downloadDiskFault,
  checkSize,
  DownloadError,
  type Download,
} from './download-state.ts';
import {
  RetryDownload,
  answeredState,
  checkRest,
  ChangedDownload,
  retryWait,
  LONGEST_RETRY_MS,
  downloadHeaders,
} from './download-answer.ts';

/** A host must send so many bytes in each stretch of time, ms: far less than any that is not stuck. */
const STRETCH_MS = 60_000;
const LEAST_BYTES = 64 * 1024;

/** Bytes between two flushes to the disk, behind which a download continues after a crash. */
const FLUSHED_BYTES = 16 * 2 ** 20;

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
    await handle.datasync().catch(downloadDiskFault);
    durable = bytes;
    save({ ...begun, bytes });
  };
  try {
    for await (const part of body) {
      checkSize(bytes + part.length, limit);
      await handle.write(part, 0, part.length, bytes).catch(downloadDiskFault);
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
    throw new RetryDownload(
      `The host sent ${bytes} of the ${begun.total} bytes that it announced.`,
    );
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
  if (status === 200) return answeredState(answer);
  if (isRest && status === 206) return checkRest(state, answer);
  if (isConditional && status === 304) return 'unchanged';
  // The host no longer has a part behind what is on the disk, or it was the whole file.
  if (isRest && status === 416) throw new ChangedDownload();
  const message = `The host answered with status ${status}.`;
  if (status !== 429 && status < 500) throw new DownloadError(message);
  const wait = retryWait(headers['retry-after'], deps.now());
  if (wait !== null && wait > LONGEST_RETRY_MS) {
    throw new DownloadError(`${message} It asks to wait for ${Math.ceil(wait / 60_000)} minutes.`);
  }
  throw new RetryDownload(message, wait);
}

/** Downloads a feed or its rest. @returns The state of the download afterwards. */
export async function downloadAttempt(
  { url, seen }: Download,
  state: DownloadState,
  handle: FileHandle,
  deps: DownloadDeps,
): Promise<DownloadState | 'unchanged'> {
  const slow = watch(deps.timer);
  const signal = AbortSignal.any([deps.signal, slow.signal]);
  try {
    const headers = { 'accept-encoding': 'gzip', ...downloadHeaders(state, seen) };
    const answer = await deps.stream({ url, headers, signal });
    try {
      const begun = begin(answer, state, headers, deps);
      if (begun === 'unchanged') return begun;
      checkSize(begun.total, deps.limit);
      const { size } = await handle.stat();
      if (size > begun.bytes) await handle.truncate(begun.bytes).catch(downloadDiskFault);
      deps.save(begun);
      return await writeBody(handle, begun, answer.body, deps, slow.got);
    } finally {
      answer.discard();
    }
  } catch (error) {
    if (slow.signal.aborted) {
      throw new RetryDownload(
        `The host sent less than ${LEAST_BYTES / 1024} KB within ${STRETCH_MS / 1000} seconds.`,
      );
    }
    if (!(error instanceof FetchError)) throw error;
    if (error.fault === 'connection' || error.fault === 'timeout')
      throw new RetryDownload(error.message);
    throw new DownloadError(error.message, { cause: error });
  } finally {
    slow.end();
  }
}
