import { createClient, ClickHouseLogLevel, type ClickHouseClient } from '@clickhouse/client';
import { Readable } from 'node:stream';
import type { ClusterAddress } from './address.ts';
import { ClusterError, clusterError } from './error.ts';

/** Runs statements on one node. All methods reject with {@link ClusterError}. */
export interface Node {
  /** As `host:port`. */
  readonly name: string;
  /** Runs a statement without a result. */
  run(statement: string): Promise<void>;
  /**
   * Runs a query.
   *
   * @returns Its rows in the format RowBinary.
   */
  read(query: string, signal?: AbortSignal): Promise<Buffer>;
  /** Inserts rows in the format RowBinary into a table, durable on every shard when the promise resolves. */
  insert(table: string, columns: readonly string[], rows: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}

/** The time that a statement may run, seconds: a bulk insert takes longest. */
const MOST_SECONDS = 300;

/**
 * Limits of a query's text: a list of 5,000 accounts, and an area with a hundred thousand places, become as many
 * literals.
 */
const READING = {
  wait_end_of_query: 1,
  skip_unavailable_shards: 0,
  max_query_size: '67108864',
  max_ast_elements: '2000000',
  max_expanded_ast_elements: '2000000',
  max_ast_depth: '5000',
  max_execution_time: MOST_SECONDS,
} as const;

async function bytesOf(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Opens a connection to a node. It connects with the first statement. */
export function openNode(address: ClusterAddress, url: string): Node {
  const name = new URL(url).host;
  const { user: username, password } = address;
  const client: ClickHouseClient = createClient({
    url,
    username,
    password,
    application: 'groundswell',
    request_timeout: MOST_SECONDS * 1000,
    // Old nodes close an idle connection after 3 seconds, and a busy process notices its own timer late.
    keep_alive: { idle_socket_ttl: 1000, eagerly_destroy_stale_sockets: true },
    // It would log statements, which hold what people search for.
    log: { level: ClickHouseLogLevel.OFF },
  });
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw clusterError(error, name);
    }
  };
  return {
    name,
    run: (statement) => attempt(async () => void (await client.command({ query: statement }))),
    read: (query, signal) =>
      attempt(async () => {
        const { stream } = await client.exec({
          query: `${query} FORMAT RowBinary`,
          clickhouse_settings: READING,
          ...(signal && { abort_signal: signal }),
        });
        return await bytesOf(stream);
      }),
    insert: (table, columns, rows) =>
      attempt(async () => {
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT RowBinary`,
          values: Readable.from(rows, { objectMode: false }),
          clickhouse_settings: { insert_distributed_sync: 1 },
        });
        const said = await bytesOf(stream);
        if (said.length > 0)
          throw new ClusterError('failed', `The ClickHouse node ${name} failed.`);
      }),
    close: () => client.close(),
  };
}
