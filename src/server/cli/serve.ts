import type { ControlEvent } from '#contract/control/control.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { errorMessage } from '#core/thrown.ts';
import { createApp } from '#server/app.ts';
import { withClosings, type Defer } from '#server/closings.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { accountInfo } from '#server/users/accounts.ts';
import { approveRest } from '#server/users/follow-requests.ts';
import { ANYWHERE, PUBLIC_ONLY } from '#server/fetcher/target.ts';
import { openAds } from '#server/ads/store.ts';
import { openAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import { clusterOf } from './cluster.ts';
import { ClusterError, NOT_IN_CLUSTERS, notInClusters } from '#server/cluster/error.ts';
import type { Emit, Jobs } from '#server/http/job-stream.ts';
import { openFinder, type NewsSource } from '#server/api/news/finder-thread.ts';
import { startReporting, type Reporting } from '#server/api/news/reporting.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { openNews } from '#server/api/news/news.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { importedIds } from '#server/users/imported-id.ts';
import { MONITORING } from '#contract/control/monitoring.ts';
import { signInAddress } from '#contract/accounts/session.ts';
import { startLiveSample, type LiveSample } from '#server/sample/live.ts';
import { openCompactor } from '#server/maintenance/compact-thread.ts';
import { openEditor } from '#server/posts/editor/editor-thread.ts';
import { SignIns } from '#server/auth/sign-ins.ts';
import { MAX_UPLOAD, Uploads } from '#server/import/uploads.ts';
import { openMatcher } from '#server/streams/rules/matcher-thread.ts';
import { openConnections } from '#server/streams/connections.ts';
import { MediaFiles } from '#server/media/media-files.ts';
import { MediaUploads } from '#server/media/media-uploads.ts';
import { usedMediaFiles } from '#server/posts/store/media-use.ts';
import { openService } from '#server/auth/store.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { eventTable } from '#server/streams/event-table.ts';
import { openLog, type EventLog, type OpenLog } from '#server/streams/log.ts';
import { paced } from '#server/streams/paced.ts';
import { startMoving } from '#server/streams/outbox.ts';
import { openWebhooks } from '#server/webhooks/webhooks.ts';
import { openAddress } from './browser.ts';
import { CommandError } from './command.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { sampleProgress } from './progress.ts';
import { ensureIndex } from './ensure-index.ts';
import { collectionJob } from './collection-job.ts';
import { compactorOf, openJobs } from './jobs.ts';
import { catalogsOf, feedJob } from './feed-job.ts';
import { jsonLog } from './json-log.ts';
import { openMonitor } from './monitor.ts';
import { openListeners, type ListenOptions, type NetworkOptions } from './listeners.ts';
import { loginJob, loginsOf } from './login-job.ts';
import { noteJob } from './note-job.ts';
import { accessOf, connectionOf } from './platform-access.ts';
import { platformJob } from './platform-job.ts';

/** Number of created and deleted Posts between two checks whether the index needs compaction. */
const CHANGES_PER_CHECK = 512;

/**
 * How often readers of a log learn of new entries at most, ms. Where Posts arrive faster, several lines reach a client in
 * one write; that halves the work.
 */
const WAKE_MS = 20;

/** How often media that expired is removed. */
const SWEEP_MS = 600_000;
/** How often scheduled Posts are looked for. */
const PUBLISH_MS = 1000;

/** How long requests to the platform may take after the service receives a signal to end: they are billed even if they are cut off. */
const PURCHASES_MS = 15_000;

/** Message for requests to the platform that are still running when the service ends. */
function finishing(requests: number): string {
  const seconds = PURCHASES_MS / 1000;
  return requests === 1
    ? `Waiting up to ${seconds} seconds for 1 request to the platform. Press Ctrl-C again to abandon it; you may then pay for it again.`
    : `Waiting up to ${seconds} seconds for ${requests} requests to the platform. Press Ctrl-C again to abandon them; you may then pay for them again.`;
}

/** The answer to `groundswell link` where people sign in by name and password. */
function noLink([address]: readonly string[]): ControlEvent {
  const message = `Other machines reach this service, so people sign in at ${address} with a name and a password. Add someone with: groundswell login add NAME`;
  return { type: 'fault', message, summary: null };
}

/** Where people of other machines open the service, which listens on a port. */
function addressesOf({ names, proxies }: NetworkOptions, port: number): string[] {
  return names.map((name) => `https://${name}${proxies || port === 443 ? '' : `:${port}`}`);
}

/** Prints where the service is, and how someone signs in. */
function greetNetwork(
  { out }: CommandDeps,
  folder: DataFolder,
  addresses: readonly string[],
  { proxied, port, logins }: { proxied: boolean; port: number; logins: number },
): void {
  const way = proxied ? ` through its reverse proxy, on port ${port}` : '';
  out(`Groundswell is at ${addresses.join(', ')}${way} (data in ${folder.path})\n`);
  if (logins > 0) return;
  out('Nobody can sign in yet. Add yourself: groundswell login add NAME --role administrator\n');
}

/** Sets the size of a log, and makes it continue after a number. */
function prepareLog(
  file: string,
  deps: CommandDeps & { readonly logSize: number; readonly last?: number },
): void {
  const db = openPosts(file, deps);
  try {
    db.write('prepare-log', () => {
      const table = eventTable(db, deps.now);
      table.setSize(deps.logSize);
      table.startAfter(deps.last ?? 0);
    });
  } finally {
    db.close();
  }
}

/** Whether a request asks for the state of the service, which also one that is starting has. */
function isHealth({ url }: Request): boolean {
  return new URL(url).pathname === MONITORING.health.path;
}
/** A job of a command that only the data folder does. */
const refused = async (_order: unknown, emit: Emit): Promise<void> =>
  emit({ type: 'fault', message: NOT_IN_CLUSTERS, summary: null });

/** Opens both files of Posts for counting, with their logs. */
function openSources(folder: DataFolder, deps: CommandDeps, logSize: number) {
  const open = new Map<SourceId, Source>();
  const logs = new Map<SourceId, OpenLog>();
  const closeAll = (): void => {
    for (const source of open.values()) source.close();
    for (const log of logs.values()) log.close();
    open.clear();
    logs.clear();
  };
  try {
    for (const id of ['posts', 'sample'] as const) {
      open.set(id, openSource(folder[id], deps));
      logs.set(
        id,
        openLog(() => openPosts(folder[id], deps)),
      );
    }
  } catch (error) {
    closeAll();
    throw error;
  }
  return {
    get: (id: SourceId) => {
      const source = open.get(id);
      return source ? { id, ...source } : null;
    },
    posts: (id: SourceId): number => open.get(id)?.index.posts ?? 0,
    events: (id: SourceId): EventLog | null => logs.get(id) ?? null,
    /** Calls the listeners to the log of a source if there are new entries. */
    wake: (id: SourceId): void => logs.get(id)?.wake(),
    /** Closes the sample while `swap` replaces it, synchronously, so that no request comes in between. */
    swapSample: (swap: () => void): void => {
      open.get('sample')?.close();
      open.delete('sample');
      const log = logs.get('sample');
      const last = log?.last() ?? 0;
      log?.close();
      swap();
      prepareLog(folder.sample, { ...deps, logSize, last });
      open.set('sample', openSource(folder.sample, deps));
      log?.open();
    },
    closeAll,
  };
}

interface ServeOrder {
  readonly data: string;
  readonly port: number;
  readonly open: boolean;
  readonly allowPrivate: boolean;
  readonly logSize: number;
  /** How the service reports: in words, or as lines of JSON with its requests. */
  readonly log: 'text' | 'json';
  readonly listen: ListenOptions;
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

async function serve(
  given: CommandDeps,
  { data, port: wanted, open: opens, allowPrivate, logSize, log: format, listen }: ServeOrder,
  defer: Defer,
): Promise<number> {
  const lines = format === 'json' ? jsonLog(given) : null;
  const deps = { ...given, ...lines };
  const access = accessOf(deps);
  const folder = new DataFolder(data);
  const lock = folder.take();
  if (!lock) {
    const note = folder.readNote();
    const where = note?.port
      ? ` A service is probably running on it at ${note.addresses.join(', ')} (process ${note.process}).`
      : '';
    throw new CommandError(`The data folder ${folder.path} is in use.${where}`);
  }
  defer(() => lock.release());
  const { network } = listen;
  const note = {
    process: process.pid,
    host: listen.host === '::1' && !network ? ('[::1]' as const) : ('127.0.0.1' as const),
  };
  const secret = Buffer.from(deps.random(32)).toString('base64url');
  folder.writeNote({ ...note, port: null, addresses: [], secret });
  defer(() => folder.removeNote());
  const service = openService(folder.service, deps);
  defer(() => service.close());
  const ads = openAds(folder.ads);
  defer(() => ads.close());
  const log = (line: string): void => deps.err(`${line}\n`);
  const connection = connectionOf(deps, folder, access, log);
  defer(async () => {
    await connection.close(PURCHASES_MS);
    connection.closeStore();
  });
  if (!(await ensureIndex(deps, folder, ['posts', 'sample']))) return 0;
  const sources = openSources(folder, deps, logSize);
  defer(() => sources.closeAll());

  for (const file of [folder.posts, folder.sample]) prepareLog(file, { ...deps, logSize });
  const compactor = compactorOf(folder, deps);
  defer(() => compactor.close());
  const { timer } = deps.outgoing;
  const onAppend = (id: SourceId): (() => void) => paced(WAKE_MS, () => sources.wake(id), timer);
  const [onPostsAppend, onSampleAppend] = [onAppend('posts'), onAppend('sample')];
  let changes = 0;
  const local = openEditor(deps.entry, folder.posts, () => {
    onPostsAppend();
    if (++changes % CHANGES_PER_CHECK === 0) compactor.wake();
  });
  defer(() => local.close());
  const cluster = await clusterOf(deps, folder, deps.stopping);
  defer(() => cluster?.close());
  const editor = cluster ? { ...local, ...cluster.editor(local) } : local;
  const relations = cluster ? null : sources.get('posts')?.posts.relations;
  if (relations) {
    const accounts = service.accounts().map(accountInfo);
    await approveRest({ accounts, editor }, relations).catch((error: unknown) =>
      log(errorMessage(error)),
    );
  }
  const sampleCompactor = openCompactor(deps.entry, folder.sample, ({ message }) =>
    log(`The sample's index was not compacted: ${message}`),
  );
  defer(() => sampleCompactor.close());
  const sampleEditor = openEditor(deps.entry, folder.sample, () => {
    onSampleAppend();
    if (++changes % CHANGES_PER_CHECK === 0) sampleCompactor.wake();
  });
  defer(() => sampleEditor.close());
  const analyst = openAnalyst(deps.entry, { posts: folder.posts, sample: folder.sample });
  defer(() => analyst.close());
  const newsFinder = openFinder(deps.entry, { posts: folder.posts, sample: folder.sample });
  defer(() => newsFinder.close());
  const news = openNews({
    source: (id) => (cluster && id === 'posts' ? notInClusters() : sources.get(id)),
    service,
    finder: newsFinder,
    slices: new Slices(deps.elapsed),
  });
  const report = (id: NewsSource, { write }: PostEditor): Reporting | null => {
    const events = sources.events(id);
    const { outgoing, now } = deps;
    return (
      events &&
      startReporting({
        id,
        source: sources.get,
        news,
        events,
        write,
        now,
        timer: outgoing.timer,
        log,
      })
    );
  };
  const reporting: { [id in NewsSource]: Reporting | null } = { posts: null, sample: null };
  defer(() => Promise.all([reporting.posts?.close(), reporting.sample?.close()]));
  const continueSample = (): LiveSample => {
    const db = openPosts(folder.sample, deps);
    try {
      const source = sources.get('sample');
      source?.refresh();
      const { posts = 0, last: newest = null } = source?.index ?? {};
      const { write } = sampleEditor;
      return startLiveSample({ ...deps, db, posts, newest, write, timer, log });
    } finally {
      db.close();
    }
  };
  let liveSample: LiveSample | null = null;
  defer(() => liveSample?.close());
  const jobs = openJobs(folder, {
    ...deps,
    auth: openAuth(service, { ...deps, userId: importedIds(folder.posts, deps) }),
    noteRequests: service.noteRequests,
    compactor,
    editor,
    cluster,
    onPosts: () => {
      sources.get('posts')?.refresh();
      compactor.wake();
    },
    sampleCompactor,
    onSample: async (swap) => {
      await Promise.all([liveSample?.close(), reporting.sample?.close()]);
      await Promise.all([sampleEditor.close(), sampleCompactor.close()]);
      sources.swapSample(swap);
      await Promise.all([
        matcher.reopen('sample'),
        newsFinder.reopen('sample'),
        analyst.reopen('sample'),
      ]);
      liveSample = continueSample();
      reporting.sample = report('sample', sampleEditor);
    },
  });
  // Jobs of clients stop with the process, so that they commit and report what they did.
  const ending = new AbortController();
  const stoppable = (signal: AbortSignal): AbortSignal =>
    AbortSignal.any([signal, deps.stopping, ending.signal]);
  const moving = startMoving({
    outbox: service.outbox,
    moveIn: (events) => local.write({ what: 'moveIn', of: [events] }),
    log,
    timer,
  });
  defer(() => moving.close());
  const runningJobs = new Set<Promise<void>>();
  const tracked = (work: Promise<void>): Promise<void> => {
    runningJobs.add(work);
    return work.finally(() => runningJobs.delete(work));
  };
  const uploads = new Uploads(folder.uploads, { ...deps, limit: MAX_UPLOAD });
  uploads.clear();
  const importPosts: Jobs['import'] = (order, emit, signal) =>
    tracked(monitor.watchImports(jobs.import)(order, emit, stoppable(signal)));
  const media = new MediaUploads({
    ...deps,
    table: service.media,
    files: new MediaFiles(folder.media, deps.random),
    use: {
      key: (key) => sources.get('posts')?.posts.object('media', key) !== null,
      files: () => usedMediaFiles(folder.posts, deps),
    },
    log,
  });
  defer(() => media.close());
  media.start();
  const sweeping = setInterval(() => {
    for (const each of [local, sampleEditor]) {
      each.write({ what: 'prune', of: [] }).catch((error: unknown) => log(String(error)));
    }
    // Removed collections may be due.
    compactor.wake();
    try {
      media.sweep();
    } catch (error) {
      log(errorMessage(error));
    }
  }, SWEEP_MS);
  defer(() => clearInterval(sweeping));
  const connections = openConnections({
    ...deps,
    table: service.connections,
    log,
    every: (ms, run) => {
      const timer = setInterval(run, ms);
      return () => clearInterval(timer);
    },
  });
  defer(() => connections.close());
  const matcher = openMatcher({
    host: deps.entry,
    files: { posts: folder.posts, sample: folder.sample },
    rules: [service.rules, service.powerRules],
  });
  defer(() => matcher.close());
  // Its HTTP client takes a while to load, and other commands do not need it.
  const { openFetcher } = await import('#server/fetcher/fetcher.ts');
  const { publicNames, localNames } = deps.outgoing;
  const fetcher = openFetcher({
    ...deps.platform,
    resolve: allowPrivate ? localNames : publicNames,
    rules: allowPrivate ? ANYWHERE : PUBLIC_ONLY,
  });
  defer(() => fetcher.close());
  const webhooks = openWebhooks({ ...deps, service, file: folder.deliveries, fetcher, timer, log });
  defer(() => webhooks.close());
  const catalogs = catalogsOf(deps, folder, service, allowPrivate);
  defer(() => catalogs.close());
  let port: number | null = null;
  let isReady = false;
  const monitor = openMonitor({
    ...deps,
    folder,
    source: sources.get,
    service,
    ads,
    catalogs,
    webhooks,
    connection,
    isReady: () => isReady,
    log: lines?.onRequest ?? null,
  });
  defer(() => monitor.close());
  const signIns = new SignIns(deps);
  const logins = loginsOf(service, deps);
  const origin = (): string => `http://${note.host}:${port ?? wanted}`;
  const addresses = (): string[] => (network ? addressesOf(network, port ?? wanted) : [origin()]);
  const signIn = (): string => signInAddress(origin(), signIns.issue());
  const app = createApp({
    ...deps,
    service,
    signIns,
    source: sources.get,
    // Changes in a cluster are no events yet.
    events: (id) => (cluster && id === 'posts' ? null : sources.events(id)),
    connection,
    ...(cluster && { cluster: cluster.posts }),
    editor,
    news,
    analyst,
    advertising: {
      ads,
      every: (run) => {
        const timer = setInterval(() => void run(), PUBLISH_MS);
        defer(() => clearInterval(timer));
      },
    },
    media,
    streaming: { connections, matcher },
    webhooks,
    catalogs,
    monitoring: monitor,
    port: () => port,
    ...(network && { network: { site: { kind: 'network', ...network }, logins } }),
    imports: { uploads, jobs: { import: importPosts } },
    control: {
      secret,
      jobs: {
        import: importPosts,
        token: jobs.token,
        user: jobs.user,
        login: loginJob(logins),
        app: jobs.app,
        collections: cluster ? refused : collectionJob(folder, { ...deps, editor }),
        community: cluster ? refused : jobs.community,
        emit: cluster ? refused : jobs.emit,
        requests: cluster ? refused : jobs.requests,
        note: noteJob(folder, { ...deps, service }),
        feed: feedJob(catalogs, service),
        platform: platformJob(connection),
        sample: (order, emit, signal) => tracked(jobs.sample(order, emit, stoppable(signal))),
        reindex: (order, emit, signal) => tracked(jobs.reindex(order, emit, stoppable(signal))),
        link: async (_order, emit) =>
          emit(network ? noLink(addresses()) : { type: 'link', address: signIn() }),
      },
    },
    log,
  });

  let open = (): void => {};
  const ready = new Promise<void>((resolve) => {
    open = resolve;
  });
  // Early requests wait until there is a source to answer from.
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
    ending.abort();
    connections.close();
    const fed = catalogs.feeds.close();
    const bought = connection.close(PURCHASES_MS);
    await Promise.all(runningJobs);
    await Promise.all([listeners.finish(), bought, fed]);
  });
  if (sources.posts('sample') === 0) {
    const show = sampleProgress(deps);
    const made = tracked(
      jobs.sample(
        {},
        (event) => {
          show(event);
          if (event.type === 'fault') deps.err(`No sample was made: ${event.message}\n`);
        },
        deps.stopping,
      ),
    );
    // A user with imported Posts need not wait for the sample.
    const own = cluster ? (await cluster.posts.info()).posts : sources.posts('posts');
    if (own === 0) await made;
  }
  open();
  isReady = true;
  compactor.wake();
  sampleCompactor.wake();
  if (!deps.stopping.aborted) liveSample ??= continueSample();
  webhooks.start();
  if (!deps.stopping.aborted) catalogs.start();
  reporting.posts = cluster ? null : report('posts', editor);
  reporting.sample ??= report('sample', sampleEditor);
  if (!deps.stopping.aborted) {
    folder.writeNote({ ...note, port: listeners.orders, addresses: addresses(), secret });
    if (network) {
      const proxied = network.proxies !== null;
      greetNetwork(deps, folder, addresses(), { proxied, port, logins: logins.count });
    } else {
      const address = signIn();
      deps.out(`Groundswell is at ${lines ? origin() : address} (data in ${folder.path})\n`);
      // A log is no place for an address that signs a browser in.
      if (lines) deps.out('To sign in a browser, run: groundswell link\n');
      else
        deps.out(
          `This address signs in one browser, once, within an hour. After that, open ${origin()}. To sign in another browser, run: groundswell link\n`,
        );
      if (opens) openAddress(folder, address, deps.open);
    }
    if (connection.relay) {
      deps.out(
        `The platform at ${connection.relay.host} is connected. Its answers cost money, up to your caps.\n`,
      );
    }
    await new Promise<void>((resolve) => {
      deps.stopping.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  return 0;
}
