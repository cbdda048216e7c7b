import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function groundswell(...args: string[]): void {
  const { status } = spawnSync(process.execPath, ['bin/groundswell.js', ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`groundswell ${args.join(' ')} failed; see the lines above.`);
}

/**
 * Builds the dashboard and the service once, and makes the sample that services of tests begin with: each would
 * take some twenty seconds for its own. `npm test` names a folder that all of its runs share.
 *
 * @returns What cleans up where there is no such folder.
 */
export default function setup(): () => void {
  groundswell('--version');
  const shared = process.env['GROUNDSWELL_TEST_RUN'];
  const run = shared ?? mkdtempSync(join(tmpdir(), 'groundswell-run-'));
  process.env['GROUNDSWELL_TEST_RUN'] = run;
  const sample = join(run, 'sample');
  if (!existsSync(sample)) {
    const making = `${sample}.making`;
    mkdirSync(making, { recursive: true });
    groundswell('sample', '--data', making);
    renameSync(making, sample);
  }
  return () => {
    if (shared === undefined) rmSync(run, { recursive: true, force: true });
  };
}
