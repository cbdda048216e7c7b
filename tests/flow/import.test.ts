import { gzipSync } from 'node:zlib';
import { writeXlsx } from 'hucre/xlsx';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '#app/api/client.ts';
import { importApi } from '#app/api/import-api.ts';
import type { SendFile } from '#app/api/sent-file.ts';
import type { ImportSheet } from '#app/import/import-sheet.svelte.ts';
import { ImportQueue } from '#app/import/import-queue.svelte.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const HEADER = 'id,created_at,author,text\n';
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) => `${from + i},2020-01-01T00:00:00Z,ann,tea number ${from + i}\n`,
  ).join('');

const opened: TestService[] = [];
afterEach(async () => {
  for (const service of opened.splice(0)) await service.close();
});

/** The import queue of a page on a real service. It sends a file in two parts and reads the answer as it arrives. */
function pageOn({ limit }: { limit?: number } = {}) {
  const service = startService({
    imports: limit === undefined ? {} : { limit },
  });
  opened.push(service);
  let away = false;
  let held = Promise.resolve();
  const phases: string[] = [];
  const handed: string[] = [];
  let imported = 0;
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    if (away) throw new TypeError('away');
    const headers = new Headers(init.headers);
    headers.set('cookie', service.cookie);
    return await service.request(path, { ...init, headers });
  };
  const send: SendFile = async (path, file, { headers, signal, onSent, onAllSent, onText }) => {
    signal.throwIfAborted();
    onSent(Math.floor(file.size / 2));
    await held;
    signal.throwIfAborted();
    onSent(file.size);
    onAllSent();
    const body = new Uint8Array(await file.arrayBuffer());
    const length = { 'content-length': String(body.length) };
    const answer = await ask(path, { method: 'POST', body, headers: { ...headers, ...length } });
    if (!answer.ok || !answer.body) return answer;
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of answer.body) {
      text += decoder.decode(part, { stream: true });
      onText(text);
      // A cut in the middle of a line: an incomplete line is not an event.
      onText(text.slice(0, -3));
    }
    return new Response(text);
  };
  const client = new Client(new FakeTime(Date.UTC(2026, 10, 21)).environment(ask));
  const stored = new Map<string, string>();
  let ids = 0;
  const queue = new ImportQueue({
    api: importApi(client, send, ((path: string, init: RequestInit) =>
      ask(path, init)) as typeof fetch),
    client,
    now: () => Date.UTC(2026, 10, 21),
    id: () => `work-${(ids += 1)}`,
    onimported: () => {
      imported += 1;
      return Promise.resolve();
    },
    onother: (file, kind) => void handed.push(`${file.name}: ${kind}`),
    zone: 'UTC',
    board: { time: { zone: 'UTC' } },
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
    },
  });
  const sheets: string[] = [];
  let isAsked = false;
  /** Gives files to the page, and accepts their sheets as they are, or as changed. */
  const take = async (
    files: readonly File[],
    change: (sheet: ImportSheet) => void = () => undefined,
  ): Promise<void> => {
    isAsked = false;
    sheets.length = 0;
    void queue.take(files).then(() => (isAsked = true));
    for (;;) {
      const next = (): boolean => isAsked || queue.asked !== null;
      await expect.poll(next, { timeout: 30_000, interval: 2 }).toBe(true);
      const { asked } = queue;
      if (!asked) return;
      sheets.push(asked.sheet.name);
      change(asked.sheet);
      asked.accept();
      await expect.poll(() => queue.asked !== asked, { interval: 2 }).toBe(true);
    }
  };
  const done = async (): Promise<void> => {
    await expect
      .poll(
        () => {
          const { current } = queue;
          if (current && phases.at(-1) !== current.phase) phases.push(current.phase);
          return isAsked && current === null && queue.waiting.length === 0;
        },
        { timeout: 30_000, interval: 5 },
      )
      .toBe(true);
  };
  return {
    service,
    queue,
    take,
    sheets,
    phases,
    handed,
    done,
    imported: () => imported,
    setAway: (now: boolean) => (away = now),
    /** Stops sending until the promise resolves. */
    hold: (until: Promise<void>) => (held = until),
  };
}

const file = (content: string | Uint8Array<ArrayBuffer>, name = 'posts.csv'): File =>
  new File([content], name);

async function teaOf(service: TestService): Promise<number> {
  const path =
    '/2/tweets/counts/all?query=tea&granularity=day&start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z';
  return (await (await service.request(path)).json()).meta.total_tweet_count;
}

