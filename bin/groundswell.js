#!/usr/bin/env node
// Rebuilds Groundswell if its sources have changed, then runs its command line.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = ['dist/app/index.html', 'dist/server/main.js', 'dist/report/main.js'].map((file) =>
  join(root, file),
);
const sources = ['src', 'public', 'packaging', 'index.html', 'vite.config.ts', 'package.json'];

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const builtAt = Math.min(...built.map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0)));
if (existsSync(join(root, 'src')) && sources.some((path) => newest(join(root, path)) > builtAt)) {
  process.stderr.write('Building Groundswell (first run, or its sources have changed)…\n');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const build = (...options) =>
    new Promise((resolve) => {
      spawn(process.execPath, [vite, 'build', ...options, '--logLevel', 'error'], {
        cwd: root,
        stdio: ['ignore', 2, 2],
        // The caller's NODE_ENV must not turn this into a development build. A person waits: only the package is
        // minified twice.
        env: { ...process.env, NODE_ENV: 'production', GROUNDSWELL_QUICK_BUILD: '1' },
      }).once('close', resolve);
    });
  const codes = await Promise.all([build(), build('--ssr'), build('--mode', 'report')]);
  if (codes.some((code) => code !== 0)) {
    process.stderr.write(
      'The build failed; see the lines above. In a new clone, run `npm ci` first.\n',
    );
    process.exit(1);
  }
}
await import('../dist/server/main.js');
