import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { onThisThread } from '#server/threads.ts';
import { machineTimer } from '#tests/support/timers.ts';

/** The built program from which the service starts its threads. */
export const threadEntry = (): URL => pathToFileURL(join(inject('programs'), 'groundswell.js'));

/** Runs tasks on this thread, with the machine's clock. */
export const here = onThisThread({
  random: (n) => randomBytes(n),
  now: Date.now,
  elapsed: () => performance.now(),
  timer: machineTimer,
});
