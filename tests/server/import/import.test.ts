import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS } from '#core/time/span.ts';
import { importFiles, type ImportDeps, type ImportJob } from '#server/import/import.ts';
import { startImport } from '#server/import/worker.ts';
import type { ImportedRequest } from '#server/notes/request-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import { threadEntry } from '#tests/support/service/threads.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import {
  ImportError,
  type ImportProgress,
  type ImportSummary,
} from '#server/import/import-summary.ts';

const path = temporaryFolder();
const random = countingBytes();
const NOW = Date.UTC(2026, 10, 21);
const SPAN = { start: Date.UTC(2006, 2, 21), end: NOW + 2 * DAY_MS };
const ENTRY = threadEntry();
const HEADER = 'id,created_at,author,author_id,text,lang,is_retweet\n';

let files = 0;
function write(name: string, content: string | Uint8Array): string {
  files += 1;
  const file = path(`${files}-${name}`);
  writeFileSync(file, content);
  return file;
}

function run(job: ImportJob, more: Partial<ImportDeps> = {}): Promise<ImportSummary> {
  const signal = new AbortController().signal;
  return importFiles(job, { signal, now: () => NOW, random, ...more });
}

async function faultOf(job: ImportJob): Promise<ImportError> {
  const error = await run(job).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(error instanceof ImportError)) throw new Error('expected an ImportError', { cause: error });
  return error;
}

/** Number of Posts of a store that match a query. */
function count(store: string, query: string): number {
  const parsed = parse(query);
  if (!parsed.ok) throw new Error(query);
  const source = openSource(store, { random });
  const days = source.index.histogram(condition(parsed.ast), SPAN, 'day');
  source.close();
  return days.reduce((sum, n) => sum + n, 0);
}

function csv(rows: number, from = 0): string {
  const row = (i: number): string =>
    `${1000 + from + i},2017-08-27T04:05:34Z,ann,9,oat milk ${from + i},en,${i % 2 === 0}\n`;
  return HEADER + Array.from({ length: rows }, (_, i) => row(i)).join('');
}

