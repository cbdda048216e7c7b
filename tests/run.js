// What `npm test` runs: types, lint, format, then every test, and a closing line that counts them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-test-'));
let passed = 0;
let failed = 0;

async function step(name, command, args, env = {}) {
  const started = Date.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GROUNDSWELL_TEST_RUN: folder, ...env },
    shell: process.platform === 'win32',
  });
  const status = await new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', resolve);
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`);
  return status === 0;
}

/** Runs vitest and adds what it counted; a run that ended badly without a failed test counts as one. */
async function tests(name, args, env = {}) {
  const report = join(folder, `${name.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = await step(
    name,
    'npx',
    ['--no-install', 'vitest', 'run', '--maxWorkers=2', ...args, ...reporters],
    env,
  );
  let bad = 0;
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    passed += result.numPassedTests;
    bad = result.numFailedTests;
    const left = result.numPendingTests + result.numTodoTests;
    // Tests over real posts are the one kind that may be left out, and only where no posts are named.
    if (process.env.CI === 'true' && process.env.GROUNDSWELL_TEST_DATA) bad += left;
  } catch {
    bad = 1;
  }
  failed += ok ? bad : Math.max(bad, 1);
}

if (!process.env.GROUNDSWELL_TEST_DATA) {
  process.stdout.write('GROUNDSWELL_TEST_DATA is not set: the tests over real posts do not run.\n');
}
if (!(await step('build', process.execPath, ['bin/groundswell.js', '--version']))) failed += 1;
// Each keeps one core busy.
const checks = ['check:types', 'check:svelte', 'lint', 'check:format'];
for (const good of await Promise.all(checks.map((one) => step(one, 'npm', ['run', '-s', one])))) {
  if (good) passed += 1;
  else failed += 1;
}
await tests('unit and page tests', ['--project', 'unit', '--project', 'page'], { TZ: 'UTC' });
await tests(
  'time in another zone',
  ['--project', 'unit', 'tests/core/time', 'tests/core/series', 'tests/core/counts'],
  {
    TZ: 'America/Los_Angeles',
  },
);
await tests('flows and clients', ['--project', 'flow'], { TZ: 'UTC' });
await tests('browser journeys', ['--project', 'browser'], { TZ: 'UTC' });

rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
