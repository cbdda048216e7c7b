import type { ClusterAddress } from './address.ts';
import { openNode } from './connection.ts';
import type { Node } from './connection.ts';
import { ClusterError } from './error.ts';
import { clusterReader } from './reader.ts';
import type { ClusterReader } from './reader.ts';
import { creation, tablesOf } from './schema.ts';
import type { Tables } from './schema.ts';
import { changeLog } from './state.ts';
import type { ChangeLog, ClusterState } from './state.ts';
import { openClusterWriter } from './writer.ts';
import type { ClusterWriter } from './writer.ts';

/** Your posts in ClickHouse. All methods reject with {@link ClusterError}. */
export interface ClusterStore {
  readonly changes: ChangeLog['changes'];
  /** What is committed now. */
  state(): Promise<ClusterState>;
  reader(state: ClusterState): ClusterReader;
  /** Becomes the only writer; another call gives the next one. */
  writer(): Promise<ClusterWriter>;
  close(): Promise<void>;
}

/**
 * A store over the node that answers queries.
 *
 * @param random - For the id of a new store, and marks.
 */
export async function clusterStore(
  node: Node,
  tables: Tables,
  random: (n: number) => Uint8Array,
): Promise<ClusterStore> {
  const log = changeLog(node, tables);
  const mark = (): string => Buffer.from(random(8)).toString('hex');
  if (!(await log.state())) await log.create(Buffer.from(random(16)).toString('hex'));
  return {
    changes: log.changes,
    state: async () => {
      const state = await log.state();
      if (state) return state;
      throw new ClusterError('tables', 'The ClickHouse cluster lost its log of changes.');
    },
    reader: (state) => clusterReader(node, tables, state),
    writer: () => openClusterWriter(node, tables, mark),
    close: () => node.close(),
  };
}

/** Opens a cluster, and creates its tables on each node that lacks them. */
export async function openCluster(
  address: ClusterAddress,
  random: (n: number) => Uint8Array,
): Promise<ClusterStore> {
  const nodes = address.nodes.map((url) => openNode(address, url));
  const [first, ...others] = nodes;
  if (!first) throw new RangeError('expected the URL of a node');
  try {
    for (const node of nodes) {
      for (const statement of creation(address)) await node.run(statement);
    }
    return await clusterStore(first, tablesOf(address), random);
  } catch (error) {
    await first.close();
    throw error;
  } finally {
    await Promise.all(others.map((node) => node.close()));
  }
}
