import { errorMessage } from '#core/thrown.ts';
import { serviceApp } from '#server/app.ts';
import { withClosings, type Defer } from '#server/closings.ts';
import { clusterOf } from './cluster.ts';
import { ClusterError } from '#server/cluster/error.ts';
import { MONITORING } from '#contract/control/monitoring.ts';
import { signInAddress } from '#contract/accounts/session.ts';
import type { Lock } from '#server/db/lock.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { DataFolder } from '#server/data-folder.ts';
import { logOf, type CommandDeps } from './command-deps.ts';
import { sampleProgress } from './progress.ts';
import { ensureIndex } from './ensure-index.ts';
import { jsonLog } from './json-log.ts';
import { openMonitor } from '#server/monitoring/monitor.ts';
import { openListeners } from './listeners.ts';
import { accessOf, connectionOf } from './platform-access.ts';
import { platformJob } from '#server/jobs/platform-job.ts';
import { randomText } from '#server/random.ts';
import { CommandError } from '#server/command-error.ts';
import { openStores } from '#server/parts/parts-deps.ts';
import {
  type ServeOrder,
  addressesOf,
  noLink,
  greetNetwork,
  greetMachine,
} from './serve-greeting.ts';
import { openServing } from './open-serving.ts';
import { openStoppable } from './stoppable.ts';

/**
 * The time that requests to the platform may take after the service receives a signal to end: they are billed even if
 * they are cut off.
 */
const PURCHASES_MS = 15_000;

/** Message for requests to the platform that are still running when the service ends. */
function finishing(requests: number): string {
  const seconds = PURCHASES_MS / 1000;
  return requests === 1
    ? `Waiting up to ${seconds} seconds for 1 request to the platform. Press Ctrl-C again to abandon it; you may then pay for it again.`
    : `Waiting up to ${seconds} seconds for ${requests} requests to the platform. Press Ctrl-C again to abandon them; you may then pay for them again.`;
}

/** True if a request asks for the state of the service, which also one that is starting has. */
function isHealth({ url }: Request): boolean {
  return new URL(url).pathname === MONITORING.health.path;
}

/** The time between two tries whether Posts can be created, ms. */
const TRIED_EVERY_MS = 1000;

/** Waits until Posts can be created: a first write opens what changes them, and waits for other programs that do. */
async function writable(editor: PostEditor, deps: CommandDeps): Promise<void> {
  const log = logOf(deps);
  let isReported = false;
  while (!deps.stopping.aborted) {
    try {
      await editor.write();
      return;
    } catch (error) {
      if (!isReported) log(errorMessage(error));
      isReported = true;
    }
    await new Promise<void>((resolve) => void deps.outgoing.timer(TRIED_EVERY_MS, resolve));
  }
}

/** Locks a data folder. @throws {@link CommandError} if another program has locked it. */
function lockOf(folder: DataFolder): Lock {
  const lock = folder.take();
  if (lock) return lock;
  const note = folder.readNote();
  const where = note?.port
    ? ` A service is probably running on it at ${note.addresses.join(', ')} (process ${note.process}).`
    : '';
  throw new CommandError(`The data folder ${folder.path} is in use.${where}`);
}

/**
 * `groundswell serve`: serves the dashboard and the interface until the process receives a signal to end.
 *
 * @returns The exit code.
 * @throws {@link CommandError} if the port or the folder is not available, or the platform's address is invalid;
 *   {@link StoreError} if a file in the folder cannot be used.
 */
export async function runServe(given: CommandDeps, order: ServeOrder): Promise<number> {
  try {
    return await withClosings((defer) => serve(given, order, defer));
  } catch (error) {
    // A signal to end, which cuts off what a start waits for, is no failure.
    if (given.stopping.aborted && error instanceof ClusterError) return 0;
    throw error;
  }
}

