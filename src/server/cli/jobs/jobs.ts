import { basename } from 'node:path';
import type { ImportOrder, ImportReport } from '#contract/control/control.ts';
import { accountsIn, payloadFault } from '#contract/streams/emitted-events.ts';
import { errorMessage } from '#core/thrown.ts';
import type { ClusterService } from '#server/cluster/service.ts';
import type { Auth } from '#server/auth/tokens.ts';
import type { ImportSource } from '#server/posts/store/collections.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { replayPosts } from '#server/import/replay.ts';
import { openEditor } from '#server/posts/editor/editor-thread.ts';
import { orderCommunities } from '#server/users/communities.ts';
import { orderAndApprove, orderRequests } from '#server/users/follow-requests.ts';
import {
  ImportError,
  importFiles,
  type ImportDeps,
  type ImportJob,
  type ImportProgress,
  type ImportSummary,
} from '#server/import/import.ts';
import { readElsewhere, startImport } from '#server/import/worker.ts';
import type { RequestTable } from '#server/notes/request-table.ts';
import type { Jobs, Emit } from '#server/http/job-stream.ts';
import { notCompacted, openCompactor, type Compactor } from '#server/maintenance/compact-thread.ts';
import type { TaskHost } from '#server/threads.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { DataFolder } from '#server/cli/data-folder.ts';
import { startSample } from './sample-worker.ts';

export interface JobsDeps {
  readonly auth: Auth;
  /** Takes the requests for notes of imported files. */
  readonly noteRequests: Pick<RequestTable, 'addImported'>;
  readonly log: (line: string) => void;
  /** The cluster that has Your posts instead of the data folder; absent or null if they are in it. */
  readonly cluster?: Pick<ClusterService, 'open'> | null;
  /** The compactor of Your posts, if one is running: two must not work on the index at once. */
  readonly compactor?: Compactor;
  /** Changes Your posts; by default, each job opens its own editor. */
  readonly editor?: PostEditor;
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  readonly random: (n: number) => Uint8Array;
  /** Approximate number of Posts in a sample; the default size if absent. */
  readonly samplePosts?: number;
  /** The host of tasks. */
  readonly host: TaskHost;
  /** Called after Posts were added. */
  readonly onPosts?: () => void;
  /** Calls `swap` while the sample is closed; absent if nothing has it open. */
  readonly onSample?: (swap: () => void) => Promise<void>;
  /** The compactor of the sample, if one is running. */
  readonly sampleCompactor?: Compactor;
}

/** Most characters of the names of imported files. */
const MOST_SOURCE = 500;

/** What an order imports its files as. */
function sourceOf({ files, name, source }: ImportOrder): ImportSource {
  const names = source ?? files.map((file) => basename(file)).join(', ');
  return { source: names.slice(0, MOST_SOURCE), name };
}

const NO_REPLAY =
  'Your posts are in a ClickHouse cluster, into which imports are not replayed; import without --live.';

const NOT_YET = 'The time that the files are said to cover is in the future.';

/** Imports into a cluster: a thread reads, and this one writes. */
function importInto(
  cluster: Pick<ClusterService, 'open'>,
  deps: Pick<JobsDeps, 'host' | 'now' | 'random'>,
  job: ImportJob,
  hooks: Pick<ImportDeps, 'signal' | 'onProgress' | 'onRequests'>,
): Promise<ImportSummary> {
  return importFiles(job, {
    ...deps,
    ...hooks,
    read: (job, _now, signal) => readElsewhere(deps.host, job, signal),
    open: cluster.open,
  });
}

