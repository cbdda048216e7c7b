// What `npm run test:long` runs: tests that have a short form in `npm test`, in their full form.
import { spawnSync } from 'node:child_process';

const FILES = [
  'tests/core/query/fuzz.test.ts',
  'tests/core/series/zones-law.test.ts',
  'tests/server/index/agreement.test.ts',
  'tests/server/maintenance/compact.test.ts',
  'tests/server/crash/kill.test.ts',
  'tests/server/crash/random-kills.test.ts',
  'tests/server/cli/killed.test.ts',
];

const { status } = spawnSync(
  'npx',
  ['--no-install', 'vitest', 'run', '--project', 'unit', '--project', 'flow', ...FILES],
  {
    stdio: 'inherit',
    env: { ...process.env, GROUNDSWELL_TEST_LONG: '1', TZ: 'UTC' },
    shell: process.platform === 'win32',
  },
);
process.exit(status ?? 1);
