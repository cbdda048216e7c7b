import type { SourceId } from '#contract/counts/source.ts';
import { NEVER } from '#server/index/steps.ts';
import { openSource, type Source, type SourceState } from '#server/posts/index/source.ts';
import { thread, type Task, type TaskHost, type ThreadDeps } from '#server/threads.ts';
import { groupsOn, type FoundGroups } from './groups.ts';

/** Sources of news. */
export type NewsSource = Exclude<SourceId, 'platform'>;
type Files = Readonly<Record<NewsSource, string>>;

/** The groups of a day, and the state of the source that they belong to. */
export interface DayGroups extends FoundGroups, Pick<SourceState, 'store' | 'revision' | 'mark'> {}

/** Finds groups, day after day, in a thread: a busy day takes seconds. */
export interface GroupFinder {
  /**
   * The groups of a UTC day, see {@link groupsOn}, as of what was committed before the call.
   *
   * @throws {@link StoreError} if the file cannot be read; {@link Error} if the thread ended. The next call starts it
   *   again.
   */
  groups(
    source: NewsSource,
    day: number,
    asOf: number,
    hidden: readonly string[],
  ): Promise<DayGroups>;
  /** Opens the file of a source again, after it was replaced. */
  reopen(source: NewsSource): Promise<void>;
  /** Ends the thread once all calls are done. */
  close(): Promise<void>;
}

type Groups = Omit<GroupFinder, 'close'>;

/** Opens a finder. The first call starts its thread. */
export function openFinder(host: TaskHost, files: Files): GroupFinder {
  const { methods, running, close } = thread(host, FINDER, files);
  return {
    groups: methods.groups,
    reopen: async (source) => void (await running()?.reopen(source)),
    close,
  };
}

function groupsOver(files: Files, deps: Pick<ThreadDeps, 'random'>): Groups & { close(): void } {
  const open = new Map<NewsSource, Source>();
  const close = (source: NewsSource): void => {
    open.get(source)?.close();
    open.delete(source);
  };
  const opened = (id: NewsSource): Source => {
    const source = open.get(id) ?? openSource(files[id], deps);
    open.set(id, source);
    return source;
  };
  return {
    groups: async (source, day, asOf, hidden) => {
      const step = opened(source).over(function* (state, due) {
        const { store, revision, mark } = state;
        return { ...(yield* groupsOn(state, day, asOf, hidden, due)), store, revision, mark };
      })(NEVER);
      if (step.value) return step.value;
      throw new TypeError('expected groups');
    },
    reopen: async (source) => close(source),
    close: () => {
      for (const source of open.keys()) close(source);
    },
  };
}

export const FINDER: Task<Files, Groups> = {
  name: 'finder',
  // Several times what the terms of a day of 200,000 Posts take.
  limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
  ended: 'the thread that finds news ended unexpectedly',
  open: groupsOver,
};
