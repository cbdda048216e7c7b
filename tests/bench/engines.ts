import { statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { CELL_MS, DAY_MS } from '#core/time/span.ts';
import type { Corpus } from './corpus.ts';
import { buildDuckdb, duckdb } from './duckdb.ts';
import type { Engine, Question } from './engine.ts';
import { fts5, fts5Writer } from './fts5.ts';
import { limit, Truth } from './limit.ts';
import {
  digits,
  fact,
  geometricMean,
  goal,
  milliseconds,
  shown,
  table,
  timing,
  type Timing,
} from './measure.ts';
import { countingIndex } from './own.ts';
import { SPAN } from './posts.ts';
import { generatedQueries, type Query } from './queries.ts';

/** Queries with fewer hits are shown but have no goal for their ratios. */
const HITS = 10_000;

/** Warm-up rounds. */
const WARM = 2;

/** The two kinds of request: the whole span by day, and a page of minutes in its middle. */
export const ANSWERS = [
  { name: 'whole span by day', span: SPAN, granularity: 'day' },
  {
    name: 'a page of 31 days by minute',
    span: { start: SPAN.start + 365 * DAY_MS, end: SPAN.start + 365 * DAY_MS + CELL_MS },
    granularity: 'minute',
  },
] as const;

export interface Result {
  readonly query: Query;
  readonly hits: number;
  /** In the order of the engines. */
  readonly times: readonly Timing[];
}

function sameCounts(counts: Uint32Array, truth: Uint32Array, of: string): void {
  const at = truth.findIndex((count, bucket) => counts[bucket] !== count);
  if (at === -1 && counts.length === truth.length) return;
  const difference = `expected ${truth[at]} in bucket ${at} of ${truth.length}, got ${counts[at]} of ${counts.length}`;
  throw new Error(`${of}: ${difference}`);
}

/** Times every engine in turn, round by round, after some warm-up rounds. */
export async function compare(
  engines: readonly Engine[],
  query: Query,
  question: Question,
  rounds: number,
): Promise<Result> {
  const prepared: { name: string; answer: () => Uint32Array | Promise<Uint32Array> }[] = [];
  for (const engine of engines) {
    prepared.push({ name: engine.name, answer: await engine.ask(question) });
  }
  const truth = (await prepared.at(-1)?.answer()) ?? new Uint32Array();
  for (const { name, answer } of prepared) {
    sameCounts(await answer(), truth, `${name}, ${query.text} by ${question.granularity}`);
  }
  const times: number[][] = engines.map(() => []);
  for (let round = -WARM; round < rounds; round++) {
    for (const [i, { answer }] of prepared.entries()) {
      const start = performance.now();
      const counts = answer();
      if (counts instanceof Promise) await counts;
      if (round >= 0) times[i]?.push(performance.now() - start);
    }
  }
  const hits = truth.reduce((sum, count) => sum + count, 0);
  return { query, hits, times: times.map(timing) };
}

/** An engine's time over that of the index; for the limit the inverse, the index's time over the limit's. */
function ratio({ times }: Result, engines: readonly Engine[], engine: number): number {
  const [own = NaN, other = NaN] = [times[0]?.median, times[engine]?.median];
  return engines[engine]?.name === 'limit' ? own / other : other / own;
}

export function printResults(
  title: string,
  engines: readonly Engine[],
  results: readonly Result[],
): void {
  const [own, ...others] = engines;
  const head = ['query', 'hits', `${own?.name} ms`];
  for (const { name } of others) {
    head.push(`${name} ms`, name === 'limit' ? 'index / limit' : `${name} / index`);
  }
  const rows = results.map((result) => [
    result.query.kind,
    result.hits.toLocaleString('en'),
    ...result.times.flatMap((time, i) =>
      i === 0 ? [shown(time)] : [shown(time), digits(ratio(result, engines, i))],
    ),
  ]);
  table(title, [head, ...rows]);
}

/** Opens the engines, and builds those that do not exist yet: the index first, the limit last. */
async function openEngines(
  corpus: Corpus,
  queries: readonly Query[],
  others: boolean,
): Promise<{ engines: Engine[]; truth: Truth }> {
  const files = await corpus.files();
  const engines = [countingIndex(join(await corpus.data(), 'posts.sqlite'))];
  const truth = new Truth(corpus.posts, queries);
  if (others) {
    let ms = 0;
    const fts5File = await corpus.made('fts5.sqlite', async (making) => {
      ms = await milliseconds(() => {
        const writer = fts5Writer(making);
        for (const post of corpus.all()) writer.add(post);
        writer.finish();
      });
    });
    built('FTS5', fts5File, ms);
    ms = 0;
    const duckdbFile = await corpus.made('posts.duckdb', async (making) => {
      ms = await milliseconds(() => buildDuckdb(making, files, corpus.path('scratch')));
    });
    built('DuckDB', duckdbFile, ms);
    for (const post of corpus.all()) truth.add(post);
    engines.push(fts5(fts5File, truth.times), await duckdb(duckdbFile));
  } else {
    fact('FTS5 and DuckDB are left out: building them for so many Posts takes too long.');
    for (const post of corpus.all()) truth.add(post);
  }
  engines.push(limit(truth, queries));
  return { engines, truth };
}

function built(name: string, file: string, ms: number): void {
  const made = ms === 0 ? 'reused' : `built in ${digits(ms / 1000)} s`;
  fact(`${name}: ${digits(statSync(file).size / 1e6)} MB, ${made}`);
}

/** Medians of the worst query in ms, that of a rare term, and the mean ratio to the limit over both answers. */
export interface CountingFigures {
  readonly page: number;
  readonly span: number;
  readonly rare: number;
  readonly limit: number;
}

/** Prints the goals of the index alone. @returns The median of the worst query, ms. */
function printOwnGoals(granularity: 'day' | 'minute', results: readonly Result[]): number {
  const own = results.map(({ times }) => times[0]).filter((time) => time !== undefined);
  const worst = Math.max(...own.map(({ median }) => median));
  if (granularity === 'day') {
    goal('worst query of the index', worst, '≤', 25, ' ms');
    goal('rare term', rareOf(results), '≤', 0.3, ' ms');
  } else {
    goal('worst query of the index', worst, '≤', 2, ' ms');
    goal('the same, p95', Math.max(...own.map(({ p95 }) => p95)), '≤', 20, ' ms');
  }
  return worst;
}

function rareOf(results: readonly Result[]): number {
  return results.find(({ query }) => query.kind === 'rare')?.times[0]?.median ?? NaN;
}

/**
 * Prints how the index compares with the other engines.
 *
 * @param frequent - Queries with enough hits for the goals of the ratios.
 * @returns The mean ratio to the limit; NaN if there is no such query.
 */
function printGoals(
  name: string,
  engines: readonly Engine[],
  results: readonly Result[],
  frequent: ReadonlySet<Query>,
): number {
  const counted = results.filter(({ query }) => frequent.has(query));
  let limit = NaN;
  if (counted.length === 0) return limit;
  for (const [i, engine] of engines.entries()) {
    if (i === 0) continue;
    const ratios = counted.map((result) => ratio(result, engines, i));
    const mean = geometricMean(ratios);
    const what = `${name}, ${frequent.size} queries of ${HITS.toLocaleString('en')} hits or more`;
    if (engine.name === 'limit') {
      limit = mean;
      goal(`${what}, against the limit`, mean, '≤', 2, ' ×');
    } else {
      goal(`${what}, faster than ${engine.name}`, mean, '≥', engine.name === 'FTS5' ? 20 : 8, ' ×');
      goal(`  the least of them`, Math.min(...ratios), '≥', 1, ' ×');
    }
  }
  return limit;
}

/**
 * Times counting over generated Posts in one process: the index, SQLite's FTS5, DuckDB and the limit, in
 * turn, each query as a whole span by day and as a page of minutes. Every answer must equal the truth.
 *
 * @param others - Whether FTS5 and DuckDB are timed; else only the index and the limit are.
 * @throws {Error} if an answer differs in any bucket.
 */
export async function benchEngines(
  corpus: Corpus,
  rounds: number,
  others: boolean,
): Promise<CountingFigures> {
  const queries = generatedQueries(corpus.posts);
  const { engines, truth } = await openEngines(corpus, queries, others);
  try {
    const all: Result[] = [];
    const worst = { day: NaN, minute: NaN };
    let rare = NaN;
    const frequent = new Set(queries.filter((query) => truth.postsOf(query).length >= HITS));
    for (const { name, span, granularity } of ANSWERS) {
      const results: Result[] = [];
      for (const query of queries) {
        const question = { condition: query.condition, span, granularity };
        results.push(await compare(engines, query, question, rounds));
      }
      printResults(
        `Counting over ${corpus.posts.toLocaleString('en')} Posts, ${name}`,
        engines,
        results,
      );
      printGoals(name, engines, results, frequent);
      worst[granularity] = printOwnGoals(granularity, results);
      if (granularity === 'day') rare = rareOf(results);
      all.push(...results);
    }
    fact('');
    const limit = printGoals('both answers', engines, all, frequent);
    return { page: worst.minute, span: worst.day, rare, limit };
  } finally {
    for (const engine of engines) engine.close();
  }
}
