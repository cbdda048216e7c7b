import type { MessagePort } from 'node:worker_threads';
import type { SourceId } from '#contract/counts/source.ts';
import { NEVER } from '#server/index/steps.ts';
import { openSource, type Source, type SourceState } from '#server/posts/index/source.ts';
import { answerCalls, callThread, type Calls } from '#server/thread-calls.ts';
import type { ThreadData } from '#server/threads.ts';
import { groupsOn, type FoundGroups } from './groups.ts';

/** Sources of news. */
export type NewsSource = Exclude<SourceId, 'platform'>;
type Files = Readonly<Record<NewsSource, string>>;

/** Start data of a thread that finds news. */
interface FinderData extends ThreadData {
  readonly task: 'news';
  readonly files: Files;
}

/** The groups of a day, and the state of the source that they belong to. */
export interface DayGroups extends FoundGroups, Pick<SourceState, 'store' | 'revision' | 'mark'> {}

type Call =
  | {
      readonly what: 'groups';
      readonly source: NewsSource;
      readonly day: number;
      readonly asOf: number;
      readonly hidden: readonly string[];
    }
  | { readonly what: 'reopen'; readonly source: NewsSource }
  | { readonly what: 'close' };

/** Several times what the terms of a day of 200,000 Posts take. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

const ENDED = 'the thread that finds news ended unexpectedly';

/** Whether a worker's data starts a thread that finds news. */
export function isFinderData(data: unknown): data is FinderData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'news';
}

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

type Start = (onEnd: () => void) => Calls<Call, DayGroups | null>;

/** A finder that works on this thread. */
export function finderOver(
  files: Files,
  deps: { readonly random: (n: number) => Uint8Array },
): GroupFinder {
  return finderBy(() => {
    const carryOut = carrierOver(files, deps);
    return { send: (call) => void carryOut(call), call: async (call) => carryOut(call) };
  });
}

/**
 * Opens a finder. The first call starts its thread.
 *
 * @param entry - Module whose code calls {@link runFinder} in a worker.
 */
export function openFinder(entry: URL, files: Files): GroupFinder {
  const data: FinderData = { task: 'news', entry: entry.href, files };
  return finderBy((onEnd) => callThread(data, { limits: LIMITS, ended: ENDED, onEnd }));
}

function finderBy(start: Start): GroupFinder {
  let thread: ReturnType<Start> | null = null;
  const started = (): ReturnType<Start> => {
    if (thread) return thread;
    const opened = start(() => {
      if (thread === opened) thread = null;
    });
    thread = opened;
    return opened;
  };
  return {
    groups: async (source, day, asOf, hidden) => {
      const found = await started().call({ what: 'groups', source, day, asOf, hidden });
      if (found) return found;
      throw new TypeError('expected groups');
    },
    reopen: async (source) => void (await thread?.call({ what: 'reopen', source })),
    close: async () => {
      const closing = thread;
      thread = null;
      await closing?.call({ what: 'close' });
    },
  };
}

/** Carries out calls over the files of the sources. */
function carrierOver(
  files: Files,
  deps: { readonly random: (n: number) => Uint8Array },
): (call: Call) => DayGroups | null {
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
  return (call) => {
    if (call.what === 'reopen') close(call.source);
    if (call.what === 'close') for (const source of open.keys()) close(source);
    if (call.what !== 'groups') return null;
    const { source, day, asOf, hidden } = call;
    const step = opened(source).over(function* (state, due) {
      const { store, revision, mark } = state;
      return { ...(yield* groupsOn(state, day, asOf, hidden, due)), store, revision, mark };
    })(NEVER);
    return step.value ?? null;
  };
}

/** Runs in the thread that finds news, until it is asked to end. */
export function runFinder(
  { files }: FinderData,
  port: MessagePort,
  deps: { readonly random: (n: number) => Uint8Array },
): void {
  answerCalls(port, carrierOver(files, deps), ({ what }) => what === 'close');
}
