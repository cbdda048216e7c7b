// The program of `npm run test:long`: every test in its full form, also those that `npm test` leaves out.
// The page tests and all journeys also run on the browser that GROUNDSWELL_TEST_CURRENT_BROWSER names.
import { spawnSync } from 'node:child_process';

const WINDOWS = process.platform === 'win32';

// As the package is built: a clone is not minified twice.
const built = spawnSync('npm', ['run', '-s', 'build'], { stdio: 'inherit', shell: WINDOWS });
if (built.status !== 0) process.exit(1);

/** Runs Vitest. @returns True if every test passed. */
function passes(args, env = {}) {
  const { status } = spawnSync('npx', ['--no-install', 'vitest', 'run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, GROUNDSWELL_TEST_LONG: '1', TZ: 'UTC', ...env },
    shell: WINDOWS,
  });
  return status === 0;
}

const results = [passes([])];
const CURRENT = process.env.GROUNDSWELL_TEST_CURRENT_BROWSER;
if (CURRENT) {
  results.push(passes(['--project', 'page', '--project', 'browser'], { CHROME_PATH: CURRENT }));
}
process.exit(results.every(Boolean) ? 0 : 1);