/** Opens the jobs on a data folder that this process has locked. */
export function openJobs(
  folder: DataFolder,
  deps: JobsDeps,
): Omit<Jobs, 'collections' | 'link' | 'login' | 'note' | 'feed' | 'platform'> {
  /** Why no other job may touch the sample; null if none is running on it. */
  let sampleTaken: string | null = null;
  let reindexing = false;

  let replaying = false;

  /** Replays imported files. @returns The figures. */
  const replay = async (
    imported: ImportReport,
    speed: number,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<ImportReport> => {
    const began = deps.elapsed();
    const own = deps.editor ? null : openEditor(deps.host, folder.posts, () => {});
    const { write } = deps.editor ?? own!;
    const from = openPosts(folder.replay, deps);
    const target = openPosts(folder.posts, deps);
    try {
      const { existing } = postTable(target);
      const done = await replayPosts(from, {
        speed,
        write,
        existing,
        elapsed: deps.elapsed,
        signal,
        onProgress: (progress) => emit({ type: 'replaying', ...progress }),
      });
      const seconds = imported.seconds + (deps.elapsed() - began) / 1000;
      const already = imported.already + done.already;
      return { ...imported, added: done.added, already, seconds, stopped: signal.aborted };
    } finally {
      target.close();
      from.close();
      await own?.close();
    }
  };

  const importPosts: Jobs['import'] = async (order, emit, signal) => {
    const { files, map, table, speed, covers: said } = order;
    // No file covers what is still to come.
    const covers = said && { start: said.start, end: Math.min(said.end, deps.now()) };
    if (speed !== undefined && replaying) {
      const message = 'Another replay is running; try again when it has finished.';
      return emit({ type: 'fault', message, summary: null });
    }
    replaying ||= speed !== undefined;
    let fault: string | null = null;
    let summary: ImportReport | null = null;
    const listed = deps.auth.accounts({ action: 'list' });
    const accounts = Object.fromEntries(
      listed.map(({ username, id }) => [username.toLowerCase(), id]),
    );
    try {
      if (deps.cluster && speed !== undefined) throw new Error(NO_REPLAY);
      if (covers && covers.start >= covers.end) throw new Error(NOT_YET);
      const job = {
        files,
        map,
        ...(table && { table }),
        accounts,
        ...(speed === undefined
          ? { store: folder.posts, collection: sourceOf(order), covers }
          : { store: folder.replay }),
      };
      const hooks = {
        signal,
        onProgress: (progress: ImportProgress) => emit({ type: 'reading', ...progress }),
        onRequests: deps.noteRequests.addImported,
      };
      const done = await (deps.cluster
        ? importInto(deps.cluster, deps, job, hooks)
        : startImport(deps.host, job, hooks));
      summary = { ...done, reasons: [...done.reasons] };
      if (speed !== undefined && summary.added > 0) {
        summary = await replay(summary, speed, emit, signal);
      }
    } catch (error) {
      fault = errorMessage(error);
      const done = error instanceof ImportError ? error.summary : null;
      // What was read for a replay is not in Your posts.
      if (done && speed === undefined) summary = { ...done, reasons: [...done.reasons] };
    } finally {
      if (speed !== undefined) {
        folder.dropReplay();
        replaying = false;
      }
    }
    deps.onPosts?.();
    if (fault === null && summary) emit({ type: 'imported', summary });
    else emit({ type: 'fault', message: fault ?? '', summary });
  };

  const makeSample = async (emit: Emit, signal: AbortSignal): Promise<void> => {
    const swap = deps.onSample ?? (async (put: () => void) => put());
    folder.dropNewSample();
    const posts = await startSample(
      deps.host,
      { file: folder.newSample, end: deps.now(), posts: deps.samplePosts },
      {
        signal,
        onProgress: ({ part }) =>
          emit({ type: 'making', done: Math.round(part * 100), total: 100 }),
      },
    );
    if (posts === null) {
      folder.dropNewSample();
      emit({ type: 'fault', message: 'Stopped; the sample is unchanged.', summary: null });
      return;
    }
    await swap(() => folder.swapSample());
    emit({ type: 'sampled', posts });
  };

  /** Rebuilds the index of a source. @returns Its number of Posts, or null if the signal stopped it. */
  const reindexSource = async (
    source: 'posts' | 'sample',
    compactor: Compactor,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<number | null> =>
    await compactor.reindex(
      ({ posts, total }) => emit({ type: 'reindexing', source, done: posts, total }),
      signal,
    );

  const reindex = async (emit: Emit, signal: AbortSignal): Promise<void> => {
    let posts: number | null = null;
    let sample: number | null = null;
    const stopped = (index: string): void =>
      emit({ type: 'fault', message: `Stopped; ${index} is unchanged.`, summary: null });
    if (isStoreThere(folder.posts)) {
      const compactor =
        deps.compactor ??
        openCompactor(deps.host, folder.posts, notCompacted('The index', deps.log));
      posts = await reindexSource('posts', compactor, emit, signal);
      deps.onPosts?.();
      if (posts === null) return stopped('the index');
    }
    // A sample that is being made gets a new index anyway.
    if (isStoreThere(folder.sample) && sampleTaken === null) {
      sampleTaken = "The sample's index is being rebuilt; try again when that has finished.";
      try {
        const compactor = deps.sampleCompactor ?? openCompactor(deps.host, folder.sample, () => {});
        sample = await reindexSource('sample', compactor, emit, signal);
      } finally {
        sampleTaken = null;
      }
      if (sample === null) return stopped("the sample's index");
    }
    emit({ type: 'reindexed', posts, sample });
  };

  return {
    import: importPosts,
    token: async (order, emit) => {
      try {
        const { auth } = deps;
        if (order.kind === 'app') emit({ type: 'token', token: auth.issueToken(order) });
        else emit({ type: 'token', ...auth.issueUserToken(order) });
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      }
    },
    user: async (order, emit) => {
      const editor = isStoreThere(folder.posts)
        ? openEditor(deps.host, folder.posts, () => {})
        : null;
      try {
        emit({
          type: 'accounts',
          accounts: await orderAndApprove(deps.auth.accounts, editor, order),
        });
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      } finally {
        await editor?.close();
      }
    },
    requests: async (order, emit) => {
      const editor = openEditor(deps.host, folder.posts, () => {});
      try {
        const accounts = deps.auth.accounts({ action: 'list' });
        emit({ type: 'requests', requests: await orderRequests({ accounts, editor }, order) });
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      } finally {
        await editor.close();
      }
    },
    app: async (order, emit) => {
      try {
        emit({ type: 'apps', ...deps.auth.apps(order) });
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      }
    },
    community: async (order, emit) => {
      const editor = openEditor(deps.host, folder.posts, () => {});
      try {
        const accounts = deps.auth.accounts({ action: 'list' });
        const communities = await orderCommunities({ accounts, editor, now: deps.now }, order);
        emit({ type: 'communities', communities });
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      } finally {
        await editor.close();
      }
    },
    emit: async ({ event, username, payload }, emit) => {
      const own = deps.editor ? null : openEditor(deps.host, folder.posts, () => {});
      try {
        const folded = username.toLowerCase();
        const accounts = deps.auth.accounts({ action: 'list' });
        const account = accounts.find((one) => one.username.toLowerCase() === folded);
        const fault = payloadFault(event, payload);
        if (!account) throw new Error(`There is no account @${username}.`);
        if (fault !== null) throw new Error(`${event}: ${fault}`);
        const users = [...new Set([account.id, ...accountsIn(payload)])];
        // As the log has mutes; the other events name no account that acts.
        const body = event.startsWith('block.') ? { source_id: account.id, ...payload } : payload;
        const made = { type: event, users, post: null, body };
        await (deps.editor ?? own!).write({ what: 'append', of: [[made]] });
        emit({ type: 'emitted' });
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      } finally {
        await own?.close();
      }
    },
    sample: async (_order, emit, signal) => {
      if (sampleTaken !== null) {
        emit({ type: 'fault', message: sampleTaken, summary: null });
        return;
      }
      sampleTaken = 'A sample is already being made.';
      try {
        await makeSample(emit, signal);
      } catch (error) {
        emit({ type: 'fault', message: errorMessage(error), summary: null });
      } finally {
        sampleTaken = null;
      }
    },
    reindex: async (_order, emit, signal) => {
      if (reindexing) {
        emit({ type: 'fault', message: 'The index is already being rebuilt.', summary: null });
        return;
      }
      reindexing = true;
      try {
        await reindex(emit, signal);
      } catch (error) {
        const message = `The index was not rebuilt: ${errorMessage(error)}`;
        emit({ type: 'fault', message, summary: null });
      } finally {
        reindexing = false;
      }
    },
  };
}
