import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDb } from '#server/db/driver.ts';
import { takeLock } from '#server/db/lock.ts';
import {
  giveSample,
  groundswell,
  signIn,
  startServe,
  temporaryFolder,
  type RunningService,
} from '#tests/support/process.ts';

const LONG = 240_000;
const folder = temporaryFolder();
const inFolder = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = 'id,created_at,author,author_id,text,lang,is_retweet\n';
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) => `${from + i},2020-01-01T00:00:00Z,ann,7,tea number ${from + i},en,false\n`,
  ).join('');

/** A data folder with two Posts, so that serving it does not wait for a sample. */
function dataWithPosts(name: string): string {
  const csv = inFolder(`${name}.csv`);
  writeFileSync(csv, HEADER + rows(1, 3));
  const data = inFolder(name);
  expect(groundswell('import', csv, '--data', data)).toMatchObject({ code: 0 });
  return data;
}

/** Runs a command beside this thread, which keeps its connections to a service alive. */
async function beside(...args: string[]): Promise<{ code: number; out: string }> {
  const run = promisify(execFile)(process.execPath, ['bin/groundswell.js', ...args]);
  const { stdout } = await run;
  return { code: run.child.exitCode ?? -1, out: stdout };
}

async function totalOf(url: string, token: string): Promise<number> {
  const path = `${url}/2/tweets/counts/all?query=tea&granularity=day&start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z`;
  const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()).meta.total_tweet_count;
}

beforeAll(() => {
  // The first run builds what is missing.
  expect(groundswell('--version')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^groundswell \d+\.\d+\.\d+\n$/),
  });
}, LONG);

describe('a command line that is wrong', () => {
  it.each([
    [['serv'], 'Unknown command serv. Did you mean serve?\n'],
    [['import', 'a.csv', '--dat', 'x'], 'Unknown option --dat. Did you mean --data?\n'],
  ])('%j is one line and exit code 2', (args, err) => {
    expect(groundswell(...args)).toEqual({ code: 2, out: '', err });
  });
});

describe('token', () => {
  it('prints the token alone on its line, another one each time', () => {
    const data = inFolder('tokens');
    const made = [1, 2].map(() => groundswell('token', 'app', '--data', data));
    for (const { code, out, err } of made) {
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/^[\w-]{32,}\n$/);
    }
    expect(made[0]?.out).not.toBe(made[1]?.out);
  });

  it('of a user is printed alike', () => {
    const made = groundswell('token', 'user', '--name', 'alice', '--data', inFolder('tokens'));
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/^[\w-]{32,}\n$/);
  });
});

