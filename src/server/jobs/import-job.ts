import { basename } from 'node:path';
import type { ImportOrder, JobOutcome } from '#contract/control/control.ts';
import type { Auth } from '#server/auth/tokens.ts';
import type { ClusterService } from '#server/cluster/service.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { errorMessage } from '#core/thrown.ts';
import type { Emit } from '#server/http/job-stream.ts';
import type { Works } from './works.ts';
import { importFiles, type ImportDeps, type ImportJob } from '#server/import/import.ts';
import { replayPosts } from '#server/import/replay.ts';
import { readElsewhere, startImport } from '#server/import/worker.ts';
import type { Service } from '#server/auth/store.ts';
import type { Machine } from '#server/machine.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import type { ImportSource } from '#server/posts/store/collections.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { Exclusive } from './exclusive.ts';
import { ImportError, type ImportSummary } from '#server/import/import-summary.ts';

/** Makes changes of Your posts. */
export type WithEditor = <T>(change: (editor: PostEditor) => Promise<T>) => Promise<T>;

export interface ImportJobDeps extends Pick<Machine, 'now' | 'elapsed' | 'random' | 'host'> {
  readonly auth: Auth;
  /** Takes the requests for notes of imported files. */
  readonly service: Pick<Service, 'noteRequests' | 'formerHandles'>;
  /** The cluster that has Your posts instead of the data folder; absent or null if they are in it. */
  readonly cluster?: Pick<ClusterService, 'open'> | null;
  /** Called after Posts were added. */
  readonly onPosts?: () => void;
}

/** Most characters of the names of imported files. */
const MOST_SOURCE = 500;

/** The source and the collection as which an order imports its files. */
function sourceOf({ files, name, source }: ImportOrder): ImportSource {
  const names = source ?? files.map((file) => basename(file)).join(', ');
  return { source: names.slice(0, MOST_SOURCE), name, files: files.length };
}

const NO_REPLAY =
  'Your posts are in a ClickHouse cluster, into which imports are not replayed; import without --live.';

const NOT_YET = 'The time that the files are said to cover is in the future.';

const REPLAYING = 'Another replay is running; try again when it has finished.';

/** Opens the work that imports files into Your posts, or replays them there. */
export function importWork(
  folder: DataFolder,
  deps: ImportJobDeps,
  withEditor: WithEditor,
): Works<'import'>['import'] {
  /** Reads the files into Your posts, or into the file that a replay reads. @returns The figures. */
  const read = async (
    order: ImportOrder,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<ImportSummary> => {
    const { files, map, table, speed, covers: said } = order;
    // No file covers what is still to come.
    const covers = said && { start: said.start, end: Math.min(said.end, deps.now()) };
    if (deps.cluster && speed !== undefined) throw new Error(NO_REPLAY);
    if (covers && covers.start >= covers.end) throw new Error(NOT_YET);
    const accounts = deps.auth.accounts({ action: 'list' });
    const job: ImportJob = {
      files,
      map,
      ...(table && { table }),
      // An archive may be older than the username of its account.
      accounts: Object.fromEntries([
        ...deps.service.formerHandles().map(({ name, account }) => [name, account]),
        ...accounts.map((each) => [each.username.toLowerCase(), each.id]),
      ]),
      ...(speed === undefined
        ? { store: folder.posts, collection: sourceOf(order), covers }
        : { store: folder.replay }),
    };
    const hooks: Pick<ImportDeps, 'signal' | 'onProgress' | 'onRequests'> = {
      signal,
      onProgress: (progress) => emit({ type: 'reading', ...progress }),
      onRequests: deps.service.noteRequests.addImported,
    };
    if (!deps.cluster) return await startImport(deps.host, job, hooks);
    return await importFiles(job, {
      ...deps,
      ...hooks,
      // A thread reads, and this one writes.
      read: (part, _now, stop) => readElsewhere(deps.host, part, stop),
      open: deps.cluster.open,
    });
  };

  /** Replays imported files. @returns The figures. */
  const replay = async (
    imported: ImportSummary,
    speed: number,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<ImportSummary> => {
    const began = deps.elapsed();
    const from = openPosts(folder.replay, deps);
    const target = openPosts(folder.posts, deps);
    try {
      const { existing } = postTable(target);
      const done = await withEditor(({ write }) =>
        replayPosts(from, {
          speed,
          write,
          existing,
          elapsed: deps.elapsed,
          signal,
          onProgress: (progress) => emit({ type: 'replaying', ...progress }),
        }),
      );
      const seconds = imported.seconds + (deps.elapsed() - began) / 1000;
      const already = imported.already + done.already;
      return { ...imported, added: done.added, already, seconds, stopped: signal.aborted };
    } finally {
      target.close();
      from.close();
    }
  };

  const importPosts = async (
    order: ImportOrder,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<JobOutcome<'import'>> => {
    const { speed } = order;
    let summary: ImportSummary | null = null;
    try {
      summary = await read(order, emit, signal);
      if (speed !== undefined && summary.added > 0) {
        summary = await replay(summary, speed, emit, signal);
      }
      return { type: 'imported', summary };
    } catch (error) {
      if (speed === undefined) throw error;
      // Posts that were read for a replay are not in Your posts.
      throw new ImportError('Error', errorMessage(error), summary);
    } finally {
      if (speed !== undefined) folder.dropReplay();
      deps.onPosts?.();
    }
  };

  const replays = new Exclusive();
  return (order, emit, signal) => {
    const work = () => importPosts(order, emit, signal);
    return order.speed === undefined ? work() : replays.run(REPLAYING, work);
  };
}
