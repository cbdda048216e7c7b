import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentsOf, makeData } from '#tests/server/backup/data.ts';
import { appToken, groundswell, serve } from '#tests/support/service/command.ts';
import { program, serveProcess, temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const root = temporaryFolder();
const path = (name: string): string => join(root, name);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const COUNTS =
  '/2/tweets/counts/all?query=tea&granularity=day&start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z';

/** Sends requests to a service with a token of an account, and one that counts. */
const clientOf = (url: string, token: string, counts: string) => ({
  counted: async (): Promise<number> => {
    const headers = { authorization: `Bearer ${counts}` };
    const answer = await fetch(url + COUNTS, { headers });
    return (await answer.json()).meta.total_tweet_count;
  },
  create: async (text: string): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ text });
    const answer = await fetch(`${url}/2/tweets`, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    return (await answer.json()).data.id;
  },
  found: async (ids: readonly string[]): Promise<string[]> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/2/tweets?ids=${ids.join(',')}`, { headers });
    const { data = [] } = (await answer.json()) as { data?: { id: string }[] };
    return data.map(({ id }) => id);
  },
});

test(
  'a backup of a running service that imports and creates Posts is one of its states, and is sound',
  { tags: 'long' },
  async () => {
    const data = path('served');
    mkdirSync(data);
    giveTinySample(data);
    const service = await serveProcess(data);
    const made = await groundswell(
      'token',
      'user',
      '--name',
      'alice',
      '--limits',
      'off',
      '--data',
      data,
    );
    const tokens = [made.out.trim(), await appToken(data)] as const;
    const here = clientOf(service.url, ...tokens);
    const rows = (from: number): string =>
      Array.from({ length: 4000 }, (_, i) => `${from + i},2020-01-01T10:00:00Z,tea ${i}\n`).join(
        '',
      );
    const importing = async (i: number): Promise<void> => {
      const file = path(`${i}.csv`);
      writeFileSync(file, `id,created_at,text\n${rows(1 + i * 4000)}`);
      expect((await groundswell('import', file, '--data', data)).code).toBe(0);
    };
    await importing(0);
    const ids: string[] = [];
    const over = new AbortController();
    const creating = (async () => {
      while (!over.signal.aborted && ids.length < 100)
        ids.push(await here.create(`tea time ${ids.length}`));
    })();
    const imports = (async () => {
      for (let i = 1; !over.signal.aborted && i < 20; i++) await importing(i);
    })();
    while (ids.length < 3) await new Promise((resolve) => setImmediate(resolve));
    const before = { created: ids.length, imported: await here.counted() };
    const { code, out } = await program(['backup', path('served.tar'), '--data', data]);
    const after = { created: ids.length + 1, imported: await here.counted() };
    over.abort();
    await Promise.all([creating, imports]);
    await service.stop();
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^Wrote .+served\.tar \(\d+ MB, \d databases\)\.\nIt holds the accounts, secrets and Posts of this service: keep it where only you can read it\.\n$/,
      ),
    ]);

    const restored = await groundswell('restore', path('served.tar'), '--data', path('again/data'));
    expect([restored.code, restored.err]).toEqual([0, '']);
    expect(restored.out).toMatch(
      /^Restored the backup of 20.+Z \(version .+\) to .+\nYour posts \(posts\.sqlite\): no problems/,
    );
    const again = await serve(path('again/data'));
    const there = clientOf(again.url, ...tokens);
    const counted = await there.counted();
    expect(counted).toBeGreaterThanOrEqual(before.imported);
    expect(counted).toBeLessThanOrEqual(after.imported);
    const found = await there.found(ids);
    expect(found).toEqual(ids.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(before.created);
    expect(found.length).toBeLessThanOrEqual(after.created);
    await again.stop();
  },
);

describe('restore', () => {
  const file = path('backup.tar');
  let original: Map<string, string>;
  beforeAll(async () => {
    makeData(path('data'));
    original = contentsOf(path('data'));
    const { code, out } = await groundswell('backup', file, '--data', path('data'));
    expect([code, out]).toEqual([0, expect.stringContaining('7 databases and 3 media files')]);
    expect(out).toContain('the platform’s token with its key');
  });

  test('makes a folder that others cannot read, and moves data aside only with --replace', async () => {
    const data = path('target');
    mkdirSync(join(data, 'lost+found'), { recursive: true });
    const first = await groundswell('restore', file, '--data', data);
    expect([first.code, contentsOf(data)]).toEqual([0, original]);
    if (process.platform !== 'win32') {
      expect(statSync(join(data, 'posts.sqlite')).mode & 0o777).toBe(0o600);
      expect(statSync(join(data, 'media')).mode & 0o777).toBe(0o700);
    }
    const refused = await groundswell('restore', file, '--data', data);
    expect([refused.code, refused.err]).toEqual([
      1,
      `${data} is not empty: it has ads.sqlite. Restore into a new folder, or add --replace, which moves the data there aside.\n`,
    ]);
    writeFileSync(join(data, 'notes.txt'), 'mine');
    rmSync(join(data, 'ads.sqlite'));
    const second = await groundswell('restore', file, '--data', data, '--replace');
    const [, aside] = /^The data that were there are in (.+)\.$/m.exec(second.out)!;
    expect([second.code, contentsOf(data)]).toEqual([0, original]);
    expect(readdirSync(data)).toContain('notes.txt');
    expect([...contentsOf(aside!).keys()]).toEqual(
      [...original.keys()].filter((name) => name !== 'ads.sqlite'),
    );
  });

  test.each<[string, (name: string) => { data: string; file: string }, string]>([
    [
      'a file that is no backup',
      (name) => ({ data: path(name), file: 'package.json' }),
      'package.json is not a backup of Groundswell. Nothing was restored.',
    ],
    [
      'a file that is not there',
      (name) => ({ data: path(name), file: path('absent') }),
      'absent is not there, or its folder is not.',
    ],
  ])('leaves nothing after a failure: %s', async (_, order, why) => {
    const { data, file } = order('a/b/new');
    const { code, err } = await groundswell('restore', file, '--data', data);
    expect([code, err.endsWith(`${why}\n`), err.split('\n').length]).toEqual([1, true, 2]);
    expect(readdirSync(root)).not.toContain('a');
  });

  test('removes what it made if the backup is cut off', async () => {
    const cut = path('cut.tar');
    writeFileSync(cut, readFileSync(file).subarray(0, 400_000));
    const { code, err } = await groundswell('restore', cut, '--data', path('b/new'));
    expect([code, err]).toEqual([
      1,
      `${cut} is incomplete or damaged: it cannot be read to its end. Nothing was restored.\n`,
    ]);
    expect(readdirSync(root)).not.toContain('b');
  });

  test('is refused while a service runs on the folder', async () => {
    const data = path('running');
    mkdirSync(data);
    giveTinySample(data);
    const service = await serve(data);
    const { code, err } = await groundswell('restore', file, '--data', data, '--replace');
    expect([code, err]).toEqual([
      1,
      `The data folder ${data} is in use. Stop the service first.\n`,
    ]);
    await service.stop();
  });

  test('backups name what they cannot write', async () => {
    const taken = await groundswell('backup', file, '--data', path('data'));
    expect([taken.code, taken.err]).toEqual([
      1,
      `${file} exists already, and a backup overwrites nothing.\n`,
    ]);
    const absent = await groundswell('backup', path('no/backup.tar'), '--data', path('data'));
    expect([absent.code, absent.err.replaceAll('\\', '/')]).toMatchObject([
      1,
      expect.stringContaining('is not there, or its folder is not.'),
    ]);
    const nothing = await groundswell('backup', path('none.tar'), '--data', path('nowhere'));
    expect([nothing.code, nothing.err]).toEqual([
      1,
      `There is nothing to back up in ${path('nowhere')}.\n`,
    ]);
  });
});
