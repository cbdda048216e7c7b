import { randomBytes as random } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import type { ClusterAddress } from '#server/cluster/address.ts';
import { clusterImport } from '#server/cluster/import.ts';
import { openNode } from '#server/cluster/connection.ts';
import { openCluster } from '#server/cluster/store.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';

const START = Date.UTC(2020, 1, 29);
const post = (id: number): NewPost => ({
  id: BigInt(id),
  createdAt: START + id * SECOND_MS,
  authorId: null,
  username: null,
  text: 'fox',
  lang: null,
  rest: null,
  facts: null,
  terms: termsOf({ text: 'fox' }),
});

describe.runIf(hasClickHouse())('a cluster of two shards', () => {
  let servers: ClickHouse;
  const run = async (which: number, statement: string): Promise<void> => {
    const address = servers.address('default');
    const node = openNode(address, address.nodes[which]!);
    await node.run(statement).finally(() => node.close());
  };
  const open = async (address: ClusterAddress): Promise<void> => {
    await (await openCluster(address, random)).close();
  };
  beforeAll(async () => {
    servers = await startClickHouse([1, 1]);
    const store = await openCluster(servers.address('whole'), random);
    await (
      await store.writer()
    ).write({
      added: [{ post: post(1), collections: [], generation: 0 }],
    });
    await store.close();
  });
  afterAll(() => servers?.stop());

  const reversed = ({ nodes }: ClusterAddress) => ({ nodes: [...nodes].reverse() });
  test.each([
    ['with its servers in another order', reversed, 'name that server first'],
    [
      'as one server alone',
      ({ nodes }: ClusterAddress) => ({ nodes: nodes.slice(0, 1), cluster: null }),
      'was shard 1 when Posts came, and is alone now',
    ],
    [
      'by one of its servers',
      ({ nodes }: ClusterAddress) => ({ nodes: nodes.slice(0, 1) }),
      'has 2 servers, and GROUNDSWELL_CLICKHOUSE_URL names 1',
    ],
    [
      'by another name',
      () => ({ cluster: 'other' }),
      'knows no cluster other. Its remote_servers name: shards.',
    ],
  ])('is not opened %s, where it would count fewer Posts', async (_, change, message) => {
    const address = servers.address('whole');
    await expect(open({ ...address, ...change(address) })).rejects.toThrow(message);
    await open(address);
  });

  test('is not opened with a server that lost its Posts', async () => {
    const address = servers.address('lost');
    const store = await openCluster(address, random);
    const added = [1, 2, 3, 4].map((id) => ({ post: post(id), collections: [], generation: 0 }));
    await (await store.writer()).write({ added });
    await store.close();
    await run(1, 'DROP DATABASE lost');
    await expect(open(address)).rejects.toThrow('is new in the cluster and has no Posts');
    await run(0, 'DROP DATABASE lost');
    await open(address);
  });

  test('is not put into tables of another program', async () => {
    await run(1, 'CREATE DATABASE theirs');
    await run(1, 'CREATE TABLE theirs.post (id Int64, text String) ENGINE = Memory');
    await expect(open(servers.address('theirs'))).rejects.toThrow(
      /^The database theirs on .* has a table post that is not of Groundswell/,
    );
  });

  test('takes each Post once, and each collection, of two imports at the same time', async () => {
    const store = await openCluster(servers.address('twice'), random);
    try {
      const writer = await store.writer();
      const into = (source: string) => ({ source, now: () => START });
      const imports = [clusterImport(writer, into('one')), clusterImport(writer, into('two'))];
      const added = await Promise.all(
        imports.map(async (each) => {
          let added = 0;
          for (let part = 0; part < 4; part++) {
            const posts = Array.from({ length: 50 }, (_, i) => post(1 + part * 50 + i));
            added += (await each.add(posts, 'made')).added;
            await each.finish();
          }
          await each.finish({ read: 200, kinds: new Set(['csv']), isWhole: true });
          await each.close();
          return added - each.overtaken;
        }),
      );
      expect(added.reduce((sum, n) => sum + n)).toBe(200);
      const state = await store.state();
      expect(state.posts).toBe(200);
      expect(state.collections.map(({ name, read }) => [name, read])).toEqual([
        ['Posted here', null],
        ['one', 200],
        ['two', 200],
      ]);
      const span = { start: START, end: START + DAY_MS };
      const [, one, two] = state.collections;
      for (const term of ['fox', `in:${one?.id}`, `in:${two?.id}`]) {
        const counts = await store.reader(state).histogram({ kind: 'term', term }, span, 'day');
        expect(counts[0], term).toBe(200);
        expect(await store.reader(state).has(term), term).toBe(true);
      }
      expect(await store.reader(state).has('cat')).toBe(false);
    } finally {
      await store.close();
    }
  });
});