describe('an import', () => {
  it.each([
    ['on one thread', (job: ImportJob) => run(job)],
    ['in threads of their own', (job: ImportJob) => startImport(ENTRY, job)],
  ])(
    'reports as added what it added itself if two run at once, %s',
    { tags: 'long' },
    async (how, both) => {
      const store = path(`both-${how.length}.sqlite`);
      const job = { files: [write('both.csv', csv(9000))], store };
      const done = await Promise.all([both(job), both(job)]);
      expect(done.map(({ read }) => read)).toEqual([9000, 9000]);
      expect(done.map(({ added, already }) => added + already)).toEqual([9000, 9000]);
      expect(done[0]!.added + done[1]!.added).toBe(9000);
      expect(count(store, '"oat milk"')).toBe(9000);
    },
  );

  it('adds every row once, by its id, and counts existing ones', async () => {
    const store = path('once.sqlite');
    const job = {
      files: [write('a.csv', csv(500)), write('b.csv.gz', gzipSync(csv(500, 250)))],
      store,
    };
    expect(await run(job)).toMatchObject({
      read: 1000,
      added: 750,
      already: 250,
      refused: 0,
      stopped: false,
    });
    expect(await run(job)).toMatchObject({ read: 1000, added: 0, already: 1000, refused: 0 });
    expect(count(store, '"oat milk"')).toBe(750);
    expect(count(store, 'from:ann is:retweet')).toBe(375);
  });

  it('refuses bad rows with file, line and reason and imports the rest', async () => {
    const rows = [
      '1,2017-08-27T04:05:34Z,ann,9,good,en,false',
      '2,2017-08-27T04:05:34Z,ann',
      ',,ann,9,neither,en,false',
      '4,soon,ann,9,malformed,en,false',
      'five,2017-08-27T04:05:34Z,ann,9,bad id,en,false',
      '6,2006-03-20T23:59:59Z,ann,9,before,en,false',
      '7,2099-01-01T00:00:00Z,ann,9,after,en,false',
      '8,2017-08-27T04:05:34Z,ann,9,"good\nstill",en,false',
      '9,2017-08-27T04:05:34Z,ann,9,perhaps,en,maybe',
    ];
    const file = write('bad.csv', HEADER + rows.join('\n'));
    const summary = await run({ files: [file], store: path('bad.sqlite') });
    expect(summary).toMatchObject({ read: 9, added: 2, already: 0, refused: 7 });
    expect(summary.reasons.map(({ file: f, line, reason }) => [f === file, line, reason])).toEqual([
      [true, 3, 'has 3 columns, the header 7'],
      [true, 4, 'has neither an id nor a time'],
      [true, 5, 'the time "soon" is not of the form 2017-08-27T04:05:34Z'],
      [true, 6, 'the id "five" is not a number between 1 and 2^63 − 1'],
      [true, 7, 'its time 2006-03-20T23:59:59.000Z is before 2006-03-21, when the archive begins'],
      [true, 8, 'its time 2099-01-01T00:00:00.000Z is in the future'],
      [true, 11, '"Is a repost" (column "is_retweet") is "maybe", neither yes nor no'],
    ]);
  });

  it('lists the first twenty bad rows and counts all', async () => {
    const file = write('many.csv', HEADER + 'x,,,,,,\n'.repeat(5000));
    const summary = await run({ files: [file], store: path('many.sqlite') });
    expect(summary).toMatchObject({ read: 5000, added: 0, refused: 5000 });
    expect(summary.reasons.map(({ line }) => line)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 2),
    );
  });

  it('makes the same ids at every import for rows without one, including equal rows', async () => {
    const rows = [
      '2017-08-27T04:05:34Z,ann,x',
      '2017-08-27T04:05:34Z,ann,x',
      '2017-08-27T04:05:35Z,ann,x',
    ];
    const job = {
      files: [write('noid.csv', `created_at,author,text\n${rows.join('\n')}`)],
      store: path('noid.sqlite'),
    };
    expect(await run(job)).toMatchObject({ added: 3, already: 0 });
    expect(await run(job)).toMatchObject({ added: 0, already: 3 });
  });

  it('reads columns by the map', async () => {
    const file = write('map.csv', 'nr;when;words\n5;2017-08-27 04:05;oat milk\n');
    const store = path('map.sqlite');
    await run({ files: [file], map: { id: 'nr', created_at: 'when', text: 'words' }, store });
    expect(count(store, '"oat milk"')).toBe(1);
  });

  it('reads v2 answers, Posts line by line, lists, and archives into one store', async () => {
    const post = (id: number, more = {}) => ({
      id: String(id),
      text: `oat milk ${id}`,
      created_at: '2020-01-01T00:00:00.000Z',
      ...more,
    });
    const users = [{ id: '7', username: 'Ann' }];
    const archive = (id: string) =>
      `window.YTD.tweets.part0 = ${JSON.stringify([{ tweet: { id, full_text: 'oat milk', created_at: 'Sat Aug 12 16:10:37 +0000 2023' } }])}`;
    const store = path('kinds.sqlite');
    const summary = await run({
      files: [
        write(
          'answers.jsonl',
          `${JSON.stringify({ data: [post(1, { author_id: '7' }), post(2)], includes: { users } })}\n${JSON.stringify({ data: post(3) })}\n`,
        ),
        write('posts.jsonl', `${JSON.stringify(post(4))}\n{"broken\n${JSON.stringify(post(5))}\n`),
        // The included objects follow the Posts that need them.
        write(
          'answer.json',
          JSON.stringify({ data: [post(6, { author_id: '7' })], includes: { users } }, null, 2),
        ),
        write(
          'list.json',
          JSON.stringify([post(7), { data: [post(8, { author_id: '7' })], includes: { users } }]),
        ),
        write(
          'archive.zip',
          zipSync({
            'data/tweets.js': strToU8(archive('9')),
            'data/tweets-part1.js': strToU8(archive('10')),
            'data/account.js': strToU8(
              'window.YTD.account.part0 = [ {"account":{"username":"Bob","accountId":"8"}} ]',
            ),
          }),
        ),
      ],
      store,
    });
    expect(summary).toMatchObject({ read: 11, added: 10, refused: 1 });
    expect(summary.reasons[0]).toMatchObject({ line: 2, reason: 'is not valid JSON' });
    expect(count(store, '"oat milk"')).toBe(10);
    expect(count(store, 'from:ann')).toBe(3);
    expect(count(store, 'from:7')).toBe(3);
    expect(count(store, 'from:bob')).toBe(2);
  });

  it.each([
    ['in one line', 0],
    ['in a document', 2],
  ])('knows the author of a reposted Post of the same answer, %s', async (how, indent) => {
    const post = (id: string, author: string, more = {}) => ({
      id,
      text: 'okapi text',
      created_at: '2022-06-06T06:06:06.000Z',
      author_id: author,
      ...more,
    });
    const answer = {
      // The newest Post is first.
      data: [
        post('12', '9102', { referenced_tweets: [{ type: 'retweeted', id: '11' }] }),
        post('11', '9101'),
      ],
      includes: { users: [{ id: '9101', username: 'Orig_A' }] },
    };
    const store = path(`reposted-${how.length}.sqlite`);
    const file = write('reposted.json', JSON.stringify(answer, null, indent));
    expect(await run({ files: [file], store })).toMatchObject({ added: 2, refused: 0 });
    expect(count(store, 'retweets_of:9101')).toBe(1);
    expect(count(store, 'retweets_of:orig_a')).toBe(1);
  });

  it('reports its progress', { tags: 'long' }, async () => {
    let clock = 0;
    const reported: ImportProgress[] = [];
    const file = write('long.csv', csv(6000));
    const summary = await run(
      { files: [file], store: path('long.sqlite') },
      { now: () => NOW + (clock += 250), onProgress: (progress) => reported.push(progress) },
    );
    const size = readFileSync(file).length;
    expect(reported.length).toBeGreaterThan(3);
    for (const { bytesRead, bytesTotal, rows, rate, secondsLeft } of reported) {
      expect(bytesTotal).toBe(size);
      expect(bytesRead).toBeLessThanOrEqual(size);
      expect(rows).toBeLessThanOrEqual(summary.read);
      expect(rate).toBeGreaterThan(0);
      expect(secondsLeft).toBeGreaterThanOrEqual(0);
    }
    expect(reported.map(({ rows }) => rows)).toEqual(
      reported.map(({ rows }) => rows).sort((a, b) => a - b),
    );
    expect(reported.at(-1)).toMatchObject({ file, bytesRead: size, rows: 6000, secondsLeft: 0 });
  });
});

