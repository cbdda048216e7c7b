import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '#server/db/lock.ts';

/** The folder that the tests of one run share (`GROUNDSWELL_TEST_RUN` names it). */
function runFolder(): string {
  const run = process.env['GROUNDSWELL_TEST_RUN'];
  if (!run) throw new Error('expected the folder of a run of the tests');
  return run;
}

const POLL_MS = 100;

/**
 * Makes a folder of the run unless it is there. A process that needs it while another one makes it waits for that.
 *
 * @param make - Fills another folder, which then takes the name.
 * @returns Its path.
 */
export async function madeOnce(
  name: string,
  make: (making: string) => Promise<void>,
): Promise<string> {
  const folder = join(runFolder(), name);
  while (!existsSync(folder)) {
    const lock = takeLock(`${folder}.lock`);
    if (lock === null) {
      await wait(POLL_MS);
      continue;
    }
    try {
      if (existsSync(folder)) break;
      const making = `${folder}.making`;
      rmSync(making, { recursive: true, force: true });
      mkdirSync(making);
      await make(making);
      renameSync(making, folder);
    } finally {
      lock.release();
    }
  }
  return folder;
}
