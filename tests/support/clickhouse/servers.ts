import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAddress } from '#server/cluster/address.ts';
import { isInstalled, programPath } from '#tests/support/run/installed.ts';

/** The name of the cluster that the servers form. */
const CLUSTER = 'shards';

const PROGRAM = programPath('clickhouse-server', '/usr/sbin/clickhouse-server');

/** True if tests can start ClickHouse; see {@link isInstalled}. */
export const hasClickHouse = (): boolean =>
  isInstalled(
    PROGRAM,
    'clickhouse-server is not installed: the tests with ClickHouse do not run.',
    'GROUNDSWELL_TEST_CLICKHOUSE',
  );

/** Ports that are free now. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

interface Ports {
  readonly http: number;
  readonly tcp: number;
}

function serversText(shards: readonly (readonly Ports[])[]): string {
  const replica = ({ tcp }: Ports): string =>
    `<replica><host>127.0.0.1</host><port>${tcp}</port></replica>`;
  const shard = (replicas: readonly Ports[]): string =>
    `<shard><internal_replication>false</internal_replication>${replicas.map(replica).join('')}</shard>`;
  return `<${CLUSTER}>${shards.map(shard).join('')}</${CLUSTER}>`;
}

/** The text of `config.xml`; both 18.16 and later releases read it. */
function configText(folder: string, ports: Ports & { inner: number }, cluster: string): string {
  return `<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>${ports.http}</http_port>
  <tcp_port>${ports.tcp}</tcp_port>
  <interserver_http_port>${ports.inner}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <user_files_path>${folder}/files/</user_files_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>134217728</mark_cache_size>
  <remote_servers>${cluster}</remote_servers>
</yandex>
`;
}

const USERS = `<?xml version="1.0"?>
<yandex>
  <profiles><default><connect_timeout_with_failover_ms>1000</connect_timeout_with_failover_ms></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
  <quotas><default/></quotas>
</yandex>
`;

/** A running server. */
export interface ClickHouseServer {
  /** As `127.0.0.1:port`, as other servers reach it. */
  readonly name: string;
  readonly url: string;
  /** Kills it as `kill -9` does, and waits for its end. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}, with the same ports and data. */
  restart(): Promise<void>;
}

export interface ClickHouse {
  readonly servers: readonly ClickHouseServer[];
  /** The address of a database on all of them. */
  address(database: string): ClusterAddress;
  stop(): Promise<void>;
}

/** The time that a server may take to start, ms. */
const START_MS = 30_000;

async function answers(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + START_MS;
  for (;;) {
    const found = await fetch(url).catch(() => null);
    if (found?.ok) return;
    if (child.exitCode !== null || Date.now() > end) {
      child.kill('SIGKILL');
      throw new Error(`clickhouse-server did not start at ${url}`);
    }
    // A process that another program runs has no clock to pass in.
    await sleep(20);
  }
}

async function startServer(folder: string, ports: Ports): Promise<ClickHouseServer> {
  const url = `http://127.0.0.1:${ports.http}/`;
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(PROGRAM!, [`--config-file=${join(folder, 'config.xml')}`], {
      cwd: folder,
      stdio: 'ignore',
    });
    await answers(url, child);
  };
  await start();
  return {
    name: `127.0.0.1:${ports.tcp}`,
    url,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    restart: start,
  };
}

/** Attempts to start servers: another program may take a port between its choice and its use. */
const ATTEMPTS = 3;

/**
 * Starts real servers on free ports, with their data in a temporary folder. The caller stops them.
 *
 * @param shape - Replicas of each shard; one server alone without `remote_servers` if absent.
 */
export async function startClickHouse(shape?: readonly number[]): Promise<ClickHouse> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(shape);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(shape?: readonly number[]): Promise<ClickHouse> {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-clickhouse-'));
  const replicas = shape ?? [1];
  const count = replicas.reduce((sum, n) => sum + n, 0);
  const free = await freePorts(count * 3);
  const ports = Array.from({ length: count }, () => {
    const [http = 0, tcp = 0, inner = 0] = free.splice(0, 3);
    return { http, tcp, inner };
  });
  const rest = [...ports];
  const cluster = shape ? serversText(replicas.map((n) => rest.splice(0, n))) : '';
  const starting = await Promise.allSettled(
    ports.map((each, i) => {
      const own = join(folder, String(i));
      mkdirSync(own, { recursive: true });
      writeFileSync(join(own, 'config.xml'), configText(own, each, cluster));
      writeFileSync(join(own, 'users.xml'), USERS);
      return startServer(own, each);
    }),
  );
  const servers = starting.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  for (const each of starting) {
    if (each.status === 'fulfilled') continue;
    await stop();
    throw each.reason;
  }
  return {
    servers,
    address: (database) => ({
      nodes: servers.map(({ url }) => url),
      user: 'default',
      password: '',
      database,
      cluster: shape ? CLUSTER : null,
    }),
    stop,
  };
}
