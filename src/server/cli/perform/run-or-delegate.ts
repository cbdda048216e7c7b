import { existsSync } from 'node:fs';
import type { ImportReport } from '#contract/control/control.ts';
import type { Emit, Jobs } from '#server/http/job-stream.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import type { ClusterService } from '#server/cluster/service.ts';
import { notCompacted, openCompactor } from '#server/maintenance/compact-thread.ts';
import { needsCompaction } from '#server/maintenance/compact.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openService, type Service } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { noRelations } from '#server/import/archive-relations.ts';
import { importedIds } from '#server/users/imported-id.ts';
import { logOf, type CommandDeps } from '#server/cli/command-deps.ts';
import { clusterOf } from '#server/cli/cluster.ts';
import { DataFolder } from '#server/data-folder.ts';
import { ensureIndex } from '#server/cli/ensure-index.ts';
import { openJobs } from '#server/jobs/jobs.ts';
import { withAlertJob } from './idle-alerts.ts';
import { feedJob } from '#server/jobs/feed-job.ts';
import { CommandError } from '#server/command-error.ts';
import { type Work, delegate } from './delegate.ts';
import { hereOrThere } from './here-or-there.ts';
import { catalogJob } from '#server/jobs/catalog-job.ts';
import { catalogsOf, feedsInThreads } from '#server/jobs/folder-catalogs.ts';

/** The work that a data folder takes without a running service. */
type Local = Omit<Jobs, 'platform' | 'link'>;

/** Does what `perform` promises. */
export async function performWork<K extends keyof Local | 'link'>(
  deps: CommandDeps,
  data: string,
  work: Work<K>,
  emit: Emit,
): Promise<void> {
  const folder = new DataFolder(data);
  await hereOrThere(
    deps,
    folder,
    () => runHere(deps, folder, work, emit),
    (note) => delegate(deps, note, work, emit),
  );
}

/** Report of an import that was stopped before it began. */
const EMPTY_REPORT: ImportReport = {
  read: 0,
  added: 0,
  already: 0,
  refused: 0,
  relations: noRelations(),
  noteRequests: 0,
  reasons: [],
  seconds: 0,
  stopped: true,
};

async function runHere<K extends keyof Local | 'link'>(
  deps: CommandDeps,
  folder: DataFolder,
  { kind, order }: Work<K>,
  emit: Emit,
): Promise<void> {
  if (kind === 'link') {
    throw new CommandError(
      `No service is running on ${folder.path}. Start one with groundswell serve, which prints the address to open.`,
    );
  }
  const service = openService(folder.service, deps);
  try {
    const isCounted = kind === 'import' || kind === 'alert';
    const cluster = isCounted ? await clusterOf(deps, folder) : null;
    const jobs = localJobs(deps, folder, service, cluster) as Jobs;
    await jobs[kind](order, emit, deps.stopping);
  } finally {
    service.close();
  }
}

/** The jobs while no service runs. */
function localJobs(
  deps: CommandDeps,
  folder: DataFolder,
  service: Service,
  cluster: ClusterService | null,
): Local {
  const auth = openAuth(service, { ...deps, userId: importedIds(folder.posts, deps) });
  const log = logOf(deps);
  const jobs = openJobs(folder, { ...deps, log, auth, service, cluster });
  const catalogsHere = (allowPrivate: boolean): Catalogs => {
    const work = () => feedsInThreads(deps, folder, allowPrivate);
    return catalogsOf(folder, service, { ...deps, timer: deps.outgoing.timer, log, work });
  };
  return {
    ...jobs,
    import: async (order, emit, signal) => {
      if (cluster) {
        await jobs.import(order, emit, signal).finally(() => cluster.close());
      } else if (await ensureIndex(deps, folder, ['posts'])) {
        await jobs.import(order, emit, signal);
        await compact(deps, folder);
      } else emit({ type: 'imported', summary: EMPTY_REPORT });
    },
    collections: async (order, emit, signal) => {
      if (!(await ensureIndex(deps, folder, ['posts']))) return;
      await jobs.collections(order, emit, signal);
    },
    alert: async (order, emit, signal) => {
      if (!cluster && !(await ensureIndex(deps, folder, ['posts', 'sample']))) return;
      const posts = cluster?.posts ?? null;
      await withAlertJob(folder, { ...deps, service, cluster: posts, log }, (job) =>
        job.alert(order, emit, signal),
      ).finally(() => cluster?.close());
    },
    feed: async (order, emit, signal) => {
      const catalogs = catalogsHere(order.action === 'run' && order.private);
      await feedJob(catalogs, service).feed(order, emit, signal).finally(catalogs.close);
    },
    catalog: async (order, emit, signal) => {
      const catalogs = catalogsHere(false);
      const job = catalogJob(catalogs, service, deps.now);
      await job.catalog(order, emit, signal).finally(catalogs.close);
    },
  };
}

function shouldCompact(deps: CommandDeps, folder: DataFolder): boolean {
  const db = openPosts(folder.posts, deps);
  try {
    return needsCompaction(db);
  } finally {
    db.close();
  }
}

/** Compacts the index after an import, as a service does while it runs. */
async function compact(deps: CommandDeps, folder: DataFolder): Promise<void> {
  if (!existsSync(folder.posts) || !shouldCompact(deps, folder)) return;
  const compactor = openCompactor(deps.host, folder.posts, notCompacted('The index', logOf(deps)));
  const stop = (): void => void compactor.close();
  deps.stopping.addEventListener('abort', stop, { once: true });
  if (!deps.stopping.aborted) compactor.wake();
  await compactor.rest();
  deps.stopping.removeEventListener('abort', stop);
}