/** Files of each kind without a row, and the message for them. */
const ROWLESS: readonly [name: string, content: string | Uint8Array, words: string][] = [
  ['head.csv', 'id,created_at,text\n', 'below the names of the columns, found no row'],
  ['list.json', '[]', 'found a list without any object'],
  ['numbers.json', '[1, "two", [3]]', 'is not an object'],
  ['answer.json', '{"data":[],"meta":{"result_count":0}}', 'has no Posts'],
  ['answer-lines.json', '{\n"data": []\n}', 'found an answer without Posts'],
  ['empty.jsonl', '{"meta":{"result_count":0}}\n', 'found answers without Posts'],
  ['archive.js', 'window.YTD.tweets.part0 = []', 'found an empty list'],
  ['some.zip', zipSync({ 'a.csv': strToU8(HEADER), 'b.json': strToU8('[]') }), 'some.zip: has no'],
  ['other.json', '{"statuses": [{"id_str":"1"}]}', 'found "statuses"'],
  ['scalar.json', '17', 'has no column "text"; it has "17"'],
  ['long.json', `{"statuses":"${'x'.repeat(100_000)}"}`, 'found "statuses"'],
];

describe('requests for notes in a file', () => {
  const LINK = 'https://a.com/1';
  const requestsOf = async (name: string, content: string) => {
    const found: ImportedRequest[] = [];
    const store = path(`${name}.sqlite`);
    const onRequests = (requests: readonly ImportedRequest[]) => {
      // Their Posts are in the store by then.
      expect(count(store, 'bridge')).toBeGreaterThan(0);
      found.push(...requests);
    };
    const job = { files: [write(name, content)], store };
    const { noteRequests, refused, reasons } = await run(job, { onRequests });
    expect(noteRequests).toBe(found.length);
    const shown = found.map(({ post, count: all, links }) => ({ post, count: all, links }));
    return { found: shown, refused, reasons };
  };

  it('are columns of CSV, which are no fields of the Posts', async () => {
    const head = 'id,created_at,text,notes_requested,note_links\n';
    const row = (id: number, rest: string) => `${id},2026-11-20T10:00:00Z,a bridge,${rest}\n`;
    const rows = [row(1, `12,${LINK} 7`), row(2, 'no,'), row(3, ','), row(4, 'maybe,')];
    const { found, refused, reasons } = await requestsOf('noted.csv', head + rows.join(''));
    expect(found).toEqual([{ post: 1n, count: 12, links: [{ url: LINK, count: 7 }] }]);
    expect([refused, reasons[0]]).toMatchObject([
      1,
      { line: 5, reason: expect.stringContaining('notes_requested is "maybe"') },
    ]);
    const store = path('noted.csv.sqlite');
    const source = openSource(store, { random });
    expect(source.posts.rows([1n])[0]?.rest).toBeNull();
    source.close();
  });

  it('are members of JSON lines and of v2 answers, which are no fields of the Posts', async () => {
    const post = (id: string, more: object) => ({
      id,
      created_at: '2026-11-20T10:00:00Z',
      text: 'a bridge',
      ...more,
    });
    const lines = [
      post('1', { notes_requested: true, note_links: [LINK] }),
      post('2', { suggested_source_links_with_counts: [{ url: LINK, count: 3 }] }),
      post('3', {}),
      { data: [post('4', { notes_requested: 2 })] },
      post('5', { note_links: 7 }),
    ];
    const content = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { found, refused } = await requestsOf('noted.jsonl', content);
    expect(found).toEqual([
      { post: 1n, count: 1, links: [{ url: LINK, count: 1 }] },
      { post: 2n, count: 3, links: [{ url: LINK, count: 3 }] },
      { post: 4n, count: 2, links: [] },
    ]);
    expect(refused).toBe(1);
    const source = openSource(path('noted.jsonl.sqlite'), { random });
    for (const { rest } of source.posts.rows([1n, 2n, 4n])) expect(rest).toBeNull();
    source.close();
  });

  it('come out of the threads of an import, and stop it if they cannot be stored', async () => {
    const head = 'id,created_at,text,notes_requested\n';
    const rows = Array.from({ length: 2500 }, (_, i) => `${i + 1},2026-11-20T10:00:00Z,bridge,1\n`);
    const job = { files: [write('many.csv', head + rows.join(''))], store: path('many.sqlite') };
    const ids = new Set<bigint>();
    const { noteRequests } = await startImport(ENTRY, job, {
      onRequests: (requests) => requests.forEach(({ post }) => ids.add(post)),
    });
    expect([noteRequests, ids.size]).toEqual([2500, 2500]);
    const failing = startImport(ENTRY, job, {
      onRequests: () => {
        throw new Error('The disk is full.');
      },
    });
    await expect(failing).rejects.toThrow('The disk is full.');
  });
});

