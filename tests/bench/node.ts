import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CELL_MS, DAY_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { openDb } from '#server/db/driver.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { digits, fact, milliseconds, shown, table, timing } from './measure.ts';
import { SPAN } from './posts.ts';
import type { Query } from './queries.ts';
import { quantilesOf } from './scale/quantiles.ts';
import { addPacked, packCounts } from './scale/wire.ts';
import { countsPath, cpuOf, serve, tokenFor } from './service.ts';

/** The shares at which times are given. */
const SHARES = [0, 0.5, 0.9, 0.99, 0.999, 1] as const;
/** So many months of 3 million Posts have together as many as a month of a node with 500 million of twenty years. */
const MONTHS = 17;
/** Times of one page that show how much the machine itself adds now and then. */
const REPEATED = 2000;
/** The kinds of query whose first reads are measured: each opens the file several times. */
const FIRST: ReadonlySet<string> = new Set(['rare', 'frequent', 'phrase', 'complex']);
const random = (n: number): Uint8Array => new Uint8Array(n);

/** The purpose of a byte of the file, and the sums that give the number of such bytes. */
const BYTES = [
  ['lists of Posts', 'SELECT sum(length(list)) FROM posting'],
  ['positions', 'SELECT sum(length(spots)) FROM posting'],
  ['rare terms', 'SELECT sum(length(block)) FROM tail'],
  ['filters', 'SELECT sum(length(bits) + length(parts)) FROM filter'],
  ['seconds', 'SELECT sum(length(times) + length(times_parts)) FROM chunk'],
  ['ids', 'SELECT sum(length(ids)) FROM chunk'],
  ['terms of Posts', 'SELECT sum(length(data)) FROM forward'],
  [
    'texts',
    'SELECT sum(length(CAST(text AS BLOB)) + coalesce(length(CAST(rest AS BLOB)), 0)) FROM post',
  ],
] as const;

function printBytes(file: string, posts: number): void {
  const db = openDb(file, { mapped: true });
  const rows = BYTES.map(([what, sql]) => [what, Number(db.prepare(sql).get()?.[0] ?? 0)] as const);
  db.close();
  const { size } = statSync(file);
  const rest = size - rows.reduce((sum, [, bytes]) => sum + bytes, 0);
  table('Bytes a Post of the file', [
    ['part', 'bytes/post'],
    ...[...rows, ['all else', rest] as const, ['together', size] as const].map(([what, bytes]) => [
      what,
      digits(bytes / posts),
    ]),
  ]);
}

/** So many cells have many chunks, so that the two at their ends hardly matter. */
const SPAN_MS = 6 * CELL_MS;

/** Spans of six cells, each a cell later than the one before. */
function spans(): Span[] {
  const found: Span[] = [];
  for (let start = SPAN.start; start + SPAN_MS <= SPAN.end; start += CELL_MS)
    found.push({ start, end: start + SPAN_MS });
  return found;
}

function opened(file: string): Source {
  return openSource(file, { random });
}

/** The number of chunks that a span has, parts of them included. */
function chunksIn(file: string): (span: Span) => number {
  const db = openDb(file, { mapped: true });
  const times = db.prepare('SELECT t0, t1 FROM chunk JOIN live USING (c)').all();
  db.close();
  return ({ start, end }) =>
    times.reduce((sum, [t0, t1]) => {
      const [first, last] = [Number(t0), Number(t1)];
      return sum + Math.max(0, Math.min(end, last) - Math.max(start, first)) / (last - first);
    }, 0);
}

/** CPU time of the work, ms: unlike the time on the clock, it hardly depends on what else the machine does. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Times counts by minute in one process: per chunk, by kind of query. */
function printChunks(file: string, queries: readonly Query[], rounds: number): void {
  const chunks = chunksIn(file);
  const first = new Map(
    queries
      .filter(({ kind }) => FIRST.has(kind))
      .map((query) => [query, firstReads(file, query, chunks)]),
  );
  const source = opened(file);
  const pages = spans().map((span) => ({ span, chunks: chunks(span) }));
  const empty = { start: SPAN.start - SPAN_MS, end: SPAN.start };
  const page = ({ condition }: Query, span: Span): number =>
    cpuMs(() => source.index.histogram(condition, span, 'minute'));
  const usual = queries.find(({ kind }) => kind === 'frequent')!;
  for (let i = 0; i < 100; i++) page(usual, empty);
  const fixed = timing(Array.from({ length: 500 }, () => page(usual, empty))).median;
  const rows = [['query', ...SHARES.map((share) => `${share * 100} %`), 'first read']];
  for (const query of queries) {
    const values: number[] = [];
    for (let round = -2; round < rounds; round++) {
      for (const { span, chunks } of pages) {
        const ms = page(query, span);
        if (round >= 0) values.push(Math.max(0, ms - fixed) / chunks);
      }
    }
    const read = first.get(query);
    rows.push([
      query.kind,
      ...quantilesOf(values, SHARES).map(([, ms]) => ms.toFixed(4)),
      read === undefined ? '–' : read.toFixed(4),
    ]);
  }
  table('Counts by minute, CPU ms a chunk of 65,536 Posts', rows);
  fact(`a page without Posts: ${digits((fixed * CELL_MS) / SPAN_MS)} ms`);
  const { start } = spans()[6]!;
  printNoise(() => page(usual, { start, end: start + CELL_MS }));
  source.close();
}

