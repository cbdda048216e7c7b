// `npm test`: types, lint, language, format and every test but those tagged `long`, in parallel on all cores, with a
// final count.
// Some journeys also run on the browser that GROUNDSWELL_TEST_CURRENT_BROWSER names.
import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Twice the space the files of the tests take, bytes. */
const ROOM = 6 * 2 ** 30;

/** The folder the tests write to: in memory if there is enough, because most of their time was disk time. */
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
/** Imports and transformed modules that outlast this run. */
const cache = process.env.GROUNDSWELL_TEST_CACHE ?? join(tmpdir(), 'groundswell-test-cache');
/** Transformed modules, of which each change of a file adds one: about 18 kB each. */
const modules = join(cache, 'modules');
if (existsSync(modules) && readdirSync(modules).length > 10_000) {
  rmSync(modules, { recursive: true, force: true });
}
const folder = mkdtempSync(join(temporary(), 'groundswell-test-'));
process.once('exit', () => {
  for (const used of [folder, disk]) rmSync(used, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
let passed = 0;
let failed = 0;
/** Name and duration (ms) of each test file. */
const files = [];

/** The file of the last run's stages. */
const STAGES = 'tests/output/stages.json';
/** Name, wall and CPU time (s) of each step; the CPU time is null where it is not known. */
const stages = [];

/** Runs a program in a shell, which then prints the CPU time of the program and of its children. */
const TIMED = ['-c', '"$@"; status=$?; times; exit $status', 'sh'];
/** The output of `times`: user and system time of the shell, then of what it ran. */
const CPU_TIMES = /^\S+ \S+\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/m;

/** Runs a program and prints its output in one piece at the end, because others run at the same time. */
async function step(name, command, args, env = {}) {
  const started = Date.now();
  const windows = process.platform === 'win32';
  const [program, ...rest] = windows ? [command, ...args] : ['sh', ...TIMED, command, ...args];
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      TMPDIR: folder,
      GROUNDSWELL_TEST_RUN: folder,
      GROUNDSWELL_TEST_DISK: disk,
      GROUNDSWELL_TEST_CACHE: cache,
      ...env,
    },
    shell: windows,
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => said.push(part));
  const status = await new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', resolve);
  });
  const wall = Math.round((Date.now() - started) / 1000);
  const text = Buffer.concat(said).toString();
  const [times = '', ...parts] = CPU_TIMES.exec(text) ?? [];
  const [userMinutes, user, systemMinutes, system] = parts.map(Number);
  const busy = 60 * (userMinutes + systemMinutes) + user + system;
  const cpu = times === '' ? null : Math.round(busy);
  stages.push({ name, wall, cpu });
  process.stdout.write(text.replace(times, ''));
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${wall} s)\n`);
  return status === 0;
}

/** Runs a step that others depend on. */
async function prepare(name, command, args) {
  if (!(await step(name, command, args))) failed += 1;
}

/** Runs a check, which counts as one test. */
async function check(script) {
  if (await step(script, 'npm', ['run', '-s', script])) passed += 1;
  else failed += 1;
}

/** Runs vitest with one worker and adds its counts; a failed run without a failed test counts as one failure. */
async function tests(name, args, env = {}) {
  const report = join(folder, `${name.replaceAll(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = await step(
    name,
    'npx',
    [
      '--no-install',
      'vitest',
      'run',
      '--maxWorkers=1',
      '--tags-filter=!long',
      ...args,
      ...reporters,
    ],
    { TZ: 'UTC', ...env },
  );
  let bad = 0;
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    passed += result.numPassedTests;
    bad = result.numFailedTests;
    for (const file of result.testResults) {
      files.push({ name: relative('', file.name), ms: file.endTime - file.startTime });
    }
    const skipped = result.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(
        ({ status, tags }) => !['passed', 'failed'].includes(status) && !tags.includes('long'),
      );
    // Only tests over real posts and with a program that cannot be installed may be skipped.
    const {
      CI,
      GROUNDSWELL_TEST_DATA: posts,
      GROUNDSWELL_TEST_CLICKHOUSE: clickhouse,
      GROUNDSWELL_TEST_OFFICE: office,
      GROUNDSWELL_TEST_NOTEBOOKS: notebooks,
    } = process.env;
    const programs = [clickhouse, office, notebooks];
    if (CI === 'true' && posts && !programs.includes('none')) bad += skipped.length;
  } catch {
    bad = 1;
  }
  failed += ok ? bad : Math.max(bad, 1);
}

