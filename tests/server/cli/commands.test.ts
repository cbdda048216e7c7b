import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDb } from '#server/db/driver.ts';
import { takeLock } from '#server/db/lock.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { openSource } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { groundswell, serve } from '#tests/support/service/command.ts';
import { long } from '#tests/support/run/long.ts';
import { giveSample } from '#tests/support/run/made-data.ts';
import {
  program,
  serveProcess,
  signIn,
  type RunningService,
} from '#tests/support/service/process.ts';
import { giveTinySample, writePosts, type TestPost } from '#tests/support/service/service.ts';

/** Posts of a sample. Tests of the full sample are in `sample.test.ts`. */
const samplePosts = 400;
const inFolder = temporaryFolder();

const HEADER = 'id,created_at,author,author_id,text,lang,is_retweet\n';
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) => `${from + i},2020-01-01T00:00:00Z,ann,7,tea number ${from + i},en,false\n`,
  ).join('');

/** The first two Posts of {@link rows}. */
const TWO: TestPost[] = [1, 2].map((n) => ({
  id: BigInt(n),
  createdAt: '2020-01-01T00:00:00Z',
  username: 'ann',
  authorId: '7',
  text: `tea number ${n}`,
  lang: 'en',
}));

/** Makes a data folder with two Posts, so that `serve` does not wait for a sample. */
function dataWithPosts(name: string): string {
  const data = inFolder(name);
  mkdirSync(data);
  writePosts(join(data, 'posts.sqlite'), TWO);
  return data;
}

const tokenOf = async (data: string): Promise<string> =>
  (await groundswell('token', 'app', '--data', data)).out.trim();

async function totalOf(url: string, token: string): Promise<number> {
  const path = `${url}/2/tweets/counts/all?query=tea&granularity=day&start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z`;
  const answer = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()).meta.total_tweet_count;
}