describe('files given to the page', () => {
  it('are collections named in their sheets, or like the files', async () => {
    const { queue, take, service, done } = pageOn();
    await take([file(HEADER + rows(1, 11))], (sheet) => (sheet.collection = ' Spring launch '));
    const ends = { first: Date.UTC(2020, 0, 1), last: Date.UTC(2020, 0, 1, 5) };
    await take([file(HEADER + rows(11, 21), 'more.csv')], (sheet) => (sheet.ends = ends));
    await done();
    expect(queue.outcomes.at(-1)?.ends).toEqual(ends);
    const { collections } = await (await service.request('/collections')).json();
    expect(collections.map(({ name, source }: Record<string, string>) => [name, source])).toEqual([
      ['Spring launch', 'posts.csv'],
      ['more.csv', 'more.csv'],
    ]);
  });

  it('are imported one after another, each with its outcome; a second import adds nothing', async () => {
    const { queue, take, sheets, service, done, imported } = pageOn();
    const gz = new Uint8Array(gzipSync(HEADER + rows(30, 61)));
    await take([file(HEADER + rows(1, 41)), file(gz, 'more.csv.gz')]);
    // The columns of the second file are those of the first.
    expect(sheets).toEqual(['posts.csv']);
    await done();
    expect(queue.outcomes).toMatchObject([
      { name: 'posts.csv', fault: null, summary: { added: 40, already: 0 } },
      { name: 'more.csv.gz', fault: null, summary: { added: 20, already: 11 } },
    ]);
    expect([imported(), await teaOf(service)]).toEqual([2, 60]);
    await take([file(HEADER + rows(1, 41))]);
    await done();
    expect(queue.outcomes).toMatchObject([{ summary: { added: 0, already: 40 } }]);
    expect(await teaOf(service)).toBe(60);
  });

  it('report their progress', { tags: 'long' }, async () => {
    const { queue, take, done, phases } = pageOn();
    await take([file(HEADER + rows(1, 40_000))]);
    await done();
    expect(phases).toEqual(expect.arrayContaining(['queued', 'reading']));
    expect(queue.outcomes).toMatchObject([{ summary: { added: 39_999 } }]);
  });

  it('of other kinds go to their own importer, and the rest are imported', async () => {
    const { queue, take, done, handed, imported } = pageOn();
    await take([
      file('query,label,start_utc\n', 'counts.csv'),
      file('x', 'board.groundswell'),
      file('BEGIN:VCALENDAR\n', 'fairs.txt'),
      file(HEADER + rows(1, 3)),
    ]);
    await done();
    expect(handed).toEqual([
      'counts.csv: counts',
      'board.groundswell: bundle',
      'fairs.txt: calendar',
    ]);
    expect([queue.outcomes.length, imported()]).toEqual([1, 1]);
  });

  it('keep the rows read before a cancellation', async () => {
    const { queue, take, service, done } = pageOn();
    await take([file(HEADER + rows(1, 200_000)), file(HEADER + rows(1, 3), 'later.csv')]);
    await expect.poll(() => queue.current?.phase, { timeout: 30_000, interval: 2 }).toBe('reading');
    await queue.cancel();
    await done();
    const [outcome, ...others] = queue.outcomes;
    expect(others).toEqual([]);
    expect(outcome?.summary?.stopped).toBe(true);
    expect(outcome?.summary?.added).toBe(await teaOf(service));
  });

  it('leave nothing behind when cancelled while they are sent', async () => {
    const { queue, take, service, done, hold } = pageOn();
    let send = (): void => undefined;
    hold(new Promise((resolve) => (send = resolve)));
    await take([file(HEADER + rows(1, 41))]);
    await expect.poll(() => queue.current?.phase, { timeout: 30_000, interval: 2 }).toBe('sending');
    await queue.cancel();
    send();
    await done();
    expect([queue.outcomes, await teaOf(service)]).toEqual([[], 0]);
  });

  it('are not imported when a sheet is cancelled, and neither are those with it', async () => {
    const { queue, service } = pageOn();
    const taking = queue.take([file(HEADER + rows(1, 41)), file('[]', 'x.json')]);
    for (const name of ['posts.csv', 'x.json']) {
      await expect.poll(() => queue.asked?.sheet.name, { timeout: 30_000, interval: 2 }).toBe(name);
      if (name === 'posts.csv') queue.asked?.accept();
      else queue.asked?.cancel();
    }
    await taking;
    expect([queue.asked, queue.current, queue.outcomes]).toEqual([null, null, []]);
    expect(await teaOf(service)).toBe(0);
  });

  it(
    'in the forms of a listening tool add the same Posts, as their sheets show',
    { tags: 'long' },
    async () => {
      const header = [
        'Query Name',
        'Date',
        'Url',
        'Author',
        'Full Text',
        'Thread Author',
        'Language',
      ];
      const all = Array.from({ length: 30 }, (_, i) => {
        const day = String(1 + (i % 28)).padStart(2, '0');
        const url =
          i % 3 === 0 ? '' : `https://twitter.com/ann/statuses/${1750000000000000000n + BigInt(i)}`;
        return [
          'Oat milk',
          `${day}/01/2024 0${i % 10}:30`,
          url,
          '@ann',
          `tea, number ${i}`,
          '',
          'English',
        ];
      });
      const above = [['Report:', 'Oat milk'], ['From:', '01/01/2024'], []];
      const quoted = (cell: string): string => `"${cell}"`;
      const table = (delimiter: string): string =>
        [...above, header, ...all].map((row) => row.map(quoted).join(delimiter)).join('\r\n');
      const book = await writeXlsx({
        sheets: [{ name: 'Mentions', rows: [...above, header, ...all] }],
      });
      const wide = new Uint8Array(Buffer.from(`\ufeff${table('\t')}`, 'utf16le'));
      const files = [
        file(table(','), 'mentions.csv'),
        file(wide, 'mentions.tsv'),
        file(new Uint8Array(book), 'mentions.xlsx'),
      ];
      const counts: unknown[] = [];
      for (const each of files) {
        const { queue, take, service, done } = pageOn();
        let shown = 0;
        await take([each], (sheet) => {
          expect([sheet.plan?.product, sheet.plan?.header, sheet.plan?.order]).toEqual([
            'Brandwatch',
            4,
            'DMY',
          ]);
          sheet.setZone('Europe/Berlin');
          shown = sheet.preview.posts.length;
          expect(sheet.preview.posts[0]).toMatchObject({
            author: 'ann',
            lang: 'en',
            createdAt: Date.UTC(2023, 11, 31, 23, 30),
          });
        });
        await done();
        expect(queue.outcomes).toMatchObject([
          { fault: null, summary: { added: shown, refused: 0 } },
        ]);
        const path =
          '/2/tweets/counts/all?query=tea&granularity=hour&start_time=2023-12-31T00:00:00Z&end_time=2024-01-30T00:00:00Z';
        counts.push((await (await service.request(path)).json()).data);
        // The zone is remembered, so rows without an id become the same Posts.
        await take([each], (sheet) => expect(sheet.isRemembered).toBe(true));
        await done();
        expect(queue.outcomes).toMatchObject([{ summary: { added: 0, already: 30 } }]);
      }
      expect(counts[1]).toEqual(counts[0]);
      expect(counts[2]).toEqual(counts[0]);
    },
  );

  it('without posts or refused by the service say why, and add nothing', async () => {
    const { queue, take, done, imported } = pageOn({ limit: 60 });
    await take([file('[]', 'x.json'), file(HEADER + rows(1, 41), 'long.csv')]);
    await done();
    expect(queue.outcomes).toMatchObject([
      {
        name: 'x.json',
        fault: { kind: 'failed', message: expect.stringMatching(/^x\.json: has no/) },
      },
      { name: 'long.csv', fault: { kind: 'refused', status: 413 } },
    ]);
    expect(imported()).toBe(0);
  });

  it('report an unreachable service, and are imported when it is back', async () => {
    const { queue, take, service, done, setAway } = pageOn();
    setAway(true);
    await take([file(HEADER + rows(1, 41))]);
    await done();
    expect(queue.outcomes).toMatchObject([{ summary: null, fault: { kind: 'away', sent: false } }]);
    setAway(false);
    await take([file(HEADER + rows(1, 41))]);
    await done();
    expect([queue.outcomes[0]?.fault, await teaOf(service)]).toEqual([null, 40]);
  });

  it('report that the browser cannot read them', async () => {
    const { queue, take, done } = pageOn();
    const folder = file('');
    folder.slice = () => {
      throw new DOMException('gone', 'NotReadableError');
    };
    await take([folder]);
    await done();
    expect(queue.outcomes).toMatchObject([{ fault: { kind: 'unreadable' } }]);
  });
});
