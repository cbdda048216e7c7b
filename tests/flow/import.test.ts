import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '#app/api/client.ts';
import { importApi, type SendFile } from '#app/api/import-api.ts';
import { ImportQueue } from '#app/import/import-queue.svelte.ts';
import { FakeTime } from '#tests/support/fake-time.ts';
import { importServiceOn } from '#tests/support/import-service.ts';
import { startService, type TestService } from '#tests/support/service.ts';

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
    imports: (folder, auth, requests) =>
      importServiceOn(folder, auth, requests, limit === undefined ? {} : { limit }),
  });
  opened.push(service);
  let away = false;
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
    await Promise.resolve();
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
  let ids = 0;
  const queue = new ImportQueue({
    api: importApi(client, send, ((path: string, init: RequestInit) =>
      ask(path, init)) as typeof fetch),
    now: () => 0,
    id: () => `work-${(ids += 1)}`,
    onimported: () => (imported += 1),
    onother: (file, kind) => handed.push(`${file.name}: ${kind}`),
  });
  const done = async (): Promise<void> => {
    await expect
      .poll(
        () => {
          const { current } = queue;
          if (current && phases.at(-1) !== current.phase) phases.push(current.phase);
          return current === null && queue.waiting.length === 0;
        },
        { timeout: 30_000, interval: 5 },
      )
      .toBe(true);
  };
  return {
    service,
    queue,
    phases,
    handed,
    done,
    imported: () => imported,
    setAway: (now: boolean) => (away = now),
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
  it('are imported one after another, each with its outcome; a second import adds nothing', async () => {
    const { queue, service, done, imported } = pageOn();
    const gz = new Uint8Array(gzipSync(HEADER + rows(30, 61)));
    queue.take([file(HEADER + rows(1, 41)), file(gz, 'more.csv.gz')]);
    expect(queue.waiting.map(({ name }) => name)).toEqual(['more.csv.gz']);
    await done();
    expect(queue.outcomes).toMatchObject([
      { name: 'posts.csv', fault: null, summary: { added: 40, already: 0 } },
      { name: 'more.csv.gz', fault: null, summary: { added: 20, already: 11 } },
    ]);
    expect([imported(), await teaOf(service)]).toEqual([2, 60]);
    queue.take([file(HEADER + rows(1, 41))]);
    await done();
    expect(queue.outcomes).toMatchObject([{ summary: { added: 0, already: 40 } }]);
    expect(await teaOf(service)).toBe(60);
  });

  it('report their progress', async () => {
    const { queue, done, phases } = pageOn();
    queue.take([file(HEADER + rows(1, 40_000))]);
    await done();
    expect(phases).toEqual(expect.arrayContaining(['queued', 'reading']));
    expect(queue.outcomes).toMatchObject([{ summary: { added: 39_999 } }]);
  });

  it('of other kinds go to their own importer, and the rest are imported', async () => {
    const { queue, done, handed, imported } = pageOn();
    queue.take([
      file('query,label,start_utc\n', 'counts.csv'),
      file('x', 'board.groundswell'),
      file(HEADER + rows(1, 3)),
    ]);
    await done();
    expect(handed).toEqual(['counts.csv: counts', 'board.groundswell: bundle']);
    expect([queue.outcomes.length, imported()]).toEqual([1, 1]);
  });

  it('keep the rows read before a cancellation', async () => {
    const { queue, service, done } = pageOn();
    queue.take([file(HEADER + rows(1, 200_000)), file(HEADER + rows(1, 3), 'later.csv')]);
    await expect.poll(() => queue.current?.phase, { timeout: 30_000, interval: 2 }).toBe('reading');
    await queue.cancel();
    await done();
    const [outcome, ...others] = queue.outcomes;
    expect(others).toEqual([]);
    expect(outcome?.summary?.stopped).toBe(true);
    expect(outcome?.summary?.added).toBe(await teaOf(service));
  });

  it('leave nothing behind when cancelled while they are sent', async () => {
    const { queue, service, done } = pageOn();
    queue.take([file(HEADER + rows(1, 41))]);
    await queue.cancel();
    await done();
    expect([queue.outcomes, await teaOf(service)]).toEqual([[], 0]);
  });

  it('without posts or refused by the service say why, and add nothing', async () => {
    const { queue, done, imported } = pageOn({ limit: 60 });
    queue.take([file('a,b\n1,2\n', 'x.csv'), file(HEADER + rows(1, 41), 'long.csv')]);
    await done();
    expect(queue.outcomes).toMatchObject([
      {
        name: 'x.csv',
        fault: { kind: 'failed', message: expect.stringMatching(/^x\.csv: has no/) },
      },
      { name: 'long.csv', fault: { kind: 'refused', status: 413 } },
    ]);
    expect(imported()).toBe(0);
  });

  it('report an unreachable service, and are imported when it is back', async () => {
    const { queue, service, done, setAway } = pageOn();
    setAway(true);
    queue.take([file(HEADER + rows(1, 41))]);
    await done();
    expect(queue.outcomes).toMatchObject([{ summary: null, fault: { kind: 'away', sent: false } }]);
    setAway(false);
    queue.take([file(HEADER + rows(1, 41))]);
    await done();
    expect([queue.outcomes[0]?.fault, await teaOf(service)]).toEqual([null, 40]);
  });

  it('report that the browser cannot read them', async () => {
    const { queue, done } = pageOn();
    const folder = file('');
    folder.slice = () => {
      throw new DOMException('gone', 'NotReadableError');
    };
    queue.take([folder]);
    await done();
    expect(queue.outcomes).toMatchObject([{ fault: { kind: 'unreadable' } }]);
  });
});