/** The factor by which the same page takes longer than usual now and then. */
function printNoise(page: () => number): void {
  const values = Array.from({ length: REPEATED }, page);
  const { median } = timing(values);
  const factors = quantilesOf(values, SHARES).map(
    ([share, ms]) => `${share}: ${digits(ms / median)}`,
  );
  fact(`CPU times of one page over their median, by share of ${REPEATED}: ${factors.join(', ')}`);
}

/** The first counts of an opened source, whose file is in memory: the median, ms a chunk. */
function firstReads(file: string, { condition }: Query, chunks: (span: Span) => number): number {
  const times = spans()
    .slice(6, 9)
    .map((span) => {
      const source = opened(file);
      const ms = cpuMs(() => source.index.histogram(condition, span, 'minute'));
      source.close();
      return ms / chunks(span);
    });
  return timing(times).median;
}

/** Times what nodes do with the counts of a page: packing them, and adding those of another node. */
function printMerging(file: string, queries: readonly Query[], rounds: number): void {
  const source = opened(file);
  const months = Array.from({ length: MONTHS }, (_, i) => SPAN.start + i * CELL_MS);
  const rows = [['query', 'hits', 'packed bytes', 'packing CPU ms', 'adding CPU ms']];
  for (const { kind, condition } of queries) {
    const counts = new Uint32Array(CELL_MS / MINUTE_MS);
    for (const start of months) {
      const span = { start, end: start + CELL_MS };
      addPacked(counts, packCounts(source.index.histogram(condition, span, 'minute')));
    }
    const packed = packCounts(counts);
    const sums = new Uint32Array(counts.length);
    const each = (work: () => void): string => {
      for (let i = 0; i < rounds; i++) work();
      return digits(timing(Array.from({ length: 5 * rounds }, () => cpuMs(work))).median);
    };
    const hits = counts.reduce((sum, n) => sum + n, 0);
    rows.push([
      kind,
      hits.toLocaleString('en'),
      packed.length.toLocaleString('en'),
      each(() => packCounts(counts)),
      each(() => addPacked(sums, packed)),
    ]);
  }
  source.close();
  table(`Counts of a page between nodes, those of ${MONTHS} months added up`, rows);
}

/** Times requests that count little: what HTTP, tokens and headers cost, and writing an answer of 44,640 minutes. */
async function printRequests(data: string, { text }: Query, requests: number): Promise<void> {
  const served = await serve(data, await tokenFor(data, 'app'));
  const rows = [['answer', 'ms', 'CPU ms']];
  try {
    for (const [name, length, granularity] of [
      ['a day', DAY_MS, 'day'],
      ['44,640 minutes', CELL_MS, 'minute'],
    ] as const) {
      const span = { start: SPAN.start, end: SPAN.start + length };
      const path = countsPath(text, span, granularity);
      for (let i = 0; i < 10; i++) await served.client.get(path);
      const values: number[] = [];
      const before = cpuOf(served.pid);
      for (let i = 0; i < requests; i++)
        values.push(await milliseconds(() => served.client.get(path)));
      const cpu = (cpuOf(served.pid) - before) / requests;
      rows.push([name, shown(timing(values)), digits(cpu)]);
    }
  } finally {
    await served.stop();
  }
  table('Requests of a rare term over HTTP, gzip', rows);
}

/** Measures what one node costs, as `scale/costs.ts` has it: bytes a Post, time a chunk, merging, requests. */
export async function benchNode(
  data: string,
  posts: number,
  queries: readonly Query[],
  rounds: number,
): Promise<void> {
  const file = join(data, 'posts.sqlite');
  printBytes(file, posts);
  printChunks(file, queries, rounds);
  printMerging(file, queries, rounds);
  await printRequests(data, queries[0]!, 20 * rounds);
}
