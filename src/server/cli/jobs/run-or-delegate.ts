import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isProgress,
  orderEndpoint,
  readEvent,
  STOP,
  WORK_HEADER,
  type ControlEvent,
  type ImportReport,
  type JobName,
  type JobOrder,
  type ServeNote,
} from '#contract/control/control.ts';
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
import { CommandError } from '#server/cli/command.ts';
import { DataFolder } from '#server/cli/data-folder.ts';
import { ensureIndex } from '#server/cli/ensure-index.ts';
import { openJobs } from './jobs.ts';
import { withAlertJob } from './alert-job.ts';
import { catalogJob, catalogsOf, feedJob, feedsInThreads } from './feed-job.ts';

/** Work by name; only a running service uses the platform for others. */
export interface Work<K extends JobName> {
  readonly kind: K;
  readonly order: JobOrder<K>;
}

/** The work that a data folder takes without a running service. */
type Local = Omit<Jobs, 'platform' | 'link'>;

/** The time to wait for a service that is starting. */
const STARTING_MS = 60_000;
const RETRY_MS = 100;

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

/**
 * Works on a data folder that this process has locked, or through the service that is running on it.
 *
 * @param there - Returns false if no service answers to the note.
 * @throws {@link CommandError} if another command is using the folder.
 */
export async function hereOrThere(
  deps: CommandDeps,
  folder: DataFolder,
  here: () => Promise<void>,
  there: (note: ServeNote) => Promise<boolean>,
): Promise<void> {
  const until = deps.now() + STARTING_MS;
  for (;;) {
    const lock = folder.take();
    if (lock) {
      try {
        await here();
      } finally {
        lock.release();
      }
      return;
    }
    const note = folder.readNote();
    if (note && note.port !== null && (await there(note))) return;
    // A note without a port belongs to a service that is starting.
    if (!note || note.port !== null || deps.now() > until) {
      throw new CommandError(
        `The data folder ${folder.path} is in use by another groundswell command; try again when it has finished.`,
      );
    }
    await sleep(RETRY_MS, undefined, { signal: deps.stopping });
  }
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

/** Splits a stream of UTF-8 into lines. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** @throws {@link CommandError} if the line is not an event. */
function eventOf(line: string): ControlEvent {
  const event = readEvent(line);
  if (event) return event;
  throw new CommandError(
    'Another program, or another version of Groundswell, answered on the service’s port. End it and run the command again.',
  );
}

/** Has the service do the work; false if none answers to the note. */
export async function delegate<K extends JobName>(
  deps: CommandDeps,
  note: ServeNote,
  { kind, order }: Work<K>,
  emit: Emit,
): Promise<boolean> {
  const service = `http://${note.host}:${note.port}`;
  const headers = {
    authorization: `Bearer ${note.secret}`,
    [WORK_HEADER]: Buffer.from(deps.random(16)).toString('hex'),
  };
  let answer: Response;
  try {
    answer = await fetch(service + orderEndpoint(kind).path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
  if (answer.status === 401 || answer.status === 404) return false;
  if (answer.status !== 200 || !answer.body) {
    throw new CommandError(`The running service refused the command with status ${answer.status}.`);
  }
  // A stop lets the service report what it did; closing the connection would not.
  const stop = (): void => {
    void fetch(service + STOP.path, { method: 'POST', headers }).catch(() => {});
  };
  deps.stopping.addEventListener('abort', stop, { once: true });
  if (deps.stopping.aborted) stop();
  let last: ControlEvent | null = null;
  try {
    for await (const line of linesOf(answer.body)) {
      last = eventOf(line);
      emit(last);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  } finally {
    deps.stopping.removeEventListener('abort', stop);
  }
  if (last === null || isProgress(last)) {
    throw new CommandError(
      'The running service ended before the work was complete. Run the command again.',
    );
  }
  return true;
}