describe('a file without Posts', () => {
  test.each(ROWLESS)(
    '%s says what was expected and what was found',
    async (name, content, words) => {
      const job = { files: [write(name, content)], store: path(`${name}.sqlite`) };
      const result = await run(job).catch((error: unknown) => error);
      const said =
        result instanceof ImportError
          ? result.message
          : (result as ImportSummary).reasons.map(({ reason }) => reason).join();
      expect(said).toContain(words);
      if (!(result instanceof ImportError)) expect(result).toMatchObject({ added: 0, refused: 1 });
    },
  );

  it('does not prevent the import of the others', async () => {
    const store = path('others.sqlite');
    const none = write('none.csv', HEADER);
    const error = await faultOf({ files: [none, write('some.csv', csv(3))], store });
    expect(error).toMatchObject({ kind: 'FeedError', summary: { added: 3 } });
    expect(error.message).toContain(`${none}: has no Posts`);
    expect(count(store, '"oat milk"')).toBe(3);
  });

  it('is not an archive with one empty part', async () => {
    const part = (list: string): Uint8Array => strToU8(`window.YTD.tweets.part0 = ${list}`);
    const entry =
      '[{"tweet":{"id":"9","full_text":"oat","created_at":"Sat Aug 12 16:10:37 +0000 2023"}}]';
    const zip = zipSync({ 'data/tweets.js': part(entry), 'data/tweets-part1.js': part('[]') });
    const job = { files: [write('parts.zip', zip)], store: path('parts.sqlite') };
    expect(await run(job)).toMatchObject({ read: 1, added: 1 });
  });
});

