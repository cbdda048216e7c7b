import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { LICENSES } from '../../packaging/licenses.ts';
import { openBrowser, totalOf, visit } from '#tests/support/browser/browser.ts';
import { serveProcess, temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

/** Most that an installation may take, bytes. */
const MOST = 60_000_000;

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(args: readonly string[], cwd?: string): string {
  // Its settings and lifecycle variables must not reach the other package.
  const env = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_registry)/.test(name),
  );
  const options = { cwd, env: Object.fromEntries(env), shell: process.platform === 'win32' };
  return execFileSync('npm', args, { ...options, encoding: 'utf8' });
}

function sizeOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Packages that the sources import and an installation does not bring, so that the build contains them. */
function bundled(): string[] {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => /\.(?:ts|svelte)$/.test(file));
  const names = sources.flatMap((file) =>
    [
      ...readFileSync(join('src', file), 'utf8').matchAll(
        /^\s*(?:import|export) (?!type )(?:[^;']*? from )?'((?:@[^/']+\/)?[^/'#.]+)/gm,
      ),
    ].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => Object.hasOwn(devDependencies, name));
}

it(
  'the package works in an empty folder, without what only its development needs',
  { tags: 'long' },
  async () => {
    // The build is done; a second one would only take time.
    const [packed] = JSON.parse(
      npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder]),
    ) as { filename: string; files: { path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path) ?? [];
    expect(paths.filter((path) => !/^(bin|dist)\//.test(path)).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    // Each program has the licenses of the packages in it next to it.
    const parts = ['app', 'server', 'report'].map((part) => `dist/${part}/${LICENSES}`);
    expect(paths).toEqual(expect.arrayContaining(parts));
    const licensed = parts.map((part) => readFileSync(part, 'utf8')).join('\n\n');
    const packages = bundled();
    expect(packages).toEqual(expect.arrayContaining(['echarts', 'svelte', 'dexie', 'valibot']));
    expect(packages.filter((name) => !licensed.includes(`\n\n${name} `))).toEqual([]);
    const place = join(folder, 'place');
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{}');
    npm(
      [
        'install',
        '--omit=dev',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        join(folder, packed?.filename ?? ''),
      ],
      place,
    );
    const modules = join(place, 'node_modules');
    expect(sizeOf(modules)).toBeLessThan(MOST);
    expect(
      readdirSync(modules).filter((name) =>
        /^(echarts|svelte|vite|vitest|typescript|dexie)$/.test(name),
      ),
    ).toEqual([]);

    const bin = join(modules, 'groundswell', 'bin', 'groundswell.js');
    const data = join(place, 'data');
    mkdirSync(data);
    giveTinySample(data);
    const file = join(place, 'posts.csv');
    writeFileSync(
      file,
      'id,created_at,text\n1,2026-05-01T10:00:00Z,tea\n2,2026-05-02T10:00:00Z,tea\n',
    );
    const run = (...args: string[]): string =>
      execFileSync(process.execPath, [bin, ...args], {
        cwd: place,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(run('--version')).toMatch(/^groundswell \d+\.\d+\.\d+\n$/);
    run('import', file);
    const [written = ''] = run('report', '#source=posts&range=all&q=tea', '--out', 'reports').split(
      '\n',
    );
    expect(readFileSync(written, 'utf8').includes('Total</dt><dd>2 Posts in ')).toBe(true);

    const service = await serveProcess(data, {}, [], bin);
    const browser = await openBrowser(service);
    const { page, complaints } = await visit(browser);
    await page.goto(
      `${service.url}/#source=posts&from=2026-05-01&to=2026-05-02&zone=UTC&by=day&q=tea&name=Tea`,
    );
    expect(await totalOf(page, 'Tea')).toBe(2);
    expect(complaints).toEqual([]);
    await browser.close();
    expect(await service.stop()).toBe(0);
  },
);
