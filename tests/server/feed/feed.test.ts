import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it, test } from 'vitest';
import { openFeeds } from '#server/feed/feed.ts';
import type { Feed } from '#server/feed/feed.ts';
import type { Row } from '#server/feed/row.ts';
import { folder } from './folder.ts';

const at = folder();

function file(name: string, content: string | Uint8Array): string {
  const path = join(at(), name);
  writeFileSync(path, content);
  return path;
}

async function open(name: string, content: string | Uint8Array): Promise<Feed> {
  const [feed] = await openFeeds(file(name, content));
  if (!feed) throw new Error('no feed');
  return feed;
}

async function rowsOf(feed: Feed): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const some of feed.rows()) rows.push(...some);
  return rows;
}

const KINDS: readonly [content: string, kind: string][] = [
  ['id,text\n1,a\n', 'csv'],
  ['{"id":"1","text":"a"}\n{"id":"2","text":"b"}\n', 'lines'],
  ['{"id":"1","text":"a"}', 'lines'],
  ['{"id":\n{"id":"2","text":"b"}\n', 'document'],
  ['{"id":"1","te\n{"id":"2","text":"b"}\n', 'lines'],
  ['[{"id":"1"}]', 'list'],
  ['{\n  "data": [{"id":"1"}]\n}', 'document'],
  ['window.YTD.tweets.part0 = [ ]', 'archive'],
  ['window.YTD.tweet.part0 = [ ]', 'archive'],
];

describe('kind of a file', () => {
  test.each(KINDS)('%j is %s, whatever its name', async (content, kind) => {
    expect((await open('posts.bin', content)).kind).toBe(kind);
    expect((await open('posts.bin', `\ufeff${content}`)).kind).toBe(kind);
    expect((await open('posts.bin', gzipSync(content))).kind).toBe(kind);
  });

  it('reads a Post that is a document of its own, over several lines', async () => {
    const feed = await open('one.json', '{\n  "id": "1",\n  "text": "a"\n}\n');
    expect(await rowsOf(feed)).toEqual([
      { kind: 'value', line: 1, place: '', value: { id: '1', text: 'a' } },
    ]);
  });
});

describe('a CSV row', () => {
  it('that is not UTF-8 is refused alone, with the byte', async () => {
    const rows = Buffer.concat([
      Buffer.from('id,text\n1,ol\u00e9\n2,'),
      Buffer.from('ol\u00e9', 'latin1'),
      Buffer.from('\n3,c\n'),
    ]);
    expect(await rowsOf(await open('mixed.csv', rows))).toEqual([
      { kind: 'columns', line: 2, fields: ['1', 'ol\u00e9'] },
      { kind: 'bad', line: 3, reason: 'is not UTF-8 (byte 0xE9); save the file as UTF-8' },
      { kind: 'columns', line: 4, fields: ['3', 'c'] },
    ]);
  });

  it('may hold a NUL; names of columns may not', async () => {
    const feed = await open('nul.csv', 'id,text\n1,a\0b\n');
    expect(await rowsOf(feed)).toEqual([{ kind: 'columns', line: 2, fields: ['1', 'a\0b'] }]);
    await expect(open('nul.bin', 'PK\0\x01\nid,text\n')).rejects.toThrow('none of the kinds');
  });
});

