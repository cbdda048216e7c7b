import { open, stat } from 'node:fs/promises';
import type { Timer } from '#server/timer.ts';
import {
  type Download,
  type DownloadState,
  NOTHING_DOWNLOADED,
  type DownloadDeps,
  downloadDiskFault,
  DownloadError,
} from './download-state.ts';
import { downloadAttempt } from './download-attempt.ts';
import {
  ChangedDownload,
  RetryDownload,
  exactValidator,
  LONGEST_RETRY_MS,
} from './download-answer.ts';

/** The time that a download may take, with all its attempts, ms: 8 GB at 3 megabits per second. */
const TOTAL_MS = 6 * 3_600_000;

/** Attempts in a row that bring no {@link PROGRESS} before a download fails. */
const MOST_ATTEMPTS = 6;
const PROGRESS = 2 ** 20;

/** Waits between attempts, ms: the first, which doubles, and the longest, also of those that a host asks for. */
const FIRST_WAIT_MS = 1000;

/** The number of times a download may begin again because the file changed. */
const MOST_STARTS = 3;

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

/** The state of a download on the disk; nothing if its file does not have as much. */
async function stateOnDisk({ file, state }: Download): Promise<DownloadState> {
  if (!state) return NOTHING_DOWNLOADED;
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  return size >= state.bytes ? state : NOTHING_DOWNLOADED;
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
  const handle = await open(download.file, state.bytes > 0 ? 'r+' : 'w', 0o600).catch(
    downloadDiskFault,
  );
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
        const done = await downloadAttempt(download, state, handle, stored);
        if (done === 'unchanged') return done;
        const complete = { ...done, complete: true };
        save(complete);
        return complete;
      } catch (error) {
        signal.throwIfAborted();
        if (ended.signal.aborted) {
          throw new DownloadError(`The download took longer than ${TOTAL_MS / 3_600_000} hours.`);
        }
        if (error instanceof ChangedDownload && ++starts <= MOST_STARTS) {
          [state, wait] = [NOTHING_DOWNLOADED, 0];
          continue;
        }
        if (error instanceof ChangedDownload) {
          throw new DownloadError('The feed changes again and again while it is downloaded.');
        }
        if (!(error instanceof RetryDownload)) throw error;
        failures = state.bytes - before >= PROGRESS ? 0 : failures + 1;
        if (failures >= MOST_ATTEMPTS) {
          throw new DownloadError(`${error.message} The download failed ${MOST_ATTEMPTS} times.`);
        }
        // The rest of a file without a validator could be that of another one.
        if (exactValidator(state) === null) state = NOTHING_DOWNLOADED;
        const doubled = FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1);
        wait = Math.min(error.wait ?? doubled, LONGEST_RETRY_MS);
      }
    }
  } finally {
    ended.end();
    await handle.close();
  }
}
