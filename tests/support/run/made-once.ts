import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { takeLock } from '#server/db/lock.ts';

/** The folder that the tests of one run share, named by `GROUNDSWELL_TEST_RUN`. */
function runFolder(): string {
  const run = process.env['GROUNDSWELL_TEST_RUN'];
  if (!run) throw new Error('expected GROUNDSWELL_TEST_RUN to name the folder of the test run');
  return run;
}

const POLL_MS = 100;

/**
 * Makes a folder once per test run. A process that needs it while another one makes it waits.
 *
 * @param make - Fills a temporary folder, which is then renamed.
 * @returns The path of the folder.
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