describe('an import that fails', () => {
  it('imports nothing if a file, a column or the map is wrong', async () => {
    const store = path('nothing.sqlite');
    const good = write('good.csv', csv(3));
    const none = await faultOf({ files: [good, path('none.csv')], store });
    expect(none).toMatchObject({ kind: 'FeedError', summary: { read: 0, added: 0 } });
    expect(none.message).toContain('none.csv: there is no such file.');
    expect(await faultOf({ files: [good], map: { body: 'x' }, store })).toMatchObject({
      kind: 'MapError',
    });
    expect(await faultOf({ files: [good], map: { text: 'x' }, store })).toMatchObject({
      kind: 'FeedError',
    });
    expect(
      await faultOf({ files: [write('x.json', '[]')], map: { text: 'x' }, store }),
    ).toMatchObject({ kind: 'FeedError' });
    expect(await run({ files: [good], store })).toMatchObject({ added: 3 });
  });

  it('imports what precedes the point where a file is cut off, and can be run again', async () => {
    const ROWS = long() ? 10_000 : 4000;
    const store = path('cut.sqlite');
    const whole = gzipSync(csv(ROWS));
    const file = write('cut.csv.gz', whole.subarray(0, whole.length - 2000));
    const error = await faultOf({ files: [file], store });
    expect(error).toMatchObject({ kind: 'FeedError', summary: { stopped: false, already: 0 } });
    const added = error.summary?.added ?? 0;
    expect(added).toBeGreaterThan(1000);
    expect(count(store, '"oat milk"')).toBe(added);
    writeFileSync(file, whole);
    expect(await run({ files: [file], store })).toMatchObject({
      added: ROWS - added,
      already: added,
    });
  });

  it('imports the Posts of a truncated document before it reports the fault', async () => {
    const store = path('document.sqlite');
    const text = JSON.stringify({
      data: [{ id: '5', text: 'oat milk', created_at: '2020-01-01T00:00:00Z' }, { id: '6' }],
    });
    const error = await faultOf({ files: [write('cut.json', text.slice(0, -4))], store });
    expect(error.message).toContain('is cut off: the JSON ends on line 1');
    expect(count(store, '"oat milk"')).toBe(1);
  });

  it('reports what is wrong with the store', async () => {
    const error = await faultOf({
      files: [write('a.csv', csv(3))],
      store: write('not.sqlite', 'no database'),
    });
    expect(error).toMatchObject({ kind: 'StoreError', summary: null });
  });

  it('keeps what was read when it is stopped, and reports the stop', { tags: 'long' }, async () => {
    const store = path('stop.sqlite');
    const controller = new AbortController();
    const job = { files: [write('stop.csv', csv(15_000))], store };
    let clock = 0;
    const summary = await run(job, {
      signal: controller.signal,
      now: () => NOW + (clock += 250),
      onProgress: ({ rows }) => rows > 3000 && controller.abort(),
    });
    expect(summary.stopped).toBe(true);
    expect(summary.added).toBeGreaterThan(3000);
    expect(summary.added).toBeLessThan(15_000);
    expect(count(store, '"oat milk"')).toBe(summary.added);
    expect(await run(job)).toMatchObject({
      added: 15_000 - summary.added,
      already: summary.added,
      stopped: false,
    });
  });
});

