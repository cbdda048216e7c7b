import type { SourceId } from '#contract/counts/source.ts';
import { errorMessage } from '#core/thrown.ts';
import { consoleInThreads } from '#server/ads/console-thread.ts';
import { openAds } from '#server/ads/store.ts';
import { openAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import { openFinder, type NewsSource } from '#server/api/news/finder-thread.ts';
import { openNews } from '#server/api/news/news.ts';
import { startReporting, type Reporting } from '#server/api/news/reporting.ts';
import { openLogins } from '#server/auth/logins.ts';
import { openPasswords, type HashCost } from '#server/auth/passwords.ts';
import { SignIns } from '#server/auth/sign-ins.ts';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openAlerts } from '#server/alerts/alerts.ts';
import { openPlatformWatch } from '#server/alerts/platform-watch.ts';
import { openChannels, type SendMail } from '#server/channels/channels.ts';
import { openCalendars } from '#server/calendars/calendars.ts';
import type { FeedWork } from '#server/catalog/feed/feed-work.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { Defer } from '#server/closings.ts';
import { notInClusters } from '#server/cluster/error.ts';
import type { ClusterService } from '#server/cluster/service.ts';
import { causeRows } from '#core/causes/cause-words.ts';
import { countingNow } from '#server/counting/counter.ts';
import type { Db } from '#server/db/driver.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import { openFigures } from '#server/links/figures-thread.ts';
import { MAX_UPLOAD, Uploads, type UploadsDeps } from '#server/import/uploads.ts';
import { notCompacted, openCompactor } from '#server/maintenance/compact-thread.ts';
import { MediaFiles } from '#server/media/media-files.ts';
import { MediaUploads } from '#server/media/media-uploads.ts';
import type { Relay } from '#server/platform/relay.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { openEditor } from '#server/posts/editor/editor-thread.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { usedMediaFiles } from '#server/posts/store/media-use.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { isSampleDue } from '#server/sample/sample.ts';
import { startLiveSample, type LiveSample } from '#server/sample/live.ts';
import { openConnections } from '#server/streams/connections.ts';
import { eventTable } from '#server/streams/event-table.ts';
import { openChangeFeed } from '#server/streams/change-feed.ts';
import { openLog, type OpenLog } from '#server/streams/log.ts';
import { startMoving } from '#server/streams/outbox.ts';
import { paced } from '#server/streams/paced.ts';
import { openMatcher } from '#server/streams/rules/matcher-thread.ts';
import { hiddenFrom, noteProtection } from '#server/users/hidden.ts';
import { importedIds } from '#server/users/imported-id.ts';
import { openWebhooks } from '#server/webhooks/webhooks.ts';
import type { DataFolder } from './data-folder.ts';
import { alertJob } from '#server/cli/jobs/alert-job.ts';
import { catalogJob, catalogsOf, feedJob } from '#server/cli/jobs/feed-job.ts';
import { openJobs } from '#server/cli/jobs/jobs.ts';
import type { Machine } from '#server/machine.ts';

/** Number of created and deleted Posts between two checks whether the index needs compaction. */
const CHANGES_PER_CHECK = 512;

/**
 * The least time between two notices of new entries to readers of a log, ms. Where Posts arrive faster, several lines
 * reach a client in one write; that halves the work.
 */
const WAKE_MS = 20;

/** Time between two removals of media that expired, ms. */
const SWEEP_MS = 600_000;
/** Time between two looks for scheduled Posts, ms. */
const PUBLISH_MS = 1000;

/** The parts of the process and of the world outside that a service uses. */
export interface PartsDeps extends Machine {
  /** The built program of reports (`contract/counts/report.ts`). */
  readonly reporter: URL;
  /** Sends to external receivers; closed by its owner, after all parts. */
  readonly fetcher: Fetcher;
  /** The platform; null while it is not connected. */
  readonly relay: () => Relay | null;
  /** Sends e-mails; null where none can be sent. */
  readonly mail: SendMail | null;
  /** The address at which people open the service, without a path. */
  readonly site: () => string;
  /** Downloads and reads feeds. */
  readonly work: (store: CatalogStore) => FeedWork;
  /** Cost of hashing a password; the one for production by default. */
  readonly hashCost?: HashCost;
  /** Limits of uploaded files; those of production by default. */
  readonly uploads?: Partial<UploadsDeps>;
  /** Most characters of the events that a log keeps. */
  readonly logSize: number;
  /** Approximate number of Posts in a sample; the default size if absent. */
  readonly samplePosts?: number;
  /** The cluster that has Your posts instead of the data folder; null if they are in it. */
  readonly cluster: ClusterService | null;
  /** True if other machines reach the service, so that people sign in by name and password. */
  readonly isNetwork: boolean;
}

