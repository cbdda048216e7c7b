import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ControlEvent } from '#contract/control/control.ts';
import { DataFolder } from '#server/data-folder.ts';
import { openJobs } from '#server/jobs/jobs.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openDb } from '#server/db/driver.ts';
import { openPlatform } from '#server/platform/store.ts';
import { openService } from '#server/auth/store.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { groundswell, serve } from '#tests/support/service/command.ts';
import { threadEntry } from '#tests/support/service/threads.ts';
import { writePosts, type TestPost } from '#tests/support/service/service.ts';

const inFolder = temporaryFolder();

const PATH =
  '/2/tweets/counts/all?query=tea&granularity=day&start_time=2020-01-01T00:00:00Z&end_time=2020-01-03T00:00:00Z';

function posts(n: number): TestPost[] {
  const start = Date.UTC(2020, 0, 1);
  return Array.from({ length: n }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: start + i * 1000,
    text: `tea number ${i} for ${i % 7} people`,
    username: `u${i % 50}`,
    lang: 'en',
  }));
}

/** Makes a data folder with `n` Posts and a small sample. */
function dataWith(name: string, n: number): string {
  const data = inFolder(name);
  mkdirSync(data);
  writePosts(join(data, 'posts.sqlite'), posts(n));
  writePosts(join(data, 'sample.sqlite'), posts(5));
  return data;
}

function damage(data: string, file: 'posts' | 'sample', sql: string): void {
  const db = openDb(join(data, `${file}.sqlite`));
  db.exec(sql);
  db.close();
}

const LOSE = 'DELETE FROM open_post WHERE id > 2';
/** Adjusts the checksum to the remaining Posts; otherwise the file would not be served. */
const RESUM = `UPDATE meta SET value = (SELECT sum(sum) FROM open_post) WHERE key = 'open'`;
const OUTDATE = `UPDATE meta SET value = '0' WHERE key = 'index'`;

