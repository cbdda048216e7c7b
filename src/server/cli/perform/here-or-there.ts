import { setTimeout as sleep } from 'node:timers/promises';
import type { ServeNote } from '#contract/control/control.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { CommandError } from '#server/command-error.ts';
import type { DataFolder } from '#server/data-folder.ts';

/** The time to wait for a service that is starting. */
const STARTING_MS = 60_000;
const RETRY_MS = 100;

/**
 * Works on a data folder that this process has locked, or through the service that is running on it.
 *
 * @param there - Returns false if no service answers to the note.
 * @throws {@link CommandError} if another command is using the folder.
 */
export async function hereOrThere(
  deps: CommandDeps,
  folder: DataFolder,
  here: () => Promise<void>,
  there: (note: ServeNote) => Promise<boolean>,
): Promise<void> {
  const until = deps.now() + STARTING_MS;
  for (;;) {
    const lock = folder.take();
    if (lock) {
      try {
        await here();
      } finally {
        lock.release();
      }
      return;
    }
    const note = folder.readNote();
    if (note && note.port !== null && (await there(note))) return;
    // A note without a port belongs to a service that is starting.
    if (!note || note.port !== null || deps.now() > until) {
      throw new CommandError(
        `The data folder ${folder.path} is in use by another groundswell command; try again when it has finished.`,
      );
    }
    await sleep(RETRY_MS, undefined, { signal: deps.stopping });
  }
}
