import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it, test } from 'vitest';
import { openFeeds, type Feed } from '#server/readers/feed.ts';
import type { Row } from '#core/readers/row.ts';
import { freshFolder } from '#tests/server/db/folder.ts';

const at = freshFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = at(name);
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

/** A file of the dashboard. */
const ownFile = (kind: string): Uint8Array =>
  zipSync({ 'manifest.json': strToU8(`{"groundswell":"${kind}","version":1}`) }, { level: 0 });

const KINDS: readonly [content: string, kind: string][] = [
  ['id,text\n1,a\n', 'csv'],
  ['{"id":"1","text":"a"}\n{"id":"2","text":"b"}\n', 'lines'],
  ['{"id":"1","text":"a"}', 'lines'],
  ['{"id":\n{"id":"2","text":"b"}\n', 'document'],
  ['{"id":"1","te\n{"id":"2","text":"b"}\n', 'lines'],
  ['[{"id":"1"}]', 'list'],
  ['{\n  "data": [{"id":"1"}]\n}', 'document'],
  ['{ "data": [{"id":"1"}]\n}', 'document'],
  ['{ "data": [{"id":"1"}]\n, "meta": {}}', 'document'],
  ['{"data":[{"id":"1"}]}{"data":[{"id":"2"}]}', 'document'],
  ['{"id":"1"}\r{"id":"2"}\r', 'lines'],
  ['{"id":"1"}\r\n{"id":"2"}\r\n', 'lines'],
  ['{"id":"1"}, \n{"id":"2"}', 'document'],
  ['window.YTD.tweets.part0 = [ ]', 'archive'],
  ['window.YTD.tweet.part0 = [ ]', 'archive'],
];

describe('kind of a file', () => {
  test.each(KINDS)('%j is %s, whatever its name', async (content, kind) => {
    expect((await open('posts.bin', content)).kind).toBe(kind);
    expect((await open('posts.bin', `\ufeff${content}`)).kind).toBe(kind);
    expect((await open('posts.bin', gzipSync(content))).kind).toBe(kind);
  });

  it('reads a Post that is a whole document, over several lines', async () => {
    const feed = await open('one.json', '{\n  "id": "1",\n  "text": "a"\n}\n');
    expect(await rowsOf(feed)).toEqual([
      { kind: 'value', line: 1, place: '', value: { id: '1', text: 'a' } },
    ]);
  });
});

/** Two Posts in each form, with padding of this length before the first line's end. */
const FORMS: readonly [name: string, make: (filler: string) => string][] = [
  ['JSON lines', (x) => `{"id":"1","text":"${x}"}\n{"id":"2","text":"b"}\n`],
  ['JSON lines that end with returns', (x) => `{"id":"1","text":"${x}"}\r{"id":"2","text":"b"}`],
  ['JSON lines whose first is broken', (x) => `{"id":"1","te${x}\n{"id":"2","text":"b"}\n`],
  ['a list', (x) => `[{"id":"1","text":"${x}"},{"id":"2","text":"b"}]`],
  ['an answer', (x) => `{"x":"${x}","data":[{"id":"1"},{"id":"2"}]}`],
  ['an answer over lines', (x) => `{"x":"${x}",\n"data":[{"id":"1"},\n{"id":"2"}]}`],
  ['objects one after another', (x) => `{"id":"1","text":"${x}"} {"id":"2"}`],
  ['objects over lines', (x) => `{"id":"1",\n"text":"${x}"}\n{\n"id":"2"}`],
  ['an archive', (x) => `window.YTD.tweets.part0 = [ {"tweet":{"x":"${x}"}}, {"tweet":{}} ]`],
  ['CSV with a long column name', (x) => `id,"${x}",text\n1,,a\n2,,b\n`],
  ['CSV with a line break in a column name', (x) => `id,"${x}\n",text\r\n1,,a\r\n2,,b\r\n`],
];