async function serve(given: CommandDeps, order: ServeOrder, defer: Defer): Promise<number> {
  const { listen, port: wanted } = order;
  const { network } = listen;
  const lines = order.log === 'json' ? jsonLog(given) : null;
  const deps = { ...given, ...lines };
  const access = accessOf(deps);
  const folder = new DataFolder(order.data);
  const lock = lockOf(folder);
  defer(() => lock.release());
  const note = {
    process: process.pid,
    host: listen.host === '::1' && !network ? ('[::1]' as const) : ('127.0.0.1' as const),
    secret: randomText(deps.random, 32),
  };
  folder.writeNote({ ...note, port: null, addresses: [] });
  defer(() => folder.removeNote());
  const log = logOf(deps);
  const stores = openStores(folder, deps, defer);
  const connection = connectionOf(deps, folder, access, log);
  defer(async () => {
    await connection.close(PURCHASES_MS);
    connection.closeStore();
  });
  if (!(await ensureIndex(deps, folder, ['posts', 'sample']))) return 0;
  const cluster = await clusterOf(deps, folder, deps.stopping);
  defer(() => cluster?.close());
  let port: number | null = null;
  const origin = (): string => `http://${note.host}:${port ?? wanted}`;
  const addresses = (): string[] => (network ? addressesOf(network, port ?? wanted) : [origin()]);
  const site = (): string => addresses()[0] ?? origin();
  const relay = () => connection.relay;
  const needed = { ...stores, cluster, relay, site };
  const parts = await openServing(deps, folder, order, needed, defer);
  const { jobs, catalogs, logins, signIns } = parts;
  let isReady = false;
  /** Percentage of the first sample made so far; null while none is being made. */
  let making: number | null = null;
  const monitor = openMonitor({
    ...deps,
    ...parts,
    folder,
    connection,
    isReady: () => isReady,
    log: lines?.onRequest ?? null,
  });
  defer(() => monitor.close());
  const { stoppable, end } = openStoppable(deps.stopping);
  const importPosts = stoppable(monitor.watchImports(jobs.import));
  const makeSample = stoppable(jobs.sample);
  const signIn = (): string => signInAddress(origin(), signIns.issue());
  const app = serviceApp({
    ...parts,
    assets: deps.assets,
    built: deps.built,
    connection,
    monitoring: monitor,
    port: () => port,
    making: () => making,
    network: network && { site: { kind: 'network', ...network }, address: site, logins },
    control: {
      secret: note.secret,
      jobs: {
        ...jobs,
        ...platformJob(connection),
        import: importPosts,
        sample: makeSample,
        reindex: stoppable(jobs.reindex),
        link: async (_order, emit) =>
          emit(network ? noLink(addresses()) : { type: 'link', address: signIn() }),
      },
    },
  });

  let open = (): void => {};
  const ready = new Promise<void>((resolve) => {
    open = resolve;
  });
  // Early requests wait until the port is known, against which their origin is checked.
  const listeners = await openListeners(
    (request, bindings) =>
      isHealth(request)
        ? app.fetch(request, bindings)
        : ready.then(() => app.fetch(request, bindings)),
    { ...listen, port: wanted },
    deps,
  );
  port = listeners.port;
  defer(async () => {
    const { purchases } = connection;
    if (purchases > 0) log(finishing(purchases));
    const ended = end();
    parts.streaming.connections.close();
    const fed = catalogs.feeds.close();
    const bought = connection.close(PURCHASES_MS);
    await ended;
    await Promise.all([listeners.finish(), bought, fed]);
  });
  if (parts.isSampleDue) {
    const show = sampleProgress(deps);
    making = 0;
    void makeSample(
      {},
      (event) => {
        show(event);
        making = event.type === 'making' ? event.done : null;
        if (event.type === 'fault' && !deps.stopping.aborted) {
          deps.err(`The sample is incomplete: ${event.message}\n`);
        }
      },
      deps.stopping,
    );
  }
  const stopped = new Promise<void>((resolve) => {
    deps.stopping.addEventListener('abort', () => resolve(), { once: true });
    if (deps.stopping.aborted) resolve();
  });
  if (!deps.stopping.aborted) {
    folder.writeNote({ ...note, port: listeners.orders, addresses: addresses() });
  }
  open();
  parts.start(deps.stopping.aborted);
  await Promise.race([Promise.all([deps.built, writable(parts.editor, deps)]), stopped]);
  if (deps.stopping.aborted) return 0;
  isReady = true;
  if (network) {
    const proxied = network.proxies !== null;
    greetNetwork(deps, folder, addresses(), { proxied, port, logins: logins.count });
  } else greetMachine(deps, folder, order, origin(), signIn());
  if (connection.relay) {
    deps.out(
      `The platform at ${connection.relay.host} is connected. Its answers cost money, up to your caps.\n`,
    );
  }
  await stopped;
  return 0;
}
