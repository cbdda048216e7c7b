import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { CELL_MS, DAY_MS, type Span } from '#core/time/span.ts';
import { expectStatus, type Client } from './client.ts';
import { digits, fact, goal, milliseconds, shown, table, time, timing } from './measure.ts';
import { SPAN } from './posts.ts';
import type { Query } from './queries.ts';
import { countsPath, memoryOf, type Served } from './service.ts';

/** Pages requested at once. */
const AT_ONCE = 200;

/** Spans of 31 days, one after the other. */
function pageSpans(): Span[] {
  const spans: Span[] = [];
  for (let start = SPAN.start; start + CELL_MS <= SPAN.end; start += CELL_MS) {
    spans.push({ start, end: start + CELL_MS });
  }
  return spans;
}

/** Paths of distinct pages of minutes, for every query and month in turn. */
function pagePaths(queries: readonly Query[]): string[] {
  const paths = pageSpans().flatMap((span) =>
    queries.map(({ text }) => countsPath(text, span, 'minute')),
  );
  if (paths.length < AT_ONCE)
    throw new RangeError(`expected ${AT_ONCE} pages, got ${paths.length}`);
  return paths.slice(0, AT_ONCE);
}

async function page(client: Client, path: string): Promise<void> {
  expectStatus(await client.get(path), 200, path);
}

/** Requests all pages at once, each over its own connection. @returns The number that failed. */
async function together(client: Client, paths: readonly string[]): Promise<number> {
  const results = await Promise.allSettled(paths.map((path) => page(client, path)));
  return results.filter(({ status }) => status === 'rejected').length;
}

/** Times one page of 44,640 minutes. */
async function benchPage(client: Client, queries: readonly Query[], rounds: number): Promise<void> {
  const [span = SPAN] = pageSpans().slice(12);
  const rows = [['query', 'gzip ms', 'p95', 'with unpacking ms', 'not packed ms', 'gzip kB', 'kB']];
  const worst = { median: 0, p95: 0 };
  for (const { kind, text } of queries) {
    if (!['rare', 'very frequent', 'complex'].includes(kind)) continue;
    const path = countsPath(text, span, 'minute');
    const packed = await time(rounds, () => page(client, path));
    const unpacked = await time(rounds, async () => gunzipSync((await client.get(path)).body));
    const plain = await time(rounds, () => client.get(path, 'identity'));
    worst.median = Math.max(worst.median, packed.median);
    worst.p95 = Math.max(worst.p95, packed.p95);
    const { body } = await client.get(path);
    const sizes = [body.length, gunzipSync(body).length].map((bytes) => digits(bytes / 1000));
    rows.push([kind, shown(packed), digits(packed.p95), shown(unpacked), shown(plain), ...sizes]);
  }
  table('A page of 44,640 minutes over HTTP', rows);
  goal('worst, median', worst.median, '≤', 40, ' ms');
  fact(`worst, p95: ${digits(worst.p95)} ms`);
}

/** Repeats a small request until it is stopped. @returns The duration of each, ms. */
function repeatSmall(client: Client, path: string): { end(): Promise<number[]> } {
  const ended = new AbortController();
  const times: number[] = [];
  const requests = (async () => {
    while (!ended.signal.aborted) times.push(await milliseconds(() => page(client, path)));
  })();
  return {
    end: async () => {
      ended.abort();
      await requests;
      return times;
    },
  };
}

/** Times pages one by one and at once, and a small request during the latter. */
async function benchTogether(
  client: Client,
  queries: readonly Query[],
  rounds: number,
): Promise<void> {
  const paths = pagePaths(queries);
  const week = { start: SPAN.start, end: SPAN.start + 7 * DAY_MS };
  const small = countsPath(queries[0]?.text ?? '', week, 'day');
  const alone: number[] = [];
  const atOnce: number[] = [];
  const meanwhile: number[] = [];
  let failed = 0;
  for (let round = 0; round < rounds; round++) {
    alone.push(
      await milliseconds(async () => {
        for (const path of paths) await page(client, path);
      }),
    );
    const start = performance.now();
    const other = repeatSmall(client, small);
    failed += await together(client, paths);
    atOnce.push(performance.now() - start);
    meanwhile.push(...(await other.end()));
  }
  const perSecond = (ms: readonly number[]): number[] => ms.map((each) => (1000 * AT_ONCE) / each);
  const share = timing(alone.map((ms, round) => ms / (atOnce[round] ?? NaN)));
  const { median, p99, max } = timing(meanwhile);
  table(`${AT_ONCE} different pages of minutes, one by one and at once`, [
    ['one by one, pages/s', 'at once, pages/s', 'a week of days meanwhile ms', 'p99', 'most'],
    [
      shown(timing(perSecond(alone))),
      shown(timing(perSecond(atOnce))),
      `${digits(median)} (${meanwhile.length} requests)`,
      digits(p99),
      digits(max),
    ],
  ]);
  goal('failed', failed, '≤', 0);
  goal('throughput at once, of that one by one', 100 * share.median, '≥', 80, ' %');
  goal('request meanwhile, p99', p99, '≤', 100, ' ms');
}

/**
 * Shows the service's memory after a growing number of pages, {@link AT_ONCE} at once.
 *
 * @returns Its own at the end, MB; NaN where the system does not report it.
 */
async function benchMemory({ client, pid }: Served, queries: readonly Query[]): Promise<number> {
  const paths = pagePaths(queries);
  const rows = [['pages', 'own MB', 'mapped file MB', 'peak MB']];
  const note = (pages: string): number => {
    const memory = memoryOf(pid);
    if (!memory) return NaN;
    const { own, mapped, peak } = memory;
    rows.push([pages, digits(own), digits(mapped), digits(peak)]);
    return own;
  };
  note('0');
  await page(client, paths[0] ?? '');
  note('1');
  await together(client, paths);
  const few = note('200');
  for (let i = 0; i < 4; i++) await together(client, paths);
  const many = note('1,000');
  if (Number.isNaN(many)) {
    fact('This system does not report memory use.');
    return NaN;
  }
  table(`Memory of the service, pages of minutes ${AT_ONCE} at once`, rows);
  goal('own memory after 1,000 pages, of that after 200', (100 * many) / few, '≤', 105, ' %');
  return many;
}

/**
 * Times pages of minutes over HTTP. The service must be freshly started, for the memory figures.
 *
 * @returns Its own memory after 1,000 pages, MB; NaN where the system does not report it.
 */
export async function benchPages(
  served: Served,
  queries: readonly Query[],
  quick: boolean,
): Promise<number> {
  const own = await benchMemory(served, queries);
  await benchPage(served.client, queries, quick ? 15 : 50);
  await benchTogether(served.client, queries, quick ? 1 : 5);
  return own;
}