/** Opens the stores of a data folder that need no index. @throws {@link StoreError} if one of them cannot be used. */
export function openStores(folder: DataFolder, deps: Pick<PartsDeps, 'random'>, defer: Defer) {
  const service = openService(folder.service, deps);
  defer(() => service.close());
  const ads = openAds(folder.ads);
  defer(() => ads.close());
  return { service, ads };
}

type Deps = PartsDeps & ReturnType<typeof openStores>;

/** Opens both files of Posts for counting, with their logs. */
function openSources(folder: DataFolder, deps: PartsDeps, defer: Defer) {
  const open = new Map<SourceId, Source>();
  /** Connects to a log, sets its size, and makes it continue after a number. */
  const connect = (id: NewsSource, last = 0): Db => {
    const db = openPosts(folder[id], deps);
    const table = eventTable(db, deps.now);
    db.write('prepare-log', () => {
      table.setSize(deps.logSize);
      table.startAfter(last);
    });
    return db;
  };
  let last = 0;
  const opened = (id: NewsSource): OpenLog => {
    open.set(id, openSource(folder[id], deps));
    defer(() => open.get(id)?.close());
    const log = openLog(() => connect(id, last));
    defer(() => log.close());
    return log;
  };
  const logs = { posts: opened('posts'), sample: opened('sample') };
  return {
    get: (id: SourceId) => {
      const source = open.get(id);
      return source ? { id, ...source } : null;
    },
    logs,
    /** Closes the sample while `swap` replaces it, synchronously, so that no request comes in between. */
    swapSample: (swap: () => void): void => {
      open.get('sample')?.close();
      open.delete('sample');
      last = logs.sample.last();
      logs.sample.close();
      swap();
      open.set('sample', openSource(folder.sample, deps));
      logs.sample.open();
    },
  };
}

/** Opens what changes both files of Posts, and what compacts their indexes. */
function openEditors(folder: DataFolder, deps: Deps, wake: (id: NewsSource) => void, defer: Defer) {
  const { host, timer, log, cluster } = deps;
  const opened = (id: NewsSource, index: string) => {
    const compactor = openCompactor(host, folder[id], notCompacted(index, log));
    defer(() => compactor.close());
    const onAppend = paced(WAKE_MS, () => wake(id), timer);
    let changes = 0;
    const editor = openEditor(host, folder[id], () => {
      onAppend();
      if (++changes % CHANGES_PER_CHECK === 0) compactor.wake();
    });
    defer(() => editor.close());
    return { compactor, editor };
  };
  const { editor: local, compactor } = opened('posts', 'The index');
  const sample = opened('sample', "The sample's index");
  const editor: PostEditor = cluster ? { ...local, ...cluster.editor(local) } : local;
  return { local, editor, compactor, sample };
}

/** Opens what finds news and reports them. */
function openNewsParts(
  folder: DataFolder,
  { host, service, elapsed, now, timer, log, cluster }: Deps,
  sources: ReturnType<typeof openSources>,
  editors: Readonly<Record<NewsSource, PostEditor>>,
  defer: Defer,
) {
  const finder = openFinder(host, { posts: folder.posts, sample: folder.sample });
  defer(() => finder.close());
  const news = openNews({
    source: (id) => (cluster && id === 'posts' ? notInClusters() : sources.get(id)),
    service,
    finder,
    slices: new Slices(elapsed),
  });
  const reporting: { [id in NewsSource]: Reporting | null } = { posts: null, sample: null };
  defer(() => Promise.all([reporting.posts?.close(), reporting.sample?.close()]));
  return {
    news,
    finder,
    reporting,
    /** Begins to report the stories of a source. */
    report: (id: NewsSource): void => {
      const events = sources.logs[id];
      const { write } = editors[id];
      const source = sources.get;
      reporting[id] = startReporting({ id, source, news, events, write, now, timer, log });
    },
  };
}

