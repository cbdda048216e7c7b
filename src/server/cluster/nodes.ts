import type { ClusterAddress } from './address.ts';
import type { Node } from './connection.ts';
import { ClusterError } from './error.ts';
import { RowReader } from './row-binary.ts';
import { columnsIn, creation, VIEWS } from './schema.ts';
import { literal } from './sql-terms.ts';

/** The columns that a node lists of a database: `name type` of each by table. */
async function listedColumns(
  node: Node,
  { database }: ClusterAddress,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = new RowReader(
    await node.read(
      `SELECT table, name, type FROM system.columns WHERE database = ${literal(database)}`,
    ),
  );
  const found = new Map<string, string[]>();
  while (!rows.done) {
    const [table, column] = [rows.text(), `${rows.text()} ${rows.text()}`];
    found.set(table, [...(found.get(table) ?? []), column]);
  }
  return found;
}

/**
 * Creates the tables that a node lacks; a node that has all of them need not allow it.
 *
 * @throws {@link ClusterError} `tables` if a table of one of their names has other columns: another program's.
 */
export async function prepareNode(node: Node, address: ClusterAddress): Promise<void> {
  const wanted = columnsIn(address);
  const found = await listedColumns(node, address);
  for (const [table, columns] of wanted) {
    const listed = found.get(table);
    if (listed && [...listed].sort().join() !== [...columns].sort().join()) {
      const message = `The database ${address.database} on ${node.name} has a table ${table} that is not of Groundswell; name another database in GROUNDSWELL_CLICKHOUSE_URL.`;
      throw new ClusterError('tables', message);
    }
  }
  if ([...wanted.keys(), ...VIEWS].every((table) => found.has(table))) return;
  for (const statement of creation(address)) await node.run(statement);
}

/** The servers of a cluster as a node knows them. */
interface Servers {
  readonly count: number;
  /** The number of the shard that the node is part of; 0 if it does not know, or without a cluster. */
  readonly shard: number;
}

/** @throws {@link ClusterError} `tables` if the node does not know the cluster. */
export async function serversOf(node: Node, { cluster }: ClusterAddress): Promise<Servers> {
  if (cluster === null) return { count: 1, shard: 0 };
  const rows = new RowReader(
    await node.read(
      `SELECT toUInt32(count()), toUInt32(max(is_local * shard_num)) FROM system.clusters WHERE cluster = ${literal(cluster)}`,
    ),
  );
  const [count, shard] = [rows.u32(), rows.u32()];
  if (count > 0) return { count, shard };
  const names = new RowReader(await node.read('SELECT DISTINCT cluster FROM system.clusters'));
  const known: string[] = [];
  while (!names.done) known.push(names.text());
  const others = known.length === 0 ? 'none' : known.sort().join(', ');
  const message = `The ClickHouse node ${node.name} knows no cluster ${cluster}. Its remote_servers name: ${others}.`;
  throw new ClusterError('tables', message);
}
