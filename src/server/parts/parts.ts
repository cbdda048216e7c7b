import type { SourceId } from '#contract/counts/source.ts';
import { consoleInThreads } from '#server/ads/console-thread.ts';
import { openAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import { openLogins } from '#server/auth/logins.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { SignIns } from '#server/auth/sign-ins.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openCalendars } from '#server/calendars/calendars.ts';
import type { Defer } from '#server/closings.ts';
import { openFigures } from '#server/links/figures-thread.ts';
import { MAX_UPLOAD, Uploads } from '#server/import/uploads.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { isSampleDue } from '#server/sample/sample.ts';
import { startLiveSample, type LiveSample } from '#server/sample/live.ts';
import { openConnections } from '#server/streams/connections.ts';
import { openChangeFeed } from '#server/streams/change-feed.ts';
import type { OpenLog } from '#server/streams/log.ts';
import { startMoving } from '#server/streams/outbox.ts';
import { openMatcher } from '#server/streams/rules/matcher-thread.ts';
import { noteProtection } from '#server/users/hidden.ts';
import { importedIds } from '#server/users/imported-id.ts';
import { peopleOf } from '#server/users/people.ts';
import { openWebhooks } from '#server/webhooks/webhooks.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { feedJob } from '#server/jobs/feed-job.ts';
import { openJobs } from '#server/jobs/jobs.ts';
import { alertJob } from '#server/jobs/alert-job.ts';
import { catalogJob } from '#server/jobs/catalog-job.ts';
import { catalogsOf } from '#server/jobs/folder-catalogs.ts';
import type { StoredDeps } from './parts-deps.ts';
import { openAlertParts } from './alert-parts.ts';
import { openEditors } from './editors.ts';
import { openMedia } from './media-parts.ts';
import { openNewsParts } from './news-parts.ts';
import { openSourceFiles, type SourceFiles } from './sources.ts';

/** Time between two looks for scheduled Posts, ms. */
const PUBLISH_MS = 1000;

/** Continues a sample that gets new Posts. */
function continueSample(
  { sample: file }: DataFolder,
  deps: StoredDeps,
  sources: SourceFiles,
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
export function openParts(folder: DataFolder, deps: StoredDeps, defer: Defer) {
  const { service, ads, host, timer, every, log, now, random, cluster } = deps;
  const sources = openSourceFiles(folder, deps, defer);
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
  const publicFinder = (id: SourceId): PostFinder | null => {
    const posts = sources.get(id)?.posts;
    return posts ? peopleOf(id, service, null)(posts) : null;
  };
  const webhooks = openWebhooks({ ...deps, finder: publicFinder, file: folder.deliveries });
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
    /** The Posts and accounts of a source as everybody may see them; null if it is not open. */
    publicFinder,
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
