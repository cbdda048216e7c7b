import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { clusterImport } from '#server/cluster/import.ts';
import { openCluster, type ClusterStore } from '#server/cluster/store.ts';
import { importFiles } from '#server/import/import.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';
import type { Corpus } from './corpus.ts';
import type { Engine } from './engine.ts';
import { ANSWERS, compare, printResults, type Result } from './engines.ts';
import { digits, fact, goal } from './measure.ts';
import { countingIndex } from './own.ts';
import { generatedQueries } from './queries.ts';

/** Most time of a page of minutes over a cluster, ms. */
const PAGE_MS = 60;
const DATABASE = 'bench';

/** Bytes on the disks of servers, by table. */
async function bytesOn({ servers }: ClickHouse): Promise<Map<string, number>> {
  const query = `SELECT table, sum(bytes_on_disk) FROM system.parts
    WHERE active AND database = '${DATABASE}' GROUP BY table FORMAT TSV`;
  const bytes = new Map<string, number>();
  for (const { url } of servers) {
    const answer = await fetch(url, { method: 'POST', body: query });
    if (!answer.ok) throw new Error(`expected the sizes of tables, got ${await answer.text()}`);
    for (const line of (await answer.text()).trim().split('\n')) {
      const [name = '', size] = line.split('\t');
      bytes.set(name, (bytes.get(name) ?? 0) + Number(size));
    }
  }
  return bytes;
}

/** Imports the Posts of a corpus into new servers, and says how fast. */
async function filled(
  corpus: Corpus,
  servers: ClickHouse,
  name: string,
): Promise<{ engine: Engine; store: ClusterStore }> {
  const random = (n: number): Uint8Array => randomBytes(n);
  const store = await openCluster(servers.address(DATABASE), random);
  const began = performance.now();
  const summary = await importFiles(
    { files: await corpus.files(), store: '', collection: { source: 'generated' } },
    {
      signal: new AbortController().signal,
      now: Date.now,
      random,
      open: async (into) => clusterImport(await store.writer(), into),
    },
  );
  const seconds = (performance.now() - began) / 1000;
  if (summary.added !== corpus.posts) {
    throw new Error(`expected ${corpus.posts} Posts in ${name}, got ${summary.added}`);
  }
  fact(
    `${name}: ${digits(summary.added / seconds)} Posts/s (${digits(seconds)} s, reading included)`,
  );
  const perPost = [...(await bytesOn(servers))].map(
    ([table, bytes]) => [table, bytes / corpus.posts] as const,
  );
  const together = perPost.reduce((sum, [, bytes]) => sum + bytes, 0);
  fact(
    `${name}: ${digits(together)} bytes/post on disk (${perPost.map(([table, bytes]) => `${table} ${digits(bytes)}`).join(', ')})`,
  );
  const reader = store.reader(await store.state());
  const ask: Engine['ask'] =
    async ({ condition, span, granularity }) =>
    () =>
      reader.histogram(condition, span, granularity);
  return { engine: { name, ask, close: () => {} }, store };
}

const medianOf = (results: readonly Result[], engine: number): number => {
  const times = results.map(({ times }) => times[engine]?.median ?? NaN).sort((a, b) => a - b);
  return times[times.length >> 1] ?? NaN;
};

/**
 * Times counting in ClickHouse on this machine, one server and two shards, next to the counting index: each query as a
 * whole span by day and as a page of minutes. Every answer must equal the index's.
 */
export async function benchCluster(corpus: Corpus, rounds: number): Promise<void> {
  if (!hasClickHouse()) return;
  const queries = generatedQueries(corpus.posts);
  const index = countingIndex(join(await corpus.data(), 'posts.sqlite'));
  const one = await startClickHouse();
  const two = await startClickHouse([1, 1]);
  const stores: ClusterStore[] = [];
  try {
    const engines = [index];
    for (const [servers, name] of [
      [one, '1 shard'],
      [two, '2 shards'],
    ] as const) {
      const { engine, store } = await filled(corpus, servers, name);
      engines.push(engine);
      stores.push(store);
    }
    // The last engine is the truth of `compare`.
    engines.push({ ...index, name: 'index again', close: () => {} });
    for (const { name, span, granularity } of ANSWERS) {
      const results: Result[] = [];
      for (const query of queries) {
        const question = { condition: query.condition, span, granularity };
        results.push(await compare(engines, query, question, rounds));
      }
      const title = `Counting over ${corpus.posts.toLocaleString('en')} Posts in ClickHouse, ${name}`;
      printResults(title, engines.slice(0, 3), results);
      for (const [i, { name: engine }] of engines.slice(0, 3).entries()) {
        if (i === 0) continue;
        const median = medianOf(results, i);
        if (granularity === 'minute') goal(`median query, ${engine}`, median, '≤', PAGE_MS, ' ms');
        else {
          const perPost = (median * 1000) / (corpus.posts / 1e6);
          fact(
            `median query, ${engine}: ${digits(median)} ms, ${digits(perPost)} µs per million Posts`,
          );
        }
      }
    }
  } finally {
    index.close();
    for (const store of stores) await store.close();
    await one.stop();
    await two.stop();
  }
}
