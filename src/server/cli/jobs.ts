import type { ImportReport } from '#contract/control.ts';
import type { Auth } from '#server/auth/tokens.ts';
import { ImportError } from '#server/import/import.ts';
import { startImport } from '#server/import/worker.ts';
import type { Jobs } from '#server/http/job-stream.ts';
import type { Emit } from '#server/http/job-stream.ts';
import { openCompactor } from '#server/maintenance/compact-thread.ts';
import type { Compactor } from '#server/maintenance/compact-thread.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { DataFolder } from './data-folder.ts';
import { startSample } from './sample-worker.ts';

export interface JobsDeps {
  readonly auth: Auth;
  readonly err: (text: string) => void;
  /** Who else keeps the index of Your posts in shape: no two may work on it at once. */
  readonly compactor?: Compactor;
  readonly now: () => number;
  /** About how many Posts a sample gets; its own number unless given. */
  readonly samplePosts?: number;
  /** The program's module, which worker threads are started from. */
  readonly entry: URL;
  /** Called after Posts were added. */
  readonly onPosts?: () => void;
  /** Puts the new sample in place; nobody else has it open unless this says how to let go of it. */
  readonly onSample?: (swap: () => void) => void;
}

function told(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What keeps the index of Your posts in shape; where it cannot, it says so and the index stays as it was. */
export function compactorOf(
  folder: DataFolder,
  deps: { readonly entry: URL; readonly err: (text: string) => void },
): Compactor {
  return openCompactor(deps.entry, folder.posts, ({ message }) =>
    deps.err(`The index was not kept in shape: ${message}\n`),
  );
}

/** The jobs on a data folder that this process has taken. */
export function openJobs(folder: DataFolder, deps: JobsDeps): Omit<Jobs, 'link'> {
  /** Why the sample is left alone, while it is. */
  let sampleTaken: string | null = null;
  let reindexing = false;

  const importPosts: Jobs['import'] = async ({ files, map }, tell, signal) => {
    let fault: string | null = null;
    let summary: ImportReport | null = null;
    try {
      const done = await startImport(
        deps.entry,
        { files, map, store: folder.posts },
        { signal, onProgress: (progress) => tell({ type: 'reading', ...progress }) },
      );
      summary = { ...done, reasons: [...done.reasons] };
    } catch (error) {
      fault = told(error);
      const done = error instanceof ImportError ? error.summary : null;
      if (done) summary = { ...done, reasons: [...done.reasons] };
    }
    deps.onPosts?.();
    if (fault === null && summary) tell({ type: 'imported', summary });
    else tell({ type: 'fault', message: fault ?? '', summary });
  };

  const makeSample = async (tell: Emit, signal: AbortSignal): Promise<void> => {
    const swap = deps.onSample ?? ((put: () => void) => put());
    folder.dropNewSample();
    const posts = await startSample(
      deps.entry,
      { file: folder.newSample, end: deps.now(), posts: deps.samplePosts },
      {
        signal,
        onProgress: ({ part }) =>
          tell({ type: 'making', done: Math.round(part * 100), total: 100 }),
      },
    );
    if (posts === null) {
      folder.dropNewSample();
      tell({ type: 'fault', message: 'Stopped; the sample is as it was.', summary: null });
      return;
    }
    swap(() => folder.swapSample());
    tell({ type: 'sampled', posts });
  };

  /** Makes the index of a source anew: how many Posts it has, or null where the signal stopped it. */
  const reindexSource = async (
    source: 'posts' | 'sample',
    compactor: Compactor,
    tell: Emit,
    signal: AbortSignal,
  ): Promise<number | null> =>
    await compactor.reindex(
      ({ posts, total }) => tell({ type: 'reindexing', source, done: posts, total }),
      signal,
    );

  const reindex = async (tell: Emit, signal: AbortSignal): Promise<void> => {
    let posts: number | null = null;
    let sample: number | null = null;
    const stopped = (is: string): void =>
      tell({ type: 'fault', message: `Stopped; ${is} as it was.`, summary: null });
    if (isStoreThere(folder.posts)) {
      const compactor = deps.compactor ?? compactorOf(folder, deps);
      posts = await reindexSource('posts', compactor, tell, signal);
      deps.onPosts?.();
      if (posts === null) return stopped('the index is');
    }
    // One that is being made will have a new index anyway.
    if (isStoreThere(folder.sample) && sampleTaken === null) {
      sampleTaken = "The sample's index is being made anew; try again when it is done.";
      try {
        const compactor = openCompactor(deps.entry, folder.sample, () => {});
        sample = await reindexSource('sample', compactor, tell, signal);
      } finally {
        sampleTaken = null;
      }
      if (sample === null) return stopped("the sample's index is");
    }
    tell({ type: 'reindexed', posts, sample });
  };

  return {
    import: importPosts,
    token: async (order, tell) => {
      try {
        const { auth } = deps;
        const token = order.kind === 'app' ? auth.issueToken(order) : auth.issueUserToken(order);
        tell({ type: 'token', token });
      } catch (error) {
        tell({ type: 'fault', message: told(error), summary: null });
      }
    },
    sample: async (tell, signal) => {
      if (sampleTaken !== null) {
        tell({ type: 'fault', message: sampleTaken, summary: null });
        return;
      }
      sampleTaken = 'A sample is being made already.';
      try {
        await makeSample(tell, signal);
      } catch (error) {
        tell({ type: 'fault', message: told(error), summary: null });
      } finally {
        sampleTaken = null;
      }
    },
    reindex: async (tell, signal) => {
      if (reindexing) {
        tell({ type: 'fault', message: 'The index is being made anew already.', summary: null });
        return;
      }
      reindexing = true;
      try {
        await reindex(tell, signal);
      } catch (error) {
        const message = `No index was made: ${told(error)}`;
        tell({ type: 'fault', message, summary: null });
      } finally {
        reindexing = false;
      }
    },
  };
}
