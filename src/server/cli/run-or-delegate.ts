import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { UserOrder } from '#contract/accounts/accounts.ts';
import type { AppOrder } from '#contract/accounts/apps.ts';
import type { CollectionOrder } from '#contract/posts/collections.ts';
import type { CommunityOrder } from '#contract/control/community-orders.ts';
import {
  CONTROL,
  readEvent,
  WORK_HEADER,
  type ControlEvent,
  type ImportOrder,
  type ImportReport,
  type ServeNote,
  type TokenOrder,
} from '#contract/control/control.ts';
import type { EmitOrder } from '#contract/streams/emitted-events.ts';
import type { FeedOrder } from '#contract/catalog/feeds.ts';
import type { LoginOrder } from '#contract/accounts/logins.ts';
import type { NoteOrder } from '#contract/control/note-orders.ts';
import type { PlatformOrder } from '#contract/control/platform-orders.ts';
import type { RequestOrder } from '#contract/relations/follow-requests.ts';
import type { Emit } from '#server/http/job-stream.ts';
import { needsCompaction } from '#server/maintenance/compact.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openService, type Service } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { noRelations } from '#server/import/archive-relations.ts';
import { importedIds } from '#server/users/imported-id.ts';
import type { CommandDeps } from './command-deps.ts';
import { clusterOf } from './cluster.ts';
import { CommandError, DataFolder } from './data-folder.ts';
import { ensureIndex } from './ensure-index.ts';
import { collectionJob } from './collection-job.ts';
import { compactorOf, openJobs } from './jobs.ts';
import { catalogsOf, feedJob } from './feed-job.ts';
import { loginJob, loginsOf } from './login-job.ts';
import { noteJob } from './note-job.ts';

export type Work =
  | { readonly kind: 'import'; readonly order: ImportOrder }
  | { readonly kind: 'token'; readonly order: TokenOrder }
  | { readonly kind: 'user'; readonly order: UserOrder }
  | { readonly kind: 'login'; readonly order: LoginOrder }
  | { readonly kind: 'app'; readonly order: AppOrder }
  | { readonly kind: 'collections'; readonly order: CollectionOrder }
  | { readonly kind: 'community'; readonly order: CommunityOrder }
  | { readonly kind: 'emit'; readonly order: EmitOrder }
  | { readonly kind: 'requests'; readonly order: RequestOrder }
  | { readonly kind: 'note'; readonly order: NoteOrder }
  | { readonly kind: 'feed'; readonly order: FeedOrder }
  | { readonly kind: 'sample' | 'reindex' | 'link'; readonly order: Record<string, never> };

/** Events that report progress, so that another one must follow. */
const UNFINISHED: ReadonlySet<ControlEvent['type']> = new Set([
  'reading',
  'replaying',
  'making',
  'feeding',
  'reindexing',
]);

/** How long to wait for a service that is starting. */
const STARTING_MS = 60_000;
const RETRY_MS = 100;

/**
 * Does work on a data folder: in this process, or in the service that is running on the folder.
 *
 * @throws {@link CommandError} if another command is using the folder, or the service ends during the work.
 * @throws {@link StoreError} if a file in the folder cannot be used.
 */
export async function perform(
  deps: CommandDeps,
  folder: DataFolder,
  work: Work,
  emit: Emit,
): Promise<void> {
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

async function runHere(
  deps: CommandDeps,
  folder: DataFolder,
  work: Work,
  emit: Emit,
): Promise<void> {
  if (work.kind === 'link') {
    throw new CommandError(
      `No service is running on ${folder.path}. Start one with groundswell serve, which prints the address to open.`,
    );
  }
  const service = openService(folder.service, deps);
  try {
    const userId = importedIds(folder.posts, deps);
    const { noteRequests } = service;
    const auth = openAuth(service, { ...deps, userId });
    const cluster = work.kind === 'import' ? await clusterOf(deps, folder) : null;
    const jobs = openJobs(folder, { ...deps, auth, noteRequests, cluster });
    if (cluster && work.kind === 'import') {
      await jobs.import(work.order, emit, deps.stopping).finally(() => cluster.close());
    } else if (work.kind === 'import') {
      if (!(await ensureIndex(deps, folder, ['posts']))) {
        return emit({ type: 'imported', summary: EMPTY_REPORT });
      }
      await jobs.import(work.order, emit, deps.stopping);
      await compact(deps, folder);
    } else if (work.kind === 'token') await jobs.token(work.order, emit);
    else if (work.kind === 'user') await jobs.user(work.order, emit);
    else if (work.kind === 'login') await loginJob(loginsOf(service, deps))(work.order, emit);
    else if (work.kind === 'app') await jobs.app(work.order, emit);
    else if (work.kind === 'collections') {
      if (await ensureIndex(deps, folder, ['posts']))
        await collectionJob(folder, deps)(work.order, emit);
    } else if (work.kind === 'community') await jobs.community(work.order, emit);
    else if (work.kind === 'emit') await jobs.emit(work.order, emit);
    else if (work.kind === 'requests') await jobs.requests(work.order, emit);
    else if (work.kind === 'note') await noteJob(folder, { ...deps, service })(work.order, emit);
    else if (work.kind === 'feed') await feedHere(deps, folder, service, work.order, emit);
    else if (work.kind === 'reindex') await jobs.reindex(emit, deps.stopping);
    else await jobs.sample(emit, deps.stopping);
  } finally {
    service.close();
  }
}

/** Reads a feed while no service runs. */
async function feedHere(
  deps: CommandDeps,
  folder: DataFolder,
  service: Service,
  order: FeedOrder,
  emit: Emit,
): Promise<void> {
  const catalogs = catalogsOf(deps, folder, service, order.private);
  try {
    await feedJob(catalogs, service)(order, emit, deps.stopping);
  } finally {
    await catalogs.close();
  }
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
  const compactor = compactorOf(folder, deps);
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
export async function delegate(
  deps: CommandDeps,
  note: ServeNote,
  { kind, order }: Work | { readonly kind: 'platform'; readonly order: PlatformOrder },
  emit: Emit,
): Promise<boolean> {
  const service = `http://${note.host}:${note.port}`;
  const headers = {
    authorization: `Bearer ${note.secret}`,
    [WORK_HEADER]: Buffer.from(deps.random(16)).toString('hex'),
  };
  let answer: Response;
  try {
    answer = await fetch(service + CONTROL[kind].path, {
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
    void fetch(service + CONTROL.stop.path, { method: 'POST', headers }).catch(() => {});
  };
  deps.stopping.addEventListener('abort', stop, { once: true });
  if (deps.stopping.aborted) stop();
  let last: ControlEvent['type'] | null = null;
  try {
    for await (const line of linesOf(answer.body)) {
      const event = eventOf(line);
      last = event.type;
      emit(event);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  } finally {
    deps.stopping.removeEventListener('abort', stop);
  }
  if (last === null || UNFINISHED.has(last)) {
    throw new CommandError(
      'The running service ended before the work was complete. Run the command again.',
    );
  }
  return true;
}
