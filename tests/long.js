// What `npm run test:long` runs: tests that have a short form in `npm test`, in their full form.
import { spawnSync } from 'node:child_process';

const FLOWS = [
  'tests/server/cli/commands.test.ts',
  'tests/server/cli/killed.test.ts',
  'tests/flow/stopped.test.ts',
  'tests/flow/truth.test.ts',
  'tests/flow/cluster.test.ts',
];
/** Property-based tests, crash tests, and files that depend on `long()`. */
const RUNS = [
  ['--project', 'pure', '--project', 'crash'],
  ['--project', 'unit', 'tests/server'],
  ['--project', 'flow', ...FLOWS],
];

let failed = false;
for (const args of RUNS) {
  const { status } = spawnSync('npx', ['--no-install', 'vitest', 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, GROUNDSWELL_TEST_LONG: '1', TZ: 'UTC' },
    shell: process.platform === 'win32',
  });
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