describe('the program', () => {
  it('prints its version into a pipe', async () => {
    expect(await program(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^groundswell \d+\.\d+\.\d+\n$/),
    });
  });

  it('exits with the code of its command', async () => {
    expect(await program(['serv'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('an invalid command line', () => {
  it.each([
    [['serv'], 'Unknown command serv. Did you mean serve?\n'],
    [['import', 'a.csv', '--dat', 'x'], 'Unknown option --dat. Did you mean --data?\n'],
  ])('%j prints one line and exits with 2', async (args, err) => {
    expect(await groundswell(...args)).toEqual({ code: 2, out: '', err });
  });
});

describe('a command line for information', () => {
  it.each(['--help', 'serve --help', '--version'])('%s only prints', async (line) => {
    const { code, out, err } = await groundswell(...line.split(' '));
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^groundswell/);
  });
});

describe('token', () => {
  it('prints a new token on a line of its own', async () => {
    const data = inFolder('tokens');
    const token = () => groundswell('token', 'app', '--data', data);
    const made = [await token(), await token()];
    for (const { code, out, err } of made) {
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/^[\w-]{32,}\n$/);
    }
    expect(made[0]?.out).not.toBe(made[1]?.out);
  });

  it('prints the token of a user likewise', async () => {
    const made = await groundswell(
      'token',
      'user',
      '--name',
      'alice',
      '--data',
      inFolder('tokens'),
    );
    expect([made.code, made.err]).toEqual([0, '']);
    expect(made.out).toMatch(/^[\w-]{32,}\n$/);
  });

  it('prints an OAuth 1.0a token and its secret, with all that signs a request', async () => {
    const data = inFolder('tokens');
    const token = (...more: string[]) =>
      groundswell('token', 'user', '--name', 'alice', '--oauth1', ...more, '--data', data);
    expect((await token()).out).toMatch(/^\d+-[\w-]{64}\n[\w-]{64}\n$/);
    const own = JSON.parse((await token('--json')).out);
    expect(own).toEqual({
      api_key: expect.any(String),
      api_key_secret: expect.stringMatching(/^[\w-]{64}$/),
      access_token: expect.stringMatching(/^\d+-[\w-]{64}$/),
      access_token_secret: expect.stringMatching(/^[\w-]{64}$/),
      id: expect.stringMatching(/^\d+$/),
      username: 'alice',
    });
    const added = await groundswell('app', 'add', 'Signer', '--json', '--data', data);
    const other = JSON.parse((await token('--json', '--app', 'Signer')).out);
    expect(other.api_key).toBe(JSON.parse(added.out).api_key);
    expect(other).not.toHaveProperty('api_key_secret');
  });
});

describe('user', () => {
  const data = inFolder('users');
  const user = async (...args: string[]) => {
    const { code, out, err } = await groundswell('user', ...args, '--json', '--data', data);
    return { code, err, json: out === '' ? null : JSON.parse(out) };
  };

  it('adds, changes, lists and removes accounts', async () => {
    const added = await user('add', 'Ann', '--name', 'Ann A', '--subscription', 'Premium');
    expect(added.json).toMatchObject({
      id: expect.stringMatching(/^[0-9]{1,19}$/),
      username: 'Ann',
      name: 'Ann A',
      subscription_type: 'Premium',
      protected: false,
    });
    const changed = await user('set', 'ann', '--protected', 'yes');
    expect(changed.json).toEqual({ ...added.json, protected: true });
    await user('add', 'bob');
    const { json } = await user('list');
    expect(json.users.map(({ name }: { name: string }) => name)).toEqual(['Ann A', 'bob']);
    expect((await user('remove', 'bob')).json).toMatchObject({ username: 'bob' });
    expect((await user('list')).json.users).toHaveLength(1);
  });

  it('shows and answers requests to follow an account', { tags: 'long' }, async () => {
    expect((await user('requests', 'ann')).json).toEqual({ requests: [] });
    const said = await groundswell('user', 'requests', 'ann', '--data', data);
    expect(said.out).toBe('No account asks to follow @ann.\n');
    expect(await user('requests', 'ann', '--approve', 'bob')).toEqual({
      code: 1,
      err: '@bob does not ask to follow @ann.\n',
      json: null,
    });
    const db = openPosts(join(data, 'posts.sqlite'), { random: countingBytes() });
    relationTable(db).add('request', 9n, BigInt((await user('list')).json.users[0].id));
    db.close();
    expect((await user('requests', 'ann')).json).toEqual({
      requests: [{ id: '9', username: '9' }],
    });
    expect((await user('requests', 'ann', '--refuse', '9')).json).toEqual({
      id: '9',
      username: '9',
    });
    expect((await user('requests', 'ann')).json).toEqual({ requests: [] });
  });

  it('prints a line per account without --json', async () => {
    const { out } = await groundswell('user', 'list', '--data', data);
    expect(out).toMatch(/^@Ann {2}Ann A {2}[0-9]+\n$/);
  });
});

describe('community', () => {
  const data = inFolder('communities');
  const community = async (...args: string[]) => {
    const { code, out, err } = await groundswell('community', ...args, '--json', '--data', data);
    return { code, err, json: out === '' ? null : JSON.parse(out) };
  };

  it(
    'adds, lists and removes communities and their members, also while a service runs',
    { tags: 'long' },
    async () => {
      for (const name of ['ann', 'bob']) await groundswell('user', 'add', name, '--data', data);
      expect((await community('list')).json).toEqual({ communities: [] });
      const added = await community('add', 'Tea', '--member', 'ann');
      expect(added.json).toEqual({
        id: expect.stringMatching(/^[0-9]{1,19}$/),
        name: 'Tea',
        created_at: expect.any(String),
        members: ['ann'],
      });
      giveTinySample(data);
      const service = await serve(data);
      const joined = await community('join', 'tea', 'BOB');
      expect(joined.json.members.toSorted()).toEqual(['ann', 'bob']);
      const again = await groundswell('community', 'leave', 'Tea', 'ann', '--data', data);
      expect([again.code, again.out]).toEqual([0, '@ann is not a member of Tea.\n']);
      await service.stop();
      const listed = await groundswell('community', 'list', '--data', data);
      expect(listed.out).toBe(`Tea  ${added.json.id}  @bob\n`);
      expect((await community('remove', 'Tea')).json).toMatchObject({ id: added.json.id });
      expect((await community('list')).json).toEqual({ communities: [] });
    },
  );

  it('refuses what exists already, or does not exist', async () => {
    await community('add', 'Milk');
    const refusals = [
      [['add', 'MILK'], 'The community MILK exists already.\n'],
      [['remove', 'Coffee'], 'There is no community named Coffee.\n'],
      [['join', 'Milk', 'zoe'], 'There is no account @zoe.\n'],
    ] as const;
    for (const [args, err] of refusals) {
      expect(await community(...args)).toEqual({ code: 1, err, json: null });
    }
  });
});

describe('note', () => {
  it(
    'takes requests and ratings of files once, also while a service runs',
    { tags: 'long' },
    async () => {
      const data = inFolder('notes');
      const posts = inFolder('noted.csv');
      const at = '2026-10-20T10:00:00Z';
      writeFileSync(
        posts,
        `id,created_at,text,notes_requested,note_links\n1,${at},A,3,https://a.com 2\n2,${at},B,,\n`,
      );
      const note = async (...args: string[]) => {
        const { code, out, err } = await groundswell(...args, '--data', data);
        return [code, out, err];
      };
      const imported = (added: number) => [
        0,
        expect.stringMatching(
          `added ${added}, .*\\ncollection: noted.csv\\nnotes requested for 1 Post\\n$`,
        ),
        // An import that takes over a second shows its progress.
        expect.stringMatching(/^(noted\.csv: .+ left\n)*$/),
      ];
      expect(await note('import', posts)).toEqual(imported(2));
      const flags = ['--ai-developer', 'yes', '--note-writer', 'yes'];
      await groundswell('user', 'add', 'ann', ...flags, '--data', data);
      giveTinySample(data);
      const service = await serve(data);
      expect(await note('import', posts)).toEqual(imported(0));
      await note('note', 'admit', 'ann');
      const [, token] = await note('token', 'user', '--name', 'ann');
      const headers = {
        authorization: `Bearer ${String(token).trim()}`,
        'content-type': 'application/json',
      };
      const fields = 'suggested_source_links_with_counts';
      const eligible = await fetch(
        `${service.url}/2/notes/search/posts_eligible_for_notes?test_mode=false&tweet.fields=${fields}`,
        { headers },
      );
      const { data: found } = (await eligible.json()) as { data: unknown };
      expect(found).toMatchObject([{ id: '1', [fields]: [{ url: 'https://a.com', count: 2 }] }]);
      const info = {
        text: 'https://a.com',
        classification: 'not_misleading',
        trustworthy_sources: true,
      };
      const body = JSON.stringify({ test_mode: false, post_id: '1', info });
      const written = await fetch(`${service.url}/2/notes`, { method: 'POST', headers, body });
      const { id } = ((await written.json()) as { data: { id: string } }).data;
      const ratings = inFolder('ratings.csv');
      writeFileSync(ratings, `note,rating,count\n${id},helpful,5\n9,helpful,1\n`);
      const reason = `${ratings}:3: there is no note 9 that can be rated; test notes cannot\n`;
      const rate = () => note('note', 'rate', '--file', ratings);
      const done = (added: number, already: number) =>
        `2 rows: ${added} ratings added, ${already} already there, 1 row refused.\n`;
      expect(await rate()).toEqual([0, done(5, 0), reason]);
      expect(await rate()).toEqual([0, done(0, 5), reason]);
      await service.stop();
      const json = JSON.parse(String((await note('note', 'rate', '--file', ratings, '--json'))[1]));
      expect(json.notes).toEqual([{ note: id, status: 'currently_rated_helpful' }]);
      writeFileSync(ratings, 'note\n1\n');
      expect(await rate()).toEqual([1, '', expect.stringContaining('has no column "rating"')]);
    },
  );
});

describe('import', () => {
  it('reports Posts read, added, already there and refused, and adds nothing twice', async () => {
    const data = inFolder('import');
    const first = inFolder('first.csv');
    const second = inFolder('second.csv.gz');
    writeFileSync(first, HEADER + rows(1, 101));
    writeFileSync(second, gzipSync(HEADER + rows(51, 151) + 'x,never,ann,7,tea,en,false\n'));
    const once = await groundswell('import', first, '--data', data);
    expect(once).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 100, added 100, already there 0, refused 0'),
    });
    const twice = await groundswell('import', first, second, '--data', data);
    expect(twice).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 201, added 50, already there 150, refused 1'),
    });
    expect(twice.err).toMatch(/second\.csv\.gz:102: \S/);
  });

  it('of an archive without Posts imports its relations and counts them', async () => {
    const archive = inFolder('archive');
    mkdirSync(archive);
    const part = (name: string, entries: readonly object[]): string => {
      const file = join(archive, `${name}.js`);
      writeFileSync(file, `window.YTD.${name}.part0 = ${JSON.stringify(entries)}`);
      return file;
    };
    part('account', [{ account: { username: 'ann', accountId: '7' } }]);
    const followers = ['21', '22'].map((accountId) => ({ follower: { accountId } }));
    const files = [
      part('follower', followers),
      part('like', [{ like: { tweetId: '9', fullText: 'tea' } }]),
    ];
    const { code, out, err } = await groundswell(
      'import',
      ...files,
      '--data',
      inFolder('relations'),
    );
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('read 0, added 0, already there 0, refused 0');
    expect(out).toContain('\nrelations in the archive: 2 followers, 1 like\n');
  });

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
      ':1: is a count of Posts, not a Post (2 times)\n',
    ],
  ])('of %s fails, because nothing in it is a Post', async (_, content, summary, said) => {
    const name = inFolder('no-posts');
    writeFileSync(name, content);
    const { code, out, err } = await groundswell('import', name, '--data', inFolder('none'));
    expect(code).toBe(1);
    expect(out).toMatch(summary);
    expect(err).toContain(said);
  });

  it('of a missing file fails and names it', async () => {
    const { code, out, err } = await groundswell(
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

it.runIf(existsSync('/dev/full'))('a full disk for the output is named on one line', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, ['bin/groundswell.js', '--help'], {
    encoding: 'utf8',
    stdio: ['ignore', full, 'pipe'],
  });
  expect([status, stderr]).toEqual([1, 'The output cannot be written: the disk is full.\n']);
});

/** Runs a command where a folder cannot be written, in a namespace of its own; not every system lets it. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
const readOnly = (folder: string, ...words: string[]) =>
  spawnSync('env', ['unshare', '-rm', 'sh', '-c', READ_ONLY, folder, ...words], {
    encoding: 'utf8',
  });

describe('a data folder', () => {
  it
    .runIf(readOnly('/tmp', 'true').status === 0)
    .each([['check'], ['backup', inFolder('read-only.tar')], ['counts', 'tea']])(
    'on a read-only disk is named on one line by %s',
    (...words) => {
      const data = inFolder(`read-only for ${words[0]}`);
      mkdirSync(data);
      // Without the log of this process, which SQLite would have to create.
      copyFileSync(
        join(dataWithPosts(`open to ${words[0]}`), 'posts.sqlite'),
        join(data, 'posts.sqlite'),
      );
      const args = [process.execPath, 'bin/groundswell.js', ...words, '--data', data];
      const { status, stderr } = readOnly(data, ...args);
      expect([status, stderr]).toEqual([1, `The data folder ${data} is on a read-only disk.\n`]);
    },
  );

  it.runIf(process.platform !== 'win32')('that may not be written is named on one line', () => {
    const data = inFolder('closed');
    mkdirSync(data);
    chmodSync(data, 0o555);
    // Root may write to every folder unless it gives up that right. Another user might not read this clone.
    const asOwner = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
    const args = [...asOwner, process.execPath, 'bin/groundswell.js', 'serve', '--data', data];
    const { status, stderr } = spawnSync('env', args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      `The data folder ${data} may not be written by this user.\n`,
    ]);
  });

  it('locked by another command is reported as in use', async () => {
    const data = inFolder('used');
    mkdirSync(data);
    const lock = takeLock(join(data, 'lock.sqlite'));
    expect(lock).not.toBeNull();
    for (const args of [['serve', '--port', '0'], ['token', 'app'], ['sample']]) {
      const { code, out, err } = await groundswell(...args, '--data', data);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain('is in use');
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
    // Another process sees the lock too.
    expect(await program(['token', 'app', '--data', data])).toMatchObject({ code: 1, out: '' });
    lock?.release();
    expect(await groundswell('token', 'app', '--data', data)).toMatchObject({ code: 0 });
  });

  it('of a newer version is not changed', async () => {
    const data = dataWithPosts('newer');
    const csv = inFolder('newer.csv');
    writeFileSync(csv, HEADER + rows(1, 3));
    const db = openDb(join(data, 'posts.sqlite'));
    db.exec(`UPDATE meta SET value = '99' WHERE key = 'format'`);
    db.close();
    for (const args of [
      ['serve', '--port', '0'],
      ['import', csv],
    ]) {
      const { code, err } = await groundswell(...args, '--data', data);
      expect(code).toBe(1);
      expect(err).toContain('newer version');
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('that cannot be created is reported', async () => {
    const file = inFolder('a-file');
    writeFileSync(file, '');
    const { code, err } = await groundswell('token', 'app', '--data', join(file, 'data'));
    expect(code).toBe(1);
    expect(err).toContain('Cannot create the data folder');
  });

  it.runIf(existsSync('/proc/self'))('that no program can create is reported', async () => {
    const { code, err } = await groundswell('token', 'app', '--data', '/proc/new/data');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^Cannot create the data folder \/proc\/new\/data: [^\n]+\n$/),
    ]);
  });
});

describe('serve', () => {
  let data: string;
  let service: RunningService;
  beforeAll(async () => {
    data = dataWithPosts('served');
    giveTinySample(data);
    // As if copied from elsewhere into a folder that others may read and write.
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o666);
    chmodSync(data, 0o777);
    service = await serve(data);
  });
  afterAll(() => service.stop());

  it('runs the work of commands, which takes effect at once', async () => {
    const token = await groundswell('token', 'app', '--data', data);
    expect(token.out).toMatch(/^[\w-]{32,}\n$/);
    expect(await totalOf(service.url, token.out.trim())).toBe(2);
    const added = await groundswell('user', 'add', 'zoe', '--data', data);
    expect(added).toMatchObject({ code: 0, out: '@zoe was added.\n' });
    const csv = inFolder('more.csv');
    writeFileSync(csv, HEADER + rows(2, 1002));
    const imported = await program(['import', csv, '--data', data]);
    expect(imported).toMatchObject({
      code: 0,
      out: expect.stringContaining('read 1000, added 999, already there 1, refused 0'),
    });
    expect(await totalOf(service.url, token.out.trim())).toBe(1001);
  });

  it('accepts the longest query of the archive in any script', async () => {
    const token = await tokenOf(data);
    const query = '東京 '.repeat(1400).slice(0, 4095);
    const url = `${service.url}/2/tweets/counts/all?query=${encodeURIComponent(query)}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
  });

  it.skipIf(process.platform === 'win32')('lets other system users read no file', () => {
    const open = readdirSync(data).filter((name) => statSync(join(data, name)).mode & 0o077);
    expect(open).toEqual([]);
    expect(readdirSync(data)).toEqual(
      expect.arrayContaining(['posts.sqlite-wal', 'service.sqlite', 'lock.sqlite', 'serve.json']),
    );
  });

  it('signs browsers in only by addresses that it printed, each once', async () => {
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
    const linked = await groundswell('link', '--data', data);
    expect(linked).toMatchObject({ code: 0, err: '' });
    expect(linked.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]{43}\n$/);
    expect(await open(await signIn(linked.out.trim()))).toBe(200);
    expect(await signIn(linked.out.trim())).toBe('');
  });

  it('is opened in the browser through a page that no other user can read', async () => {
    const bin = inFolder('bin');
    mkdirSync(bin);
    // The system's opener gets only a file name, because every user can read the arguments of a process.
    const opener = join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\ncp "$1" '${inFolder('opened.html')}'\n`, { mode: 0o755 });
    const { out } = await program(['link', '--open', '--data', data], {
      PATH: `${bin}:${process.env['PATH']}`,
    });
    const page = join(data, 'open.html');
    expect(statSync(page).mode & 0o077).toBe(0);
    expect(readFileSync(page, 'utf8')).toContain(out.trim());
  });

  it('refuses a folder that is already served, and names the address', async () => {
    const { code, out, err } = await groundswell('serve', '--port', '0', '--data', data);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('is in use');
    expect(err).toContain(service.url);
  });

  it('refuses a port in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const other = dataWithPosts('other');
    const { code, out, err } = await groundswell('serve', '--port', String(port), '--data', other);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe(
      `Port ${port} is in use. Choose another with --port, or stop the program that listens on it.\n`,
    );
    await new Promise((resolve) => taken.close(resolve));
  });

  it('listens only on this machine', async () => {
    const { port } = new URL(service.url);
    await expect(fetch(`http://127.0.0.2:${port}/`)).rejects.toThrow(TypeError);
  });

  it('stops cleanly, and starts again after it was killed', async () => {
    const data = dataWithPosts('killed');
    giveTinySample(data);
    const first = await serveProcess(data);
    const token = await tokenOf(data);
    const gone = new Promise((resolve) => first.process.once('exit', resolve));
    first.process.kill('SIGKILL');
    await gone;
    expect(existsSync(join(data, 'serve.json'))).toBe(true);
    // The killed service's serve.json is stale, so the command does the work itself.
    expect(await groundswell('token', 'app', '--data', data)).toMatchObject({ code: 0 });
    const second = await serve(data);
    expect(await totalOf(second.url, token)).toBe(2);
    expect(await second.stop()).toBe(0);
    expect(existsSync(join(data, 'serve.json'))).toBe(false);
  });

  // The short form shares a smaller one.
  if (long()) {
    it('has a sample of about 200,000 Posts from the program', async () => {
      const data = inFolder('whole-sample');
      await giveSample(data);
      const sample = openSource(join(data, 'sample.sqlite'), { random: countingBytes() });
      expect(Math.abs(sample.index.posts - 200_000)).toBeLessThan(4000);
      sample.close();
    });
  }

  /** The sample in the answer of `GET /sources`. */
  async function sampleOf({
    url,
    cookie,
  }: RunningService): Promise<{ id: string; store: string; posts: number; making?: number }> {
    const { data } = await (await fetch(`${url}/sources`, { headers: { cookie } })).json();
    return data.find((source: { id: string }) => source.id === 'sample');
  }

  it(
    'generates the sample while it serves an empty folder, and again on demand',
    { tags: 'long' },
    async () => {
      const data = inFolder('empty');
      const empty = await serve(data, { samplePosts });
      const making = async (): Promise<unknown> => (await sampleOf(empty)).making;
      await expect.poll(making, { timeout: 60_000, interval: 20 }).toBeUndefined();
      const before = await sampleOf(empty);
      expect(before.posts).toBeGreaterThan(samplePosts / 2);
      const again = await groundswell('sample', '--data', data);
      const after = await sampleOf(empty);
      expect(again).toMatchObject({ code: 0, out: `The sample has ${after.posts} posts.\n` });
      expect(after.store).not.toBe(before.store);
      await empty.stop();
    },
  );

  it('serves existing Posts at once, and generates the sample meanwhile', async () => {
    const own = await serve(dataWithPosts('own'), { samplePosts });
    const made = async (): Promise<number> => (await sampleOf(own)).posts;
    await expect.poll(made, { timeout: 60_000, interval: 20 }).toBeGreaterThan(samplePosts / 2);
    await own.stop();
  });
});
