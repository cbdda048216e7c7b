import { rmSync } from 'node:fs';
import { groundswell, makeSample, temporaryFolder } from './process.ts';

/**
 * Builds the dashboard and the service once, and makes the sample that services of tests begin with: each would
 * take some twenty seconds for its own. `npm test` names a folder that all of its runs share.
 *
 * @returns What cleans up where there is no such folder.
 */
export default function setup(): () => void {
  const { code, err } = groundswell('--version');
  if (code !== 0) throw new Error(`The build failed: ${err}`);
  const shared = process.env['GROUNDSWELL_TEST_RUN'];
  const run = shared ?? temporaryFolder();
  process.env['GROUNDSWELL_TEST_RUN'] = run;
  makeSample(run);
  return () => {
    if (shared === undefined) rmSync(run, { recursive: true, force: true });
  };
}
