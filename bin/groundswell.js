#!/usr/bin/env node
// Rebuilds Groundswell if its sources have changed, then runs its command line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['src', 'public', 'packaging', 'index.html', 'vite.config.ts', 'package.json'];

/** The parts of a build, each with the file that is written last. */
const SERVER = { file: 'dist/server/main.js', options: ['--ssr'] };
const PAGE = { file: 'dist/app/index.html', options: [] };
const REPORT = { file: 'dist/report/main.js', options: ['--mode', 'report'] };

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const changedAt = existsSync(join(root, 'src'))
  ? Math.max(...sources.map((path) => newest(join(root, path))))
  : 0;
const isBuilt = ({ file }) => changedAt === 0 || newest(join(root, file)) >= changedAt;

/** Builds a part unless it is newer than its sources; ends this process if that fails. */
async function build(part) {
  if (isBuilt(part)) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const child = spawn(process.execPath, [vite, 'build', ...part.options, '--logLevel', 'error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    // The caller's NODE_ENV must not turn this into a development build. A person waits.
    env: { ...process.env, NODE_ENV: 'production', GROUNDSWELL_QUICK_BUILD: '1' },
  });
  const [code, signal] = await once(child, 'close');
  if (code === 0 || signal) return;
  process.stderr.write(
    'The build failed; see the lines above. In a new clone, run `npm ci` first.\n',
  );
  process.exit(1);
}

if (![SERVER, PAGE, REPORT].every(isBuilt)) {
  process.stderr.write('Building Groundswell (first run, or its sources have changed)…\n');
}
// The service starts, and makes its sample, while its page is built; what writes reports has time after that.
const page = build(PAGE);
const report = process.argv[2] === 'serve' ? page.then(() => build(REPORT)) : build(REPORT);
await build(SERVER);
if (process.argv[2] !== 'serve') await Promise.all([page, report]);
const { main } = await import('../dist/server/main.js');
process.exitCode = await main(page);
