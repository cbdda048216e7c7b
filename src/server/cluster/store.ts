import type { ClusterAddress } from './address.ts';
import { openNode, type Node } from './connection.ts';
import { ClusterError } from './error.ts';
import { clusterReader, type ClusterReader } from './reader.ts';
import { prepareNode, serversOf } from './nodes.ts';
import { tablesOf, type Tables } from './schema.ts';
import { changeLog, type ClusterState } from './state.ts';
import { openClusterWriter, type ClusterWriter } from './writer.ts';

/** Your posts in ClickHouse. All methods reject with {@link ClusterError}. */
export type ClusterStore = Awaited<ReturnType<typeof clusterStore>>;

/**
 * A store over the node that answers queries.
 *
 * @param random - For the id of a new store, and marks.
 */
export async function clusterStore(node: Node, tables: Tables, random: (n: number) => Uint8Array) {
  const log = changeLog(node, tables);
  const mark = (): string => Buffer.from(random(8)).toString('hex');
  if (!(await log.state())) await log.create(Buffer.from(random(16)).toString('hex'));
  return {
    changes: log.changes,
    /** The state that is committed now. */
    state: async (): Promise<ClusterState> => {
      const state = await log.state();
      if (state) return state;
      throw new ClusterError('tables', 'The ClickHouse cluster lost its log of changes.');
    },
    /** @param hidden - Ids of users whose Posts are neither counted nor found. */
    reader: (state: ClusterState, hidden?: readonly string[]): ClusterReader =>
      clusterReader(node, tables, state, hidden),
    /** Becomes the only writer; another call gives the next one. */
    writer: (): Promise<ClusterWriter> => openClusterWriter(node, tables, mark),
    close: (): Promise<void> => node.close(),
  };
}

/**
 * Checks that every server has the place in the cluster that it had when the first Post came: rows are placed by the number
 * of a shard, and a server that came later has none. Of a new store it notes the places.
 *
 * @throws {@link ClusterError} `tables` if one has not.
 */
async function checkPlaces(
  nodes: readonly Node[],
  address: ClusterAddress,
  random: (n: number) => Uint8Array,
): Promise<void> {
  const refuse = (message: string): never => {
    throw new ClusterError('tables', message);
  };
  const tables = tablesOf(address);
  const [first, ...others] = nodes.map((node) => ({ node, log: changeLog(node, tables) }));
  if (!first) throw new RangeError('expected the URL of a node');
  const { count } = await serversOf(first.node, address);
  if (count !== nodes.length) {
    refuse(
      `The cluster ${address.cluster} has ${count} servers, and GROUNDSWELL_CLICKHOUSE_URL names ${nodes.length}; name each of them.`,
    );
  }
  for (const { node, log } of others) {
    if (!(await log.state())) continue;
    refuse(
      `The log of changes is on ${node.name}; name that server first in GROUNDSWELL_CLICKHOUSE_URL.`,
    );
  }
  const before = await first.log.state();
  const store = before?.store ?? Buffer.from(random(16)).toString('hex');
  const isNew = before === null || (before.revision === 0 && (await first.log.open()).length === 0);
  if (!before) {
    for (const { node, log } of [first, ...others]) {
      if (!(await log.place())) continue;
      refuse(
        `The server ${node.name} has Posts in ${address.database}, but ${first.node.name}, the first in GROUNDSWELL_CLICKHOUSE_URL, lacks their log of changes.`,
      );
    }
    await first.log.create(store);
  }
  for (const { node, log } of [first, ...others]) {
    const { shard } = await serversOf(node, address);
    const place = await log.place();
    if (place === null && isNew) {
      await log.join(shard, store);
      continue;
    }
    if (place === null) {
      refuse(`The server ${node.name} is new in the cluster and has no Posts; leave it out.`);
    } else if (place.store !== store) {
      refuse(`The server ${node.name} has Posts of another store in ${address.database}.`);
    } else if (place.shard !== shard) {
      const [was, is] = [place.shard, shard].map((n) => (n === 0 ? 'alone' : `shard ${n}`));
      refuse(
        `The server ${node.name} was ${was} when Posts came, and is ${is} now; use the cluster as it was.`,
      );
    }
  }
}

/**
 * Opens a cluster, and creates its tables on each node that lacks them.
 *
 * @param stopping - Ends the attempt: a node that accepts a statement may take minutes to answer.
 */
export async function openCluster(
  address: ClusterAddress,
  random: (n: number) => Uint8Array,
  stopping?: AbortSignal,
): Promise<ClusterStore> {
  const nodes = address.nodes.map((url) => openNode(address, url));
  const [first, ...others] = nodes;
  if (!first) throw new RangeError('expected the URL of a node');
  const stop = (): void => void Promise.all(nodes.map((node) => node.close()));
  stopping?.addEventListener('abort', stop, { once: true });
  if (stopping?.aborted) stop();
  try {
    for (const node of nodes) await serversOf(node, address);
    for (const node of nodes) await prepareNode(node, address);
    await checkPlaces(nodes, address, random);
    return await clusterStore(first, tablesOf(address), random);
  } catch (error) {
    await first.close();
    throw error;
  } finally {
    stopping?.removeEventListener('abort', stop);
    await Promise.all(others.map((node) => node.close()));
  }
}
