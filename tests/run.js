// What `npm test` runs: types, lint, format, then every test, and a closing line that counts them.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Room that the files of the tests take, and as much again. */
const ROOM = 4 * 2 ** 30;

/** Where the tests write: in memory where the system has room for that, as most of their time went to the disk. */
function temporary() {
  const memory = '/dev/shm';
  if (process.env.TMPDIR || process.platform !== 'linux') return tmpdir();
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= ROOM ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

const disk = mkdtempSync(join(tmpdir(), 'groundswell-disk-'));
const folder = mkdtempSync(join(temporary(), 'groundswell-test-'));
process.once('exit', () => {
  for (const used of [folder, disk]) rmSync(used, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
let passed = 0;
let failed = 0;
/** Of each file of tests: its name, and how long it took, ms. */
const files = [];

async function step(name, command, args, env = {}) {
  const started = Date.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      TMPDIR: folder,
      GROUNDSWELL_TEST_RUN: folder,
      GROUNDSWELL_TEST_DISK: disk,
      ...env,
    },
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

/** Runs a check, which counts as one test. */
async function check(name, command, args) {
  if (await step(name, command, args)) passed += 1;
  else failed += 1;
}

/** Runs vitest and adds what it counted; a run that ended badly without a failed test counts as one. */
async function tests(name, workers, args, env = { TZ: 'UTC' }) {
  const report = join(folder, `${name.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = await step(
    name,
    'npx',
    ['--no-install', 'vitest', 'run', `--maxWorkers=${workers}`, ...args, ...reporters],
    env,
  );
  let bad = 0;
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    passed += result.numPassedTests;
    bad = result.numFailedTests;
    for (const file of result.testResults) {
      files.push({ name: relative('', file.name), ms: file.endTime - file.startTime });
    }
    const left = result.numPendingTests + result.numTodoTests;
    // Tests over real posts are the one kind that may be left out, and only where no posts are named.
    if (process.env.CI === 'true' && process.env.GROUNDSWELL_TEST_DATA) bad += left;
  } catch {
    bad = 1;
  }
  failed += ok ? bad : Math.max(bad, 1);
}

/** What keeps one core busy: the build, and the checks. `check:svelte` checks the types of every file. */
async function checks() {
  if (!(await step('build', process.execPath, ['bin/groundswell.js', '--version']))) failed += 1;
  for (const each of ['check:svelte', 'lint', 'check:language', 'check:format']) {
    await check(each, 'npm', ['run', '-s', each]);
  }
}

/** What keeps the other busy meanwhile. */
async function pureTests() {
  await tests('pure tests', 1, ['--project', 'pure']);
  await tests('time in another zone', 1, ['--project', 'pure', 'tests/core/time/zone.test.ts'], {
    TZ: 'America/Los_Angeles',
  });
}

if (!process.env.GROUNDSWELL_TEST_DATA) {
  process.stdout.write('GROUNDSWELL_TEST_DATA is not set: the tests over real posts do not run.\n');
}
process.stdout.write(`The tests write to ${folder}, those of crashes to ${disk}.\n`);
await Promise.all([checks(), pureTests()]);
await tests('unit and page tests', 2, [
  '--project',
  'unit',
  '--project',
  'crash',
  '--project',
  'page',
]);
await tests('flows and clients', 2, ['--project', 'flow']);
await tests('browser journeys', 2, ['--project', 'browser']);

process.stdout.write('The ten slowest files of tests:\n');
for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, 10)) {
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