const data = (what) => [process.execPath, ['--import', 'tsx', 'tests/make-data.ts', what]];

/** Another browser for {@link JOURNEYS}: a current one, such as users have. */
const CURRENT = process.env.GROUNDSWELL_TEST_CURRENT_BROWSER;

/** The fewest journeys that show what differs between browsers: storage, cookies between sites, and drawing. */
const JOURNEYS = ['consent', 'sample'].map((name) => `tests/browser/${name}.test.ts`);

/**
 * All jobs, in starting order; a job with `after` waits for that one. The longest comes first, then those that others
 * depend on, and the short ones last, which fill the gaps at the end.
 */
const JOBS = [
  { name: 'unit', run: () => tests('unit tests', ['--project', 'unit']) },
  {
    name: 'build',
    run: () => prepare('build', process.execPath, ['bin/groundswell.js', '--version']),
  },
  {
    name: 'pure',
    run: () => tests('pure tests', ['--project', 'pure', '--project', 'zone']),
  },
  { name: 'sample', after: 'build', run: () => prepare('sample', ...data('sample')) },
  ...(process.env.GROUNDSWELL_TEST_DATA
    ? [
        {
          name: 'corpora',
          after: 'build',
          run: () => prepare('import of real posts', ...data('corpora')),
        },
      ]
    : []),
  {
    name: 'browser',
    after: 'sample',
    run: () => tests('browser journeys', ['--project', 'browser']),
  },
  { name: 'flow', after: 'build', run: () => tests('flows and clients', ['--project', 'flow']) },
  { name: 'crash', run: () => tests('crash tests', ['--project', 'crash']) },
  { name: 'page', run: () => tests('page tests', ['--project', 'page']) },
  // After the same on the bundled browser, with which it shares files.
  ...(CURRENT
    ? [
        {
          name: 'browser current',
          after: 'browser',
          run: () =>
            tests('journeys on a current browser', ['--project', 'browser', ...JOURNEYS], {
              CHROME_PATH: CURRENT,
            }),
        },
      ]
    : []),
  // It also checks the types of every .ts file.
  { name: 'check:svelte', run: () => check('check:svelte') },
  { name: 'check:package', after: 'build', run: () => check('check:package') },
  { name: 'check:format', run: () => check('check:format') },
  { name: 'lint', run: () => check('lint') },
  { name: 'check:language', run: () => check('check:language') },
];

/** One more than the cores, because every job waits for the disk at times. */
const AT_ONCE = Math.max(2, availableParallelism()) + 1;

/** Runs the jobs, {@link AT_ONCE} at a time. */
async function runAll() {
  const waiting = [...JOBS];
  const done = new Set();
  const running = new Set();
  while (waiting.length + running.size > 0) {
    while (running.size < AT_ONCE) {
      const next = waiting.findIndex(({ after }) => after === undefined || done.has(after));
      if (next < 0) break;
      const [job] = waiting.splice(next, 1);
      const work = job.run().then(() => {
        done.add(job.name);
        running.delete(work);
      });
      running.add(work);
    }
    await Promise.race(running);
  }
}

if (!process.env.GROUNDSWELL_TEST_DATA) {
  process.stdout.write('GROUNDSWELL_TEST_DATA is not set: the tests over real posts do not run.\n');
}
process.stdout.write(`Test files are in ${folder}, those of crash tests in ${disk}.\n`);
await runAll();

mkdirSync('tests/output', { recursive: true });
writeFileSync(STAGES, `${JSON.stringify(stages, null, 2)}\n`);
process.stdout.write(`Seconds of each stage, of the clock and of all cores (${STAGES}):\n`);
for (const { name, wall, cpu } of stages.toSorted((a, b) => b.cpu - a.cpu)) {
  process.stdout.write(`${String(wall).padStart(6)} ${String(cpu ?? '').padStart(6)}  ${name}\n`);
}
process.stdout.write('The ten slowest test files:\n');
for (const { name, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, 10)) {
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
