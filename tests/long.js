// The program of `npm run test:long`: every test in its full form, also those that `npm test` leaves out.
// The page tests and all journeys also run on the browser that GROUNDSWELL_TEST_CURRENT_BROWSER names, and one journey
// in Firefox ESR and in WebKitGTK, which Debian has.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

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

/** Programs of the other browsers, with the packages of Debian that have them. */
const OTHERS = [
  ['/usr/bin/firefox-esr', 'firefox-esr'],
  ['/usr/bin/WebKitWebDriver', 'webkit2gtk-driver'],
  ['/usr/bin/Xvfb', 'xvfb'],
];
const missing = OTHERS.filter(([path]) => !existsSync(path)).map(([, name]) => name);
if (missing.length > 0) {
  process.stdout.write(
    `The journeys in Firefox and WebKit do not all run: apt-get install ${missing.join(' ')}\n`,
  );
}
const [firefox, webkit, screen] = OTHERS.map(([path]) => existsSync(path) && path);

const others = {
  ...(firefox && { GROUNDSWELL_TEST_FIREFOX: firefox }),
  ...(webkit && screen && { GROUNDSWELL_TEST_WEBKIT: webkit }),
};
const results = [passes([], others), missing.length === 0 || process.env.CI !== 'true'];
const CURRENT = process.env.GROUNDSWELL_TEST_CURRENT_BROWSER;
if (CURRENT) {
  results.push(passes(['--project', 'page', '--project', 'browser'], { CHROME_PATH: CURRENT }));
}
process.exit(results.every(Boolean) ? 0 : 1);