describe('a first line of any length', () => {
  const around = [
    ['as it is', (text: string) => Buffer.from(text)],
    ['gzipped', (text: string) => gzipSync(text)],
    ['after a byte-order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['after 70,000 blank lines', (text: string) => Buffer.from('\n'.repeat(70_000) + text)],
    ['in UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['in UTF-16, big-endian', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ] as const;

  describe.each(FORMS)('in %s', (_, make) => {
    test.each(around)('%s does not change the result', async (_, bytes) => {
      const [short, long] = [make('x'), make('x'.repeat(100_000))];
      const summaryOf = (rows: readonly Row[]): unknown[] =>
        rows.map((row) => [row.kind, row.kind === 'value' && (row.value as { id?: unknown }).id]);
      const rows = await rowsOf(await open('short', bytes(short)));
      expect(rows.length).toBeGreaterThan(0);
      expect(summaryOf(await rowsOf(await open('long', bytes(long))))).toEqual(summaryOf(rows));
    });
  });

  it('of nine million characters is refused alone, or read if it is an answer', async () => {
    const x = 'x'.repeat(9 * 1024 * 1024);
    const lines = await open('lines', `{"id":"1","text":"${x}"}\n{"id":"2"}\n`);
    expect((await rowsOf(lines)).map((row) => [row.line, row.kind])).toEqual([
      [1, 'bad'],
      [2, 'value'],
    ]);
    const answer = await open('answer', `{"x":"${x}","data":[{"id":"1"}]}`);
    expect((await rowsOf(answer)).map((row) => row.kind)).toEqual(['value']);
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

  it('may contain a NUL; names of columns may not', async () => {
    const feed = await open('nul.csv', 'id,text\n1,a\0b\n');
    expect(await rowsOf(feed)).toEqual([{ kind: 'columns', line: 2, fields: ['1', 'a\0b'] }]);
    await expect(open('nul.bin', 'PK\0\x01\nid,text\n')).rejects.toThrow('none of the kinds');
  });
});

describe('bytes', () => {
  it('keep characters that span blocks, and lose the leading mark', async () => {
    const line = '1,😀é漢\n';
    const feed = await open('posts.csv', `\ufeffid,text\n${line.repeat(40_000)}`);
    const rows = await rowsOf(feed);
    expect(feed.header).toEqual(['id', 'text']);
    expect(rows).toHaveLength(40_000);
    expect(rows.every((row) => row.kind === 'columns' && row.fields[1] === '😀é漢')).toBe(true);
  });

  it('are read as UTF-16 if marked as such', async () => {
    const feed = await open('posts.csv', Buffer.from('\ufeffid,text\n1,né\n', 'utf16le'));
    expect(await rowsOf(feed)).toEqual([{ kind: 'columns', line: 2, fields: ['1', 'né'] }]);
  });

  it('include all members of a gzip file', async () => {
    const feed = await open(
      'posts.csv.gz',
      Buffer.concat([gzipSync('id,text\n1,a\n'), gzipSync('2,b\n')]),
    );
    expect((await rowsOf(feed)).map((row) => row.line)).toEqual([2, 3]);
  });

  it('of a truncated gzip file give the rows before its end, then a fault with file and byte', async () => {
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

  it('of a damaged gzip file give a fault with file and byte', async () => {
    const whole = gzipSync('id,text\n1,a\n');
    whole[whole.length - 6] = 0xff;
    await expect(openFeeds(file('x.csv.gz', whole))).rejects.toThrow(
      /x\.csv\.gz: is damaged near byte \d+: incorrect data check/,
    );
  });

  it('stop with the reason of the signal', async () => {
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
  it('is reported by class and cause', async () => {
    const dir = at('folder');
    mkdirSync(dir);
    await expect(openFeeds(at('none.csv'))).rejects.toMatchObject({ problem: 'missing' });
    await expect(openFeeds(dir)).rejects.toMatchObject({ problem: 'folder' });
    await expect(openFeeds(file('empty.csv', ''))).rejects.toMatchObject({ problem: 'empty' });
    await expect(openFeeds(file('blank.csv', '\n \n'))).rejects.toMatchObject({ problem: 'empty' });
    await expect(openFeeds(file('x.png', '\x89PNG\0\0'))).rejects.toMatchObject({
      problem: 'unknown-kind',
    });
    await expect(
      openFeeds(file('x.zip', zipSync({ 'a.txt.png': strToU8('x') }))),
    ).rejects.toMatchObject({ problem: 'unknown-kind' });
    await expect(openFeeds('/dev/null')).rejects.toThrow('is a pipe or a device');
  });

  const FOREIGN: readonly [string, string | Uint8Array, string][] = [
    [
      'a backup',
      ownFile('backup'),
      'looks like a backup of a browser’s counts, which Settings restores',
    ],
    [
      'a bundle',
      ownFile('bundle'),
      'looks like a board with its counts, which the dashboard opens',
    ],
    ['a saved board', ownFile('board'), 'looks like a saved board, which the dashboard opens'],
    ['a PNG image', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'looks like a PNG image'],
    ['a PDF', '%PDF-1.7\n%âãÏÓ', 'looks like a PDF'],
    ['a web page', '<!doctype html>\n<p>', 'looks like an HTML or XML page'],
    [
      'a zip in a gzip',
      gzipSync(zipSync({ a: strToU8('x') })),
      'a zip inside another compressed file',
    ],
    ['UTF-16 without a mark', Buffer.from('id,text\n1,a\n', 'utf16le'), 'save it as UTF-8'],
    ['a workbook', zipSync({ 'xl/workbook.xml': strToU8('x') }), 'is an Excel workbook'],
    ['noise', Buffer.from([1, 2, 0, 255, 254, 3]), 'its first line is not text'],
    ['a quote without an end', `"${'x'.repeat(300_000)}`, 'is longer than 131072 characters'],
  ];
  test.each(FOREIGN)('such as %s is named by its kind', async (_, content, words) => {
    await expect(openFeeds(file('x.csv', content))).rejects.toMatchObject({
      name: 'FeedError',
      message: expect.stringContaining(words) as string,
    });
  });

  it('is not read to its end if it unpacks to far more than Posts do', async () => {
    const feed = await open(
      'bomb.csv.gz',
      gzipSync(`id,text\n1,a\n${'x'.repeat(80 * 1024 * 1024)}`),
    );
    let rows = 0;
    const reading = (async () => {
      for await (const some of feed.rows()) rows += some.length;
    })();
    await expect(reading).rejects.toThrow('unpacks to more than 250 times its size');
    expect(rows).toBeGreaterThan(0);
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

  it('of a user archive gives its Posts in all parts, their owner, and nothing else', async () => {
    const zip = zipSync({
      'data/tweets.js': [posts('1'), { level: 6 }],
      'data/tweets-part1.js': [posts('2'), { level: 0 }],
      'data/account.js': account,
      'data/tweet-headers.js': strToU8('window.YTD.tweet_headers.part0 = [ {"tweet":{"id":"9"}} ]'),
      'data/deleted-tweets.js': posts('8'),
    });
    const feeds = await openFeeds(file('archive.zip', zip));
    expect(feeds.map((feed) => feed.file.slice(at('').length + 1))).toEqual([
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

  it('is read without what the Finder adds and files about the others', async () => {
    const zip = zipSync({
      'a.csv': strToU8('id,text\n1,a\n'),
      '__MACOSX/._a.csv': strToU8('\0\x05\x16\x07'),
      '.hidden.csv': strToU8('x'),
      'README.txt': strToU8('Posts of 2020.'),
      'docs/manifest.json': strToU8('{}'),
    });
    const feeds = await openFeeds(file('mac.zip', zip));
    expect(feeds.map((feed) => feed.file.slice(at('').length + 1))).toEqual(['mac.zip/a.csv']);
  });

  it('that is cut off says so', async () => {
    const zip = zipSync({ 'data/tweets.js': posts('1') });
    await expect(openFeeds(file('cut.zip', zip.subarray(0, zip.length - 10)))).rejects.toThrow(
      `is cut off: the zip ends at byte ${zip.length - 10} without its directory.`,
    );
  });
});

describe('tweets.js next to its account.js', () => {
  it('belongs to that account', async () => {
    file(
      'account.js',
      'window.YTD.account.part0 = [ {"account":{"username":"quietteapot","accountId":"42"}} ]',
    );
    const feed = await open('tweets.js', 'window.YTD.tweets.part0 = [ ]');
    expect(feed.owner).toEqual({ id: '42', username: 'quietteapot' });
  });
});
