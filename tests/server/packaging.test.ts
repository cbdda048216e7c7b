import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { build } from 'vite';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { compressed } from '../../packaging/compressed.ts';
import { LICENSES, licenses } from '../../packaging/licenses.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-packaging-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string): string => readFileSync(file, 'utf8');

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /^([A-Z]+) (.+)$/.exec(line)!.slice(1) as [string, string]);
  const of = (name: string): string[] =>
    lines.flatMap(([one, rest]) => (one === name ? [rest] : []));

  test('copies only what the clone has, and runs what the package has', () => {
    const copied = of('COPY')
      .filter((rest) => !rest.startsWith('--from'))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    const ignored = read('.dockerignore').split('\n');
    expect(copied.filter((path) => ignored.includes(path))).toEqual([]);
    const { bin, files } = JSON.parse(read('package.json')) as {
      bin: { groundswell: string };
      files: string[];
    };
    expect(JSON.parse(of('ENTRYPOINT')[0]!)).toEqual([
      'node',
      `/opt/groundswell/${bin.groundswell}`,
    ]);
    expect(files).toContain('bin');
  });

  test('ends as a user without rights, with a volume for the data and a check of health', () => {
    const last = lines.slice(lines.findLastIndex(([name]) => name === 'FROM'));
    const names = last.map(([name]) => name);
    expect(names.indexOf('USER')).toBeGreaterThan(names.lastIndexOf('COPY'));
    expect([of('USER'), of('VOLUME')]).toEqual([['1000:1000'], ['/data']]);
    expect(of('HEALTHCHECK')[0]).toContain('/opt/groundswell/health.js');
    expect(of('ENV')[0]).toContain('GROUNDSWELL_DATA=/data');
  });
});

describe('compose.yaml', () => {
  interface Service {
    readonly [key: string]: unknown;
    readonly ports?: string[];
    readonly profiles?: string[];
  }
  const { services, configs, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    configs: { shards: { content: string } };
    volumes: Record<string, null>;
  };

  test('runs the service with a read-only file system and no rights, for this machine alone', () => {
    expect(services['groundswell']).toMatchObject({
      network_mode: 'host',
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['data:/data'],
    });
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(new Set(ports).size).toBe(ports.length);
  });

  test('has two shards in the profile of the cluster, each with its own volume', () => {
    const shards = Object.entries(services).filter(([, service]) =>
      service.profiles?.includes('cluster'),
    );
    const used = shards.flatMap(([, service]) => service['volumes'] as string[]);
    expect(used.map((text) => text.split(':')[0])).toEqual(shards.map(([name]) => name));
    expect(Object.keys(volumes)).toEqual(['data', ...shards.map(([name]) => name)]);
    const hosts: string[] = [];
    const xml = new SaxesParser();
    xml.on('text', (text) => void (/^clickhouse-\d$/.test(text) && hosts.push(text)));
    xml.write(configs.shards.content).close();
    expect(hosts).toEqual(shards.map(([name]) => name));
  });
});

describe('the systemd unit', () => {
  const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  const isThere = analyze('--version').status === 0;

  test.runIf(isThere)('is valid, and exposes little', () => {
    const unit = join(folder, 'groundswell.service');
    writeFileSync(
      unit,
      read('packaging/groundswell.service').replace('/usr/bin/node', process.execPath),
    );
    const verified = analyze('verify', unit);
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    const rated = analyze('security', '--offline=true', '--threshold=20', unit);
    expect([rated.status, rated.stderr]).toEqual([0, '']);
  });

  test('runs the package with its data in the folder that the unit may write', () => {
    const text = read('packaging/groundswell.service');
    const value = (key: string): string | undefined =>
      new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1];
    const { bin } = JSON.parse(read('package.json')) as { bin: { groundswell: string } };
    expect(value('ExecStart')).toContain(`node_modules/groundswell/${bin.groundswell} serve`);
    expect(value('Environment')).toContain(`GROUNDSWELL_DATA=/var/lib/${value('StateDirectory')}`);
    // A stop waits for requests to the platform, and then for answers that are being sent.
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(17);
  });
});

describe('the licenses of a build', () => {
  const module = (path: string): string =>
    JSON.stringify(join(process.cwd(), 'node_modules', path));
  /** Builds a page. @param worker - The program of its worker. @returns The file with the licenses. */
  const built = async (page: string, worker: string): Promise<string> => {
    const root = mkdtempSync(join(folder, 'page-'));
    writeFileSync(join(root, 'page.js'), page);
    writeFileSync(join(root, 'worker.js'), worker);
    const { program, worker: inWorker } = licenses();
    await build({
      root,
      configFile: false,
      publicDir: false,
      logLevel: 'silent',
      plugins: [program],
      worker: { format: 'es', plugins: () => [inWorker] },
      build: { outDir: 'out', rolldownOptions: { input: join(root, 'page.js') } },
    });
    return readFileSync(join(root, 'out', LICENSES), 'utf8');
  };
  const START = `new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });`;

  test('are those of the page and of its workers, with notices, and of no other package', async () => {
    const text = await built(
      `import { wrap } from ${module('comlink/dist/esm/comlink.mjs')}; wrap(${START.slice(0, -1)});`,
      `import Dexie from ${module('dexie/dist/modern/dexie.mjs')}; self.x = new Dexie('x');`,
    );
    const names = [...text.matchAll(/={80}\n\n(\S+) \d/g)].map(([, name]) => name);
    expect(names).toEqual(['comlink', 'dexie']);
    const terms = read('node_modules/dexie/LICENSE').trim();
    expect(text).toContain(terms);
    expect(text).toContain(read('node_modules/dexie/NOTICE').trim());
  });

  test('fail the build for a package without a text, unless there is one here', async () => {
    const text = await built(
      `import { SaxesParser } from ${module('saxes/saxes.js')}; window.x = SaxesParser;`,
      '',
    );
    expect(text).toContain('Isaac Z. Schlueter');
    const bare = mkdtempSync(join(folder, 'bare-'));
    const place = join(bare, 'node_modules', 'bare');
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{"name":"bare","version":"1.0.0"}');
    writeFileSync(join(place, 'index.js'), 'export const x = Math.random();');
    const page = `import { x } from ${JSON.stringify(join(place, 'index.js'))}; window.x = x;`;
    await expect(built(page, '')).rejects.toThrow('bare is bundled and has no license');
  });
});

describe('the compressed files of a build', () => {
  test('hold what the files hold, and there are none of small ones', async () => {
    const root = mkdtempSync(join(folder, 'packed-'));
    const long = `console.log(${JSON.stringify('long '.repeat(1000))});`;
    writeFileSync(join(root, 'long.js'), long);
    writeFileSync(join(root, 'short.js'), 'console.log(1);');
    await build({
      root,
      configFile: false,
      publicDir: false,
      logLevel: 'silent',
      plugins: [compressed(false)],
      build: {
        outDir: 'out',
        rolldownOptions: {
          input: { long: join(root, 'long.js'), short: join(root, 'short.js') },
          output: { entryFileNames: '[name].js' },
        },
      },
    });
    const out = (name: string): string => join(root, 'out', name);
    const content = readFileSync(out('long.js'));
    expect(brotliDecompressSync(readFileSync(out('long.js.br')))).toEqual(content);
    expect(gunzipSync(readFileSync(out('long.js.gz')))).toEqual(content);
    expect(existsSync(out('short.js'))).toBe(true);
    expect(existsSync(out('short.js.br'))).toBe(false);
  });
});
