import type { SourceId } from '#contract/counts/source.ts';
import { NEVER } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { sourcesIn } from '#server/posts/index/sources-in.ts';
import { thread } from '#server/threads.ts';
import { groupsOn, type FoundGroups } from './groups.ts';
import type { TaskHost, ThreadDeps } from '#server/thread-task.ts';

/** Sources of news. */
export type NewsSource = Exclude<SourceId, 'platform'>;
type Files = Readonly<Record<NewsSource, string>>;

/** The groups of a day, and the state of the source that they belong to. */
export interface DayGroups extends FoundGroups, Pick<SourceState, 'store' | 'revision' | 'mark'> {}

/** Finds groups, day after day, in a thread: a busy day takes seconds. */
export type GroupFinder = ReturnType<typeof openFinder>;

/** Opens a finder. The first call starts its thread. */
export function openFinder(host: TaskHost, files: Files) {
  const { methods, running, close } = thread(host, FINDER, files);
  return {
    groups: methods.groups,
    /** Opens the file of a source again, after it was replaced. */
    reopen: async (source: NewsSource): Promise<void> => void (await running()?.reopen(source)),
    /** Ends the thread once all calls are done. */
    close,
  };
}

function groupsOver(files: Files, deps: Pick<ThreadDeps, 'random'>) {
  const { get, reopen, close } = sourcesIn(files, deps);
  return {
    /**
     * The groups of a UTC day, see {@link groupsOn}, as of what was committed before the call.
     *
     * @throws {@link StoreError} if the file cannot be read; {@link Error} if the thread ended. The next call starts it
     *   again.
     */
    groups: async (
      source: NewsSource,
      day: number,
      asOf: number,
      hidden: readonly string[],
    ): Promise<DayGroups> => {
      const step = get(source).over(function* (state, due) {
        const { store, revision, mark } = state;
        return { ...(yield* groupsOn(state, day, asOf, hidden, due)), store, revision, mark };
      })(NEVER);
      if (step.value) return step.value;
      throw new TypeError('expected groups');
    },
    reopen,
    close,
  };
}

export const FINDER = {
  name: 'finder',
  // Several times what the terms of a day of 200,000 Posts take.
  limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
  ended: 'the thread that finds news ended unexpectedly',
  open: groupsOver,
};
