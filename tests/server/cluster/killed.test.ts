import { randomBytes as random } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from '#core/query/parse.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { clusterImport } from '#server/cluster/import.ts';
import { openCluster, type ClusterStore } from '#server/cluster/store.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';
import { long } from '#tests/support/run/long.ts';
import { variedPosts } from '#tests/support/data/varied-posts.ts';

const START = Date.UTC(2020, 1, 29);
const BATCHES = 6;
const BATCH = 100;

const POSTS = variedPosts(BATCHES * BATCH).map((post, i): NewPost => {
  const columns = { authorId: null, username: null, text: post.text, lang: null, rest: null };
  const [createdAt, facts] = [START + i * SECOND_MS, factsOf(post, columns)];
  return { id: BigInt(i + 1), createdAt, ...columns, facts, terms: termsOf(post) };
});

/** The result of an import of all Posts in batches; `during` runs while the third batch is written. */
async function imported(
  store: ClusterStore,
  during: () => Promise<void> = async () => {},
): Promise<{ added: number; error: unknown }> {
  let added = 0;
  try {
    const writer = clusterImport(await store.writer(), { source: 'made', now: () => START });
    for (let i = 0; i < BATCHES; i++) {
      const part = POSTS.slice(i * BATCH, (i + 1) * BATCH);
      added += (await writer.add(part, 'made')).added;
      const written = Promise.resolve(writer.finish());
      written.catch(() => {});
      if (i === 2) await during();
      await written;
    }
    return { added: added - writer.overtaken, error: null };
  } catch (error) {
    return { added, error };
  }
}

const CONDITIONS = ['fox', 'fox -cat', '"fox cat"', 'min_likes:0', 'fox OR dog'].map((text) => {
  const read = parse(text);
  if (!read.ok) throw new Error(text);
  return condition(read.ast);
});

/** Counts of queries, and those over the first Posts of the list. */
async function countsOf(store: ClusterStore): Promise<{ found: number[]; right: number[] }> {
  const state = await store.state();
  const reader = store.reader(state);
  const span = { start: START, end: START + DAY_MS };
  const found: number[] = [];
  for (const wanted of CONDITIONS) {
    const counts = await reader.histogram(wanted, span, 'minute');
    found.push(counts.reduce((sum, n) => sum + n, 0));
  }
  const terms = POSTS.slice(0, state.posts).map((post) => post.terms);
  const right = CONDITIONS.map((wanted) => terms.filter((each) => match(wanted, each)).length);
  return { found, right };
}

describe.runIf(hasClickHouse())('an import into two shards', () => {
  let servers: ClickHouse;
  beforeAll(async () => {
    servers = await startClickHouse([1, 1]);
  });
  afterAll(() => servers?.stop());

  const WHICH: [name: string, server: number][] = [
    ['the first', 0],
    ['the second', 1],
  ];
  test.each(long() ? WHICH : WHICH.slice(0, 1))(
    'is exact when it runs again after %s server was killed during it',
    async (_, which) => {
      const server = servers.servers[which]!;
      const address = servers.address(`killed_${which}`);
      const store = await openCluster(address, random);
      try {
        const { error } = await imported(store, () => server.kill());
        expect(error).toMatchObject({ name: 'ClusterError', reason: 'down' });
        await expect(countsOf(store)).rejects.toMatchObject({ name: 'ClusterError' });
        await server.restart();
        const { posts } = await store.state();
        expect(posts % BATCH).toBe(0);
        expect(posts).toBeLessThan(POSTS.length);
        const partial = await countsOf(store);
        expect(partial.found).toEqual(partial.right);

        expect(await imported(store)).toEqual({ added: POSTS.length - posts, error: null });
        const whole = await countsOf(store);
        expect(whole.found).toEqual(whole.right);
        expect((await store.state()).posts).toBe(POSTS.length);
        expect(await imported(store)).toEqual({ added: 0, error: null });
        expect(await countsOf(store)).toEqual(whole);
      } finally {
        await store.close();
      }
    },
  );

  test('takes no change of a writer that another one has replaced', async () => {
    const store = await openCluster(servers.address('taken'), random);
    try {
      const before = await store.writer();
      await before.write({ added: [{ post: POSTS[0]!, collections: [], generation: 0 }] });
      const next = await store.writer();
      const second = { added: [{ post: POSTS[1]!, collections: [], generation: 0 }] };
      await expect(before.write(second)).rejects.toMatchObject({ reason: 'taken' });
      expect((await store.state()).posts).toBe(1);
      await next.write(second);
      const { found, right } = await countsOf(store);
      expect(found).toEqual(right);
    } finally {
      await store.close();
    }
  });
});

describe.runIf(hasClickHouse())('a shard with two replicas', () => {
  test('answers while one of them is down, and takes no change', async () => {
    const servers = await startClickHouse([2]);
    const store = await openCluster(servers.address('replicas'), random);
    try {
      const writer = await store.writer();
      const added = POSTS.slice(0, 100).map((post) => ({ post, collections: [], generation: 0 }));
      await writer.write({ added });
      await servers.servers[1]!.kill();
      const { found, right } = await countsOf(store);
      expect(found).toEqual(right);
      const more = POSTS.slice(100, 200).map((post) => ({ post, collections: [], generation: 0 }));
      await expect(writer.write({ added: more })).rejects.toMatchObject({ reason: 'down' });
      expect((await store.state()).posts).toBe(100);
    } finally {
      await store.close();
      await servers.stop();
    }
  });
});