/** Opens the media of Posts, and removes what is over from time to time. */
function openMedia(
  folder: DataFolder,
  { service, every, log, ...deps }: Deps,
  sources: ReturnType<typeof openSources>,
  { local, sample, compactor }: ReturnType<typeof openEditors>,
  defer: Defer,
): MediaUploads {
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
  const stop = every(SWEEP_MS, () => {
    for (const each of [local, sample.editor]) {
      each.write({ what: 'prune', of: [] }).catch((error: unknown) => log(String(error)));
    }
    // Removed collections may be due.
    compactor.wake();
    try {
      media.sweep();
    } catch (error) {
      log(errorMessage(error));
    }
  });
  defer(stop);
  return media;
}

/** Opens the alerts of all sources. */
function openAlertParts(
  deps: Deps,
  sources: ReturnType<typeof openSources>,
  analyst: ReturnType<typeof openAnalyst>,
  defer: Defer,
) {
  const { service, cluster, now, log } = deps;
  const countNow = countingNow(
    (id) => sources.get(id),
    cluster?.posts ?? null,
    { now, elapsed: deps.elapsed },
    service,
  );
  const platform = openPlatformWatch({ ...deps, login: service.logins.byId });
  const alerts = openAlerts({
    ...deps,
    table: service.alerts,
    count: (id, questions, stop) =>
      id === 'platform' ? platform.count(questions, stop) : countNow(id, questions, stop),
    platform,
    revision: (id) => {
      if (cluster && id === 'posts') return null;
      const source = sources.get(id);
      source?.refresh();
      if (!source) return null;
      const { revision, mark } = source.index;
      return {
        revision,
        mark,
        since: (earlier) => source.index.changesSince(earlier.revision, earlier.mark),
      };
    },
    channels: openChannels(deps),
    isLogin: (id) => service.logins.byId(id) !== undefined,
    causes: async ({ query, source }, span, signal) => {
      // An alert buys no Posts.
      if (source === 'platform') return [];
      const posts = cluster && source === 'posts' ? null : sources.get(source)?.posts;
      if (!posts) return [];
      const compared = { start: span.start - (span.end - span.start), end: span.start };
      const question = { what: 'causes', query, span, compared, limit: 0 } as const;
      const hidden = hiddenFrom(null, source, service, posts);
      try {
        const found = await analyst.ask(source, question, hidden, signal);
        return found ? causeRows(found.result) : [];
      } catch (error) {
        // A message without its causes is better than none.
        log(errorMessage(error));
        return [];
      }
    },
  });
  defer(() => alerts.close());
  return alerts;
}

/** Continues a sample that gets new Posts. */
function continueSample(
  { sample: file }: DataFolder,
  deps: Deps,
  sources: ReturnType<typeof openSources>,
  { write }: PostEditor,
): LiveSample {
  const db = openPosts(file, deps);
  try {
    const source = sources.get('sample');
    source?.refresh();
    const { posts = 0, last: newest = null } = source?.index ?? {};
    return startLiveSample({ ...deps, db, posts, newest, write });
  } finally {
    db.close();
  }
}

/**
 * Opens the parts of a service on a data folder that this process has locked; each is closed by its deferral.
 *
 * @throws {@link StoreError} if a file in the folder cannot be used.
 */