describe('an import in separate threads', () => {
  it(
    'has the same result as in one thread, reports progress, and refuses the same rows',
    { tags: 'long' },
    async () => {
      const text = csv(10_000).replace('\n1500,', '\nx,');
      const job = { files: [write('threads.csv', text)], store: path('threads.sqlite') };
      const reported: ImportProgress[] = [];
      const summary = await startImport(ENTRY, job, {
        onProgress: (progress) => reported.push(progress),
      });
      expect(summary).toMatchObject({ read: 10_000, added: 9999, refused: 1, stopped: false });
      expect(summary.reasons).toEqual([
        {
          file: job.files[0],
          line: 502,
          reason: 'the id "x" is not a number between 1 and 2^63 − 1',
        },
      ]);
      expect(count(job.store, '"oat milk"')).toBe(9999);
      expect(count(job.store, 'from:ann lang:en -is:retweet')).toBe(5000);
    },
  );

  it(
    'ends with the fault of the reading thread, and keeps what it read',
    { tags: 'long' },
    async () => {
      const whole = gzipSync(csv(6000));
      const store = path('thread-cut.sqlite');
      const file = write('cut.csv.gz', whole.subarray(0, whole.length - 2000));
      const error = await startImport(ENTRY, { files: [file], store }).catch(
        (error: unknown) => error,
      );
      expect(error).toMatchObject({ name: 'ImportError', kind: 'FeedError' });
      expect((error as ImportError).message).toContain('is cut off');
      expect(count(store, '"oat milk"')).toBe((error as ImportError).summary?.added);
    },
  );

  it('ends with the fault of the store', { tags: 'long' }, async () => {
    const job = { files: [write('a.csv', csv(3))], store: write('not.sqlite', 'no database') };
    await expect(startImport(ENTRY, job)).rejects.toMatchObject({
      kind: 'StoreError',
      summary: null,
    });
  });

  it('stops on request, with what was done until then in the store', async () => {
    const controller = new AbortController();
    const job = { files: [write('stop.csv', csv(100_000))], store: path('thread-stop.sqlite') };
    const onProgress = (): void => controller.abort();
    const summary = await startImport(ENTRY, job, { signal: controller.signal, onProgress });
    expect(summary.stopped).toBe(true);
    expect(count(job.store, '"oat milk"')).toBe(summary.added);
  });
});

const data = realData();
if (data) {
  describe('real posts', () => {
    it('of a boxing night are read completely, including emoji and bare returns', async () => {
      const files = postFiles(data, 'mayweather');
      const store = path('fight.sqlite');
      expect(await run({ files, store })).toMatchObject({
        read: 12_118,
        added: 12_118,
        refused: 0,
      });
      const truth = JSON.parse(readFileSync(`${data}/truth/fight-01.json`, 'utf8')) as {
        query: string;
        total: number;
      };
      expect(count(store, truth.query)).toBe(truth.total);
    });

    it('of an archive and of v2 answers are read completely', async () => {
      const store = path('samples.sqlite');
      const samples = ['tweets.js', 'v2-edited.jsonl', 'v2-cashtags.jsonl'].map(
        (name) => `${data}/samples/${name}`,
      );
      const summary = await run({ files: samples, store });
      expect(summary.refused).toBe(0);
      expect(summary.added).toBe(summary.read);
      expect(summary.added).toBeGreaterThan(400);
      expect(count(store, 'from:wongmjane "hey"')).toBe(1);
      expect(count(store, '$TWTR #StockMarket')).toBe(1);
      expect(count(store, 'url:"trade-ideas.com"')).toBeGreaterThanOrEqual(1);
    });

    it('do not come from a counts answer: every bucket is refused', async () => {
      const summary = await run({
        files: [`${data}/samples/v2-counts.jsonl`],
        store: path('counts.sqlite'),
      });
      expect(summary.added).toBe(0);
      expect(summary.refused).toBeGreaterThan(0);
    });
  });
}
