import { rmSync } from 'node:fs';
import { temporaryFolder } from '#tests/support/service/process.ts';

/**
 * Creates the folder that the tests of a run share, unless `npm test` has named one for all of its Vitest runs.
 *
 * @returns The teardown, which removes the folder if this function created it.
 */
export default function setup(): () => void {
  if (process.env['GROUNDSWELL_TEST_RUN'] !== undefined) return () => {};
  const run = temporaryFolder();
  process.env['GROUNDSWELL_TEST_RUN'] = run;
  return () => rmSync(run, { recursive: true, force: true });
}
