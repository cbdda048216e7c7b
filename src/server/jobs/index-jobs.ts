import { errorMessage } from '#core/thrown.ts';
import type { DataFolder } from '#server/data-folder.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import type { Emit } from '#server/http/job-stream.ts';
import type { Machine } from '#server/machine.ts';
import type { Works } from './works.ts';
import { notCompacted, openCompactor, type Compactor } from '#server/maintenance/compact-thread.ts';
import { Exclusive } from './exclusive.ts';
import { startSample } from './sample-worker.ts';

export interface IndexJobsDeps extends Pick<Machine, 'log' | 'now' | 'host'> {
  /** Approximate number of Posts in a sample; the default size if absent. */
  readonly samplePosts?: number;
  /** The compactor of Your posts, if one is running: two must not work on the index at once. */
  readonly compactor?: Compactor;
  /** The compactor of the sample, if one is running. */
  readonly sampleCompactor?: Compactor;
  /** Called after the index of Your posts was rebuilt. */
  readonly onPosts?: () => void;
  /** Calls `swap` while the sample is closed; absent if nothing has it open. */
  readonly onSample?: (swap: () => void) => Promise<void>;
  /** A sample that is open and grows where it is; absent if nothing has it open. */
  readonly growing?: {
    /** True if the sample is empty or incomplete. */
    isDue: () => boolean;
    /** Called once it is complete. */
    onGrown: () => void;
  };
}

const INDEX = { posts: 'the index', sample: "the sample's index" };

/** Opens the work that makes a sample, and that which rebuilds both indexes. */
export function indexWorks(folder: DataFolder, deps: IndexJobsDeps): Works<'sample' | 'reindex'> {
  /** Work on the sample. */
  const sampling = new Exclusive();
  const indexing = new Exclusive();

  const makeSample = async (emit: Emit, signal: AbortSignal): Promise<number> => {
    const swap = deps.onSample ?? (async (put: () => void) => put());
    folder.dropNewSample();
    const grows = deps.growing?.isDue() ?? false;
    const file = grows ? folder.sample : folder.newSample;
    const posts = await startSample(
      deps.host,
      { file, grows, end: deps.now(), posts: deps.samplePosts },
      {
        signal,
        onProgress: ({ part }) =>
          emit({ type: 'making', done: Math.round(part * 100), total: 100 }),
      },
    );
    if (grows) {
      if (posts === null) throw new Error('Stopped; the next start completes the sample.');
      deps.growing?.onGrown();
      return posts;
    }
    if (posts === null) {
      folder.dropNewSample();
      throw new Error('Stopped; the sample is unchanged.');
    }
    await swap(() => folder.swapSample());
    return posts;
  };

  const compactorOf = {
    posts: () =>
      deps.compactor ?? openCompactor(deps.host, folder.posts, notCompacted('The index', deps.log)),
    sample: () => deps.sampleCompactor ?? openCompactor(deps.host, folder.sample, () => {}),
  };

  /** Rebuilds the index of a source. @returns Its number of Posts; null if the source has no file. */
  const rebuild = async (
    source: 'posts' | 'sample',
    emit: Emit,
    signal: AbortSignal,
  ): Promise<number | null> => {
    if (!isStoreThere(folder[source])) return null;
    const posts = await compactorOf[source]()
      .reindex(
        ({ posts, total }) => emit({ type: 'reindexing', source, done: posts, total }),
        signal,
      )
      .catch((error: unknown) => {
        throw new Error(`The index was not rebuilt: ${errorMessage(error)}`);
      });
    if (source === 'posts') deps.onPosts?.();
    if (posts === null) throw new Error(`Stopped; ${INDEX[source]} is unchanged.`);
    return posts;
  };

  return {
    sample: async (_order, emit, signal) => ({
      type: 'sampled',
      posts: await sampling.run('A sample is already being made.', () => makeSample(emit, signal)),
    }),
    reindex: (_order, emit, signal) =>
      indexing.run('The index is already being rebuilt.', async () => ({
        type: 'reindexed',
        posts: await rebuild('posts', emit, signal),
        // A sample that is being made gets a new index anyway.
        sample: sampling.isTaken
          ? null
          : await sampling.run(
              "The sample's index is being rebuilt; try again when that has finished.",
              () => rebuild('sample', emit, signal),
            ),
      })),
  };
}