describe('import', () => {
  it('says what was read, added, already there and refused, and adds nothing twice', () => {
    const data = inFolder('import');
    const first = inFolder('first.csv');
    const second = inFolder('second.csv.gz');
    writeFileSync(first, HEADER + rows(1, 101));
    writeFileSync(second, gzipSync(HEADER + rows(51, 151) + 'x,never,ann,7,tea,en,false\n'));
    const once = groundswell('import', first, '--data', data);
    expect(once).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 100, added 100, already there 0, refused 0'),
    });
    const twice = groundswell('import', first, second, '--data', data);
    expect(twice).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 201, added 50, already there 150, refused 1'),
    });
    expect(twice.err).toMatch(/second\.csv\.gz:102: \S/);
  }, 60_000);

  it.each([
    [
      'a header alone',
      HEADER,
      /^$/,
      ': has no Posts: expected a row for each Post below the names',
    ],
    [
      'an answer of counts',
      `${JSON.stringify({
        data: [
          { start: '2021-10-16T18:00:00Z', end: '2021-10-16T19:00:00Z', tweet_count: 3 },
          { start: '2021-10-16T19:00:00Z', end: '2021-10-16T20:00:00Z', tweet_count: 5 },
        ],
      })}\n`,
      /added 0, already there 0/,
      ':1: is a count of Posts, no Post (2 times)\n',
    ],
  ])('of %s fails, as nothing in it is a Post', (_, content, summary, said) => {
    const name = inFolder('no-posts');
    writeFileSync(name, content);
    const { code, out, err } = groundswell('import', name, '--data', inFolder('none'));
    expect(code).toBe(1);
    expect(out).toMatch(summary);
    expect(err).toContain(said);
  });

  it('of a file that is not there fails, and says which', () => {
    const { code, out, err } = groundswell(
      'import',
      inFolder('absent.csv'),
      '--data',
      inFolder('x'),
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('absent.csv');
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('a data folder', () => {
  it('that another command has is told as in use', () => {
    const data = inFolder('used');
    mkdirSync(data);
    const lock = takeLock(join(data, 'lock.sqlite'));
    expect(lock).not.toBeNull();
    for (const args of [['serve', '--port', '0'], ['token', 'app'], ['sample']]) {
      const { code, out, err } = groundswell(...args, '--data', data);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('is in use');
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
    lock?.release();
    expect(groundswell('token', 'app', '--data', data).code).toBe(0);
  }, 30_000);

  it('of a newer version is left alone', () => {
    const data = dataWithPosts('newer');
    const db = openDb(join(data, 'posts.sqlite'));
    db.exec(`UPDATE meta SET value = '99' WHERE key = 'format'`);
    db.close();
    for (const args of [
      ['serve', '--port', '0'],
      ['import', inFolder('newer.csv')],
    ]) {
      const { code, err } = groundswell(...args, '--data', data);
      expect(code).toBe(1);
      expect(err).toContain('newer version');
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
  }, 30_000);

  it('that cannot be made is told', () => {
    const file = inFolder('a-file');
    writeFileSync(file, '');
    const { code, err } = groundswell('token', 'app', '--data', join(file, 'data'));
    expect(code).toBe(1);
    expect(err).toContain('cannot be made');
  });
});

describe('serve', () => {
  let data: string;
  let service: RunningService;
  beforeAll(async () => {
    data = dataWithPosts('served');
    giveSample(data);
    // As copied from elsewhere, in a folder where others may read and write.
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o666);
    chmodSync(data, 0o777);
    service = await startServe(data);
  }, LONG);
  afterAll(() => service.stop());

  it('does what commands hand over to it, so that it holds at once', async () => {
    const token = groundswell('token', 'app', '--data', data);
    expect(token.out).toMatch(/^[\w-]{32,}\n$/);
    expect(await totalOf(service.url, token.out.trim())).toBe(2);
    const csv = inFolder('more.csv');
    writeFileSync(csv, HEADER + rows(2, 1002));
    const imported = await beside('import', csv, '--data', data);
    expect(imported).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 1000, added 999, already there 1, refused 0'),
    });
    expect(await totalOf(service.url, token.out.trim())).toBe(1001);
  }, 30_000);

  it('takes the longest query of the archive, whatever its script', async () => {
    const token = groundswell('token', 'app', '--data', data).out.trim();
    const query = '東京 '.repeat(1400).slice(0, 4095);
    const url = `${service.url}/2/tweets/counts/all?query=${encodeURIComponent(query)}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
  });

  it.skipIf(process.platform === 'win32')('keeps every file from other users', () => {
    const open = readdirSync(data).filter((name) => statSync(join(data, name)).mode & 0o077);
    expect(open).toEqual([]);
    expect(readdirSync(data)).toEqual(
      expect.arrayContaining(['posts.sqlite-wal', 'service.sqlite', 'lock.sqlite', 'serve.json']),
    );
  });

  it('signs browsers in by addresses of its own alone, each once', async () => {
    const { url } = service;
    const open = async (cookie: string): Promise<number> =>
      (await fetch(`${url}/sources`, { headers: { cookie } })).status;
    expect(await open(service.cookie)).toBe(200);
    const asked = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([await asked.json(), asked.headers.has('set-cookie')]).toEqual([
      { signedIn: false },
      false,
    ]);
    const linked = groundswell('link', '--data', data);
    expect(linked).toMatchObject({ code: 0, err: '' });
    expect(linked.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]{43}\n$/);
    expect(await open(await signIn(linked.out.trim()))).toBe(200);
    expect(await signIn(linked.out.trim())).toBe('');
  });

  it('is opened in the browser by a page that nobody else can read', () => {
    const bin = inFolder('bin');
    mkdirSync(bin);
    // The system's own opener gets no more than a file's name: arguments are there for all to read.
    const opener = join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\ncp "$1" '${inFolder('opened.html')}'\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
    const args = ['bin/groundswell.js', 'link', '--open', '--data', data];
    const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    const page = join(data, 'open.html');
    expect(statSync(page).mode & 0o077).toBe(0);
    expect(readFileSync(page, 'utf8')).toContain(stdout.trim());
  });

  it('is refused twice on one folder, and tells where the first is', () => {
    const { code, out, err } = groundswell('serve', '--port', '0', '--data', data);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('is in use');
    expect(err).toContain(service.url);
  });

  it('is refused on a port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const other = dataWithPosts('other');
    const { code, out, err } = groundswell('serve', '--port', String(port), '--data', other);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      `Port ${port} is taken: choose another with --port, or stop what listens there.\n`,
    );
    await new Promise((resolve) => taken.close(resolve));
  }, 30_000);

  it('listens on this machine alone', async () => {
    const { port } = new URL(service.url);
    await expect(fetch(`http://127.0.0.2:${port}/`)).rejects.toThrow(TypeError);
  });

  it('ends cleanly, and begins again after it was killed', async () => {
    const data = dataWithPosts('killed');
    giveSample(data);
    const first = await startServe(data);
    const token = groundswell('token', 'app', '--data', data).out.trim();
    const gone = new Promise((resolve) => first.process.once('exit', resolve));
    first.process.kill('SIGKILL');
    await gone;
    expect(existsSync(join(data, 'serve.json'))).toBe(true);
    // What the killed one noted leads nowhere: the work is done here.
    expect(groundswell('token', 'app', '--data', data).code).toBe(0);
    const second = await startServe(data);
    expect(await totalOf(second.url, token)).toBe(2);
    await second.stop();
    expect(second.process.exitCode).toBe(0);
    expect(existsSync(join(data, 'serve.json'))).toBe(false);
  }, 60_000);

  /** The sample as `GET /sources` tells it to the dashboard. */
  async function sampleOf({
    url,
    cookie,
  }: RunningService): Promise<{ id: string; store: string; posts: number }> {
    const { data } = await (await fetch(`${url}/sources`, { headers: { cookie } })).json();
    return data.find((source: { id: string }) => source.id === 'sample');
  }

  it(
    'makes the sample first on an empty folder, and anew when asked',
    async () => {
      const data = inFolder('empty');
      const empty = await startServe(data);
      const before = await sampleOf(empty);
      expect(before.posts).toBeGreaterThan(100_000);
      const again = await beside('sample', '--data', data);
      const after = await sampleOf(empty);
      expect(again).toMatchObject({ code: 0, out: `The sample has ${after.posts} posts.\n` });
      expect(after.store).not.toBe(before.store);
      await empty.stop();
    },
    LONG,
  );

  it(
    'serves at once where there are Posts already, and makes the sample beside',
    async () => {
      const own = await startServe(dataWithPosts('own'));
      expect((await sampleOf(own)).posts).toBe(0);
      const made = async (): Promise<number> => (await sampleOf(own)).posts;
      await expect.poll(made, { timeout: LONG, interval: 500 }).toBeGreaterThan(100_000);
      await own.stop();
    },
    LONG,
  );
});
