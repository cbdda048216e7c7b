// What `npm run test:long` runs: every test in its full form, also those that `npm test` leaves out.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('npx', ['--no-install', 'vitest', 'run'], {
  stdio: 'inherit',
  env: { ...process.env, GROUNDSWELL_TEST_LONG: '1', TZ: 'UTC' },
  shell: process.platform === 'win32',
});
process.exit(status ?? 1);