async function totalOf(url: string, data: string): Promise<number> {
  const { out } = await groundswell('token', 'app', '--data', data);
  const answer = await fetch(url + PATH, { headers: { authorization: `Bearer ${out.trim()}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()).meta.total_tweet_count;
}

describe('check', () => {
  it('refuses a folder that does not exist', async () => {
    const data = inFolder('nowhere');
    const said = { code: 1, out: '', err: `There is no data folder ${data}.\n` };
    expect(await groundswell('check', '--data', data)).toEqual(said);
    expect(existsSync(data)).toBe(false);
  });

  it('reports a folder without Posts, and creates nothing', async () => {
    const data = inFolder('nothing');
    mkdirSync(data);
    const said = { code: 0, out: `There are no Posts in ${data}.\n` };
    expect(await groundswell('check', '--data', data)).toMatchObject(said);
    expect(await groundswell('check', '--data', data)).toMatchObject(said);
  });

  it('reports the problems of each file and recommends reindex, which fixes them', async () => {
    const data = dataWith('damaged', 30);
    expect(await groundswell('check', '--data', data)).toEqual({
      code: 0,
      out:
        'Your posts (posts.sqlite): no problems (30 Posts, 0 chunks).\n' +
        'The sample (sample.sqlite): no problems (5 Posts, 0 chunks).\n',
      err: '',
    });
    damage(data, 'posts', LOSE);
    damage(data, 'sample', 'UPDATE open_post SET id = 7 WHERE id = 5');
    const { code, out } = await groundswell('check', '--data', data);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'Your posts (posts.sqlite): 28 problems.',
      ...Array.from(
        { length: 20 },
        (_, i) => `  Post ${i + 3} is in the store but does not count.`,
      ),
      '  … and 8 more',
      '  To rebuild the index from the Posts, which stay unchanged, run: groundswell reindex',
      'The sample (sample.sqlite): 2 problems.',
      '  Post 7 counts in the open set but is not in the store.',
      '  Post 5 is in the store but does not count.',
      '  To rebuild the index from the Posts, which stay unchanged, run: groundswell reindex',
      '',
    ]);
    expect(await groundswell('reindex', '--data', data)).toMatchObject({
      code: 0,
      out:
        'Your posts: rebuilt the index of 30 Posts.\n' +
        'The sample: rebuilt the index of 5 Posts.\n',
    });
    expect((await groundswell('check', '--data', data)).code).toBe(0);
  });

  it('says what to do about an unreadable file', async () => {
    const data = dataWith('unreadable', 3);
    damage(data, 'posts', `UPDATE post SET facts = '[' WHERE id = 2`);
    const { code, out } = await groundswell('check', '--data', data);
    expect(code).toBe(1);
    expect(out).toContain('Restore the file from a backup, or import the Posts again');
  });
});

describe('a store file truncated to 0 bytes', () => {
  it('is reported by check, and refused by serve and by all commands', async () => {
    const empty =
      'is empty: its content is lost; restore it from a backup, or delete it to start again';
    const data = dataWith('empty-files', 3);
    openService(join(data, 'service.sqlite'), { random: countingBytes() }).close();
    openPlatform(join(data, 'platform.sqlite')).close();
    const csv = inFolder('some.csv');
    writeFileSync(csv, 'id,created_at,text\n99,2020-01-01T00:00:00Z,tea\n');
    const restore = new Map<string, () => void>();
    for (const name of ['posts', 'sample', 'service', 'platform']) {
      const file = join(data, `${name}.sqlite`);
      const whole = readFileSync(file);
      truncateSync(file, 0);
      restore.set(name, () => writeFileSync(file, whole));
    }
    const refuses = async (name: string, ...command: string[]): Promise<void> => {
      const file = join(data, `${name}.sqlite`);
      const refusal = { code: 1, out: '', err: `${file} ${empty}\n` };
      expect(await groundswell(...command, '--data', data)).toEqual(refusal);
      expect(statSync(file).size).toBe(0);
    };
    expect(await groundswell('check', '--data', data)).toEqual({
      code: 1,
      out: [
        'Your posts (posts.sqlite)',
        'The sample (sample.sqlite)',
        'Tokens and accounts (service.sqlite)',
        'The platform (platform.sqlite)',
      ]
        .map((name) => `${name}: 1 problem.\n  The file ${empty}.\n`)
        .join(''),
      err: '',
    });
    await refuses('service', 'token', 'app');
    restore.get('service')!();
    await refuses('posts', 'import', csv);
    await refuses('posts', 'serve', '--port', '0');
    restore.get('posts')!();
    await refuses('sample', 'serve', '--port', '0');
    restore.get('sample')!();
    // Only the platform's file is still empty.
    expect((await groundswell('check', '--data', data)).code).toBe(1);
    restore.get('platform')!();
    expect((await groundswell('check', '--data', data)).code).toBe(0);
  });
});

describe('reindex', () => {
  it('runs in a running service and takes effect at once', async () => {
    const data = dataWith('served', 30);
    damage(data, 'posts', `${LOSE}; ${RESUM}`);
    const service = await serve(data);
    expect(await totalOf(service.url, data)).toBe(2);
    expect((await groundswell('check', '--data', data)).code).toBe(1);
    expect(await groundswell('reindex', '--data', data)).toMatchObject({
      code: 0,
      out: 'Your posts: rebuilt the index of 30 Posts.\nThe sample: rebuilt the index of 5 Posts.\n',
    });
    expect(await totalOf(service.url, data)).toBe(30);
    expect((await groundswell('check', '--data', data)).code).toBe(0);
    await service.stop();
  });

  it('has nothing to do in an empty folder', async () => {
    const out = 'There are no Posts to index.\n';
    const data = inFolder('empty');
    expect(await groundswell('reindex', '--data', data)).toMatchObject({ code: 0, out });
  });

  it('leaves the old index unchanged when it is stopped', { tags: 'long' }, async () => {
    const path = dataWith('stopped', 5000);
    const data = new DataFolder(path);
    const random = countingBytes();
    const service = openService(data.service, { random });
    const stop = new AbortController();
    const events: ControlEvent[] = [];
    const jobs = openJobs(data, {
      auth: openAuth(service, { now: Date.now, random }),
      service,
      log: () => {},
      now: Date.now,
      elapsed: () => performance.now(),
      random,
      host: threadEntry(),
    });
    const first = 'SELECT c, n FROM live JOIN chunk USING (c)';
    const chunks = (): unknown => {
      const db = openDb(data.posts);
      const rows = db.prepare(first).all();
      db.close();
      return rows;
    };
    const before = chunks();
    await jobs.reindex(
      {},
      (event) => {
        events.push(event);
        stop.abort();
      },
      stop.signal,
    );
    service.close();
    expect(events[0]).toMatchObject({ type: 'reindexing', source: 'posts', total: 5000 });
    expect(events.at(-1)).toEqual({
      type: 'fault',
      message: 'Stopped; the index is unchanged.',
      summary: null,
    });
    expect(chunks()).toEqual(before);
    const { code, out } = await groundswell('check', '--data', path);
    expect([code, out]).toEqual([0, expect.stringContaining('no problems (5,000 Posts')]);
  });
});

describe('an index of another version', () => {
  it('is rebuilt by serve before it answers', async () => {
    const data = dataWith('old-served', 30);
    damage(data, 'posts', `${LOSE}; ${OUTDATE}`);
    damage(data, 'sample', OUTDATE);
    expect((await groundswell('check', '--data', data)).out).toContain('The index has version 0;');
    const service = await serve(data);
    expect(await totalOf(service.url, data)).toBe(30);
    expect((await groundswell('check', '--data', data)).code).toBe(0);
    await service.stop();
  });

  it('is rebuilt by import before it adds Posts', { tags: 'long' }, async () => {
    const data = dataWith('old-imported', 30);
    damage(data, 'posts', `${LOSE}; ${OUTDATE}`);
    const csv = inFolder('one.csv');
    writeFileSync(csv, 'id,created_at,text\n99,2020-01-01T00:00:00Z,tea\n');
    const { code, out, err } = await groundswell('import', csv, '--data', data);
    expect([code, out]).toEqual([0, expect.stringContaining('read 1, added 1')]);
    expect(err).toContain('The index has a different version and is being rebuilt');
    const checked = await groundswell('check', '--data', data);
    expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('(31 Posts') });
  });
});
