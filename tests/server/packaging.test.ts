import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

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
    const ports = Object.values(services).flatMap((one) => one.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(new Set(ports).size).toBe(ports.length);
  });

  test('has two shards in the profile of the cluster, each with its own volume', () => {
    const shards = Object.entries(services).filter(([, one]) => one.profiles?.includes('cluster'));
    const used = shards.flatMap(([, one]) => one['volumes'] as string[]);
    expect(used.map((one) => one.split(':')[0])).toEqual(shards.map(([name]) => name));
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