export function openParts(folder: DataFolder, deps: Deps, defer: Defer) {
  const { service, ads, host, timer, every, log, now, random, cluster } = deps;
  const sources = openSources(folder, deps, defer);
  const editors = openEditors(folder, deps, (id) => sources.logs[id].wake(), defer);
  const { local, editor, compactor, sample } = editors;
  const files = { posts: folder.posts, sample: folder.sample };
  const analyst = openAnalyst(host, files);
  defer(() => analyst.close());
  const figures = openFigures(host, { files, reporter: deps.reporter.href });
  defer(() => figures.close());
  const { news, finder, reporting, report } = openNewsParts(
    folder,
    deps,
    sources,
    { posts: editor, sample: sample.editor },
    defer,
  );
  let live: LiveSample | null = null;
  defer(() => live?.close());
  const matcher = openMatcher({ host, files, rules: [service.rules, service.powerRules] });
  defer(() => matcher.close());
  const passwords = openPasswords(random, deps.hashCost);
  const logins = openLogins({ table: service.logins, passwords, now, random });
  const auth = openAuth(service, {
    now,
    random,
    userId: importedIds(folder.posts, deps),
    ...(deps.isNetwork && { logins }),
  });
  let isDue = isSampleDue(folder.sample, deps);
  /** Begins what adds to a complete sample, and what reports its stories. */
  const followSample = (): void => {
    isDue = false;
    sample.compactor.wake();
    live ??= continueSample(folder, deps, sources, sample.editor);
    if (!reporting.sample) report('sample');
  };
  const jobs = openJobs(folder, {
    ...deps,
    auth,
    compactor,
    editor: local,
    onPosts: () => {
      sources.get('posts')?.refresh();
      compactor.wake();
    },
    sampleCompactor: sample.compactor,
    onSample: async (swap) => {
      await Promise.all([live?.close(), reporting.sample?.close()]);
      await Promise.all([sample.editor.close(), sample.compactor.stop()]);
      sources.swapSample(swap);
      await Promise.all([matcher, finder, analyst, figures].map((part) => part.reopen('sample')));
      live = continueSample(folder, deps, sources, sample.editor);
      report('sample');
    },
    growing: { isDue: () => isDue, onGrown: followSample },
  });
  const uploads = new Uploads(folder.uploads, { random, limit: MAX_UPLOAD, ...deps.uploads });
  uploads.clear();
  const moving = startMoving({
    outbox: service.outbox,
    moveIn: (events) => local.write({ what: 'moveIn', of: [events] }),
    log,
    timer,
  });
  defer(() => moving.close());
  const media = openMedia(folder, deps, sources, editors, defer);
  const connections = openConnections({ ...deps, table: service.connections });
  defer(() => connections.close());
  const webhooks = openWebhooks({ ...deps, file: folder.deliveries });
  defer(() => webhooks.close());
  const catalogs = catalogsOf(folder, service, deps);
  defer(() => catalogs.close());
  const calendars = openCalendars({ ...deps, table: service.calendars });
  defer(() => calendars.close());
  const alerts = openAlertParts(deps, sources, analyst, defer);
  // Changes in a cluster are no events yet.
  const events = (id: SourceId): OpenLog | null =>
    id === 'platform' || (cluster && id === 'posts') ? null : sources.logs[id];
  const changeFeed = openChangeFeed({
    ...deps,
    source: sources.get,
    events,
    prepare: async () =>
      cluster
        ? undefined
        : await noteProtection({ source: sources.get, cluster: null, service, editor, log }),
  });
  defer(() => changeFeed.close());
  return {
    now,
    elapsed: deps.elapsed,
    random,
    log,
    service,
    ads,
    source: sources.get,
    logs: sources.logs,
    isSampleDue: isDue,
    events,
    changeFeed,
    /** The place of Your posts instead of the file of their source; null if they are in it. */
    cluster: cluster?.posts ?? null,
    editor,
    analyst,
    figures,
    news,
    reporting,
    report,
    auth,
    jobs: {
      ...jobs,
      ...alertJob(alerts),
      ...feedJob(catalogs, service),
      ...catalogJob(catalogs, service, deps.now),
    },
    uploads,
    media,
    streaming: { connections, matcher },
    webhooks,
    catalogs,
    calendars,
    alerts,
    /** Reads the exports of advertisers' consoles. */
    console: consoleInThreads(host, folder.ads),
    /** Calls a task every second or so. */
    everySecond: (run: () => Promise<void>) => defer(every(PUBLISH_MS, run)),
    signIns: new SignIns(deps),
    logins,
    passwords,
    /** Begins what runs by itself, once requests are answered. @param ending - Whether the process ends already. */
    start: (ending: boolean): void => {
      compactor.wake();
      if (!ending && !isDue) followSample();
      webhooks.start();
      if (!ending) catalogs.start();
      if (!cluster) report('posts');
    },
  };
}
