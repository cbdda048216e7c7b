import { rmSync } from 'node:fs';
import { temporaryFolder } from './process.ts';

/**
 * Names the folder that a run of the tests shares: `npm test` names one for all of its runs.
 *
 * @returns What cleans up where there was no such folder.
 */
export default function setup(): () => void {
  if (process.env['GROUNDSWELL_TEST_RUN'] !== undefined) return () => {};
  const run = temporaryFolder();
  process.env['GROUNDSWELL_TEST_RUN'] = run;
  return () => rmSync(run, { recursive: true, force: true });
}