describe('bytes', () => {
  it('keeps characters whole that lie across blocks, and takes the mark at the beginning off', async () => {
    const line = '1,😀é漢\n';
    const feed = await open('posts.csv', `\ufeffid,text\n${line.repeat(40_000)}`);
    const rows = await rowsOf(feed);
    expect(feed.header).toEqual(['id', 'text']);
    expect(rows).toHaveLength(40_000);
    expect(rows.every((row) => row.kind === 'columns' && row.fields[1] === '😀é漢')).toBe(true);
  });

  it('reads UTF-16 that is marked as such', async () => {
    const feed = await open('posts.csv', Buffer.from('\ufeffid,text\n1,né\n', 'utf16le'));
    expect(await rowsOf(feed)).toEqual([{ kind: 'columns', line: 2, fields: ['1', 'né'] }]);
  });

  it('reads all members of a gzip file', async () => {
    const feed = await open(
      'posts.csv.gz',
      Buffer.concat([gzipSync('id,text\n1,a\n'), gzipSync('2,b\n')]),
    );
    expect((await rowsOf(feed)).map((row) => row.line)).toEqual([2, 3]);
  });

  it('gives the rows before the place where a gzip file is cut off, then names file and byte', async () => {
    const noise = Array.from(
      { length: 60_000 },
      (_, i) => `${i},${Math.imul(i, 0x9e3779b1)}\n`,
    ).join('');
    const whole = gzipSync(`id,text\n${noise}`);
    const feed = await open('posts.csv.gz', whole.subarray(0, whole.length / 2));
    const rows: Row[] = [];
    const reading = (async () => {
      for await (const some of feed.rows()) rows.push(...some);
    })();
    const byte = Math.floor(whole.length / 2);
    await expect(reading).rejects.toMatchObject({ name: 'FeedError', problem: 'truncated' });
    await expect(reading).rejects.toThrow(
      `posts.csv.gz: is cut off: its compressed data ends at byte ${byte}`,
    );
    expect(rows.length).toBeGreaterThan(10_000);
  });

  it('names file and byte of damage in a gzip file', async () => {
    const whole = gzipSync('id,text\n1,a\n');
    whole[whole.length - 6] = 0xff;
    await expect(openFeeds(file('x.csv.gz', whole))).rejects.toThrow(
      /x\.csv\.gz: is damaged near byte \d+: incorrect data check/,
    );
  });

  it('stops with the reason of the signal', async () => {
    const feed = await open('posts.csv', `id,text\n${'1,a\n'.repeat(100_000)}`);
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of feed.rows({ signal: controller.signal }))
        controller.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('a file that cannot be read', () => {
  it('is told by class and cause', async () => {
    const dir = join(at(), 'folder');
    mkdirSync(dir);
    await expect(openFeeds(join(at(), 'none.csv'))).rejects.toMatchObject({ problem: 'missing' });
    await expect(openFeeds(dir)).rejects.toMatchObject({ problem: 'folder' });
    await expect(openFeeds(file('empty.csv', ''))).rejects.toMatchObject({ problem: 'empty' });
    await expect(openFeeds(file('blank.csv', '\n \n'))).rejects.toMatchObject({ problem: 'empty' });
    await expect(openFeeds(file('x.png', '\x89PNG\0\0'))).rejects.toMatchObject({
      problem: 'unknown-kind',
    });
    await expect(
      openFeeds(file('x.zip', zipSync({ 'a.txt.png': strToU8('x') }))),
    ).rejects.toMatchObject({ problem: 'unknown-kind' });
  });

  // The superuser may read everything.
  if (process.getuid && process.getuid() !== 0) {
    it('may not be read by this user', async () => {
      const path = file('closed.csv', 'id,text\n');
      chmodSync(path, 0);
      await expect(openFeeds(path)).rejects.toMatchObject({ problem: 'unreadable' });
    });
  }
});

describe('zip', () => {
  const posts = (id: string) => strToU8(`window.YTD.tweets.part0 = [ {"tweet":{"id":"${id}"}} ]`);
  const account = strToU8(
    'window.YTD.account.part0 = [ {"account":{"username":"quietteapot","accountId":"42"}} ]',
  );

  it('of a user archive gives its Posts, all parts, and whose they are, and nothing else', async () => {
    const zip = zipSync({
      'data/tweets.js': [posts('1'), { level: 6 }],
      'data/tweets-part1.js': [posts('2'), { level: 0 }],
      'data/account.js': account,
      'data/tweet-headers.js': strToU8('window.YTD.tweet_headers.part0 = [ {"tweet":{"id":"9"}} ]'),
      'data/deleted-tweets.js': posts('8'),
    });
    const feeds = await openFeeds(file('archive.zip', zip));
    expect(feeds.map((feed) => feed.file.slice(at().length + 1))).toEqual([
      'archive.zip/data/tweets.js',
      'archive.zip/data/tweets-part1.js',
    ]);
    expect(feeds.map((feed) => feed.owner)).toEqual(
      Array.from({ length: 2 }, () => ({ id: '42', username: 'quietteapot' })),
    );
    const rows = (await Promise.all(feeds.map(rowsOf))).flat();
    expect(rows.map((row) => row.kind === 'value' && row.value)).toEqual([
      { tweet: { id: '1' } },
      { tweet: { id: '2' } },
    ]);
  });

  it('of an archive before 2022 gives its tweet.js', async () => {
    const feeds = await openFeeds(
      file('old.zip', zipSync({ 'tweet.js': posts('1'), 'account.js': account })),
    );
    expect(feeds).toHaveLength(1);
  });

  it('of CSV files gives each of them', async () => {
    const zip = zipSync({
      'a.csv': strToU8('id,text\n1,a\n'),
      'b/c.jsonl': strToU8('{"id":"1","text":"a"}\n'),
    });
    expect((await openFeeds(file('some.zip', zip))).map((feed) => feed.kind)).toEqual([
      'csv',
      'lines',
    ]);
  });

  it('that is cut off says so', async () => {
    const zip = zipSync({ 'data/tweets.js': posts('1') });
    await expect(openFeeds(file('cut.zip', zip.subarray(0, zip.length - 10)))).rejects.toThrow(
      `is cut off: the zip ends at byte ${zip.length - 10} without its directory.`,
    );
  });
});

describe('tweets.js beside its account.js', () => {
  it('is read as of that account', async () => {
    file(
      'account.js',
      'window.YTD.account.part0 = [ {"account":{"username":"quietteapot","accountId":"42"}} ]',
    );
    const feed = await open('tweets.js', 'window.YTD.tweets.part0 = [ ]');
    expect(feed.owner).toEqual({ id: '42', username: 'quietteapot' });
  });
});
