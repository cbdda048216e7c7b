import type { SourceId } from '#contract/counts/source.ts';
import { Semaphore } from '#core/semaphore.ts';
import { evaluated, type Evaluated } from '#server/posts/index/evaluation.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { sourcesIn } from '#server/posts/index/sources-in.ts';
import { thread } from '#server/threads.ts';
import {
  answerTo,
  TooManyPostsError,
  UnknownCollectionError,
  type Answers,
  type Question,
} from './question.ts';
import type { TaskHost, ThreadDeps } from '#server/thread-task.ts';

/** Sources that can be analysed. */
export type AnalysedSource = Exclude<SourceId, 'platform'>;
type Files = Readonly<Record<AnalysedSource, string>>;

/** Questions worked on at once, and those that wait: each may take hundreds of megabytes. */
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** Thrown if too many questions wait. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Answers questions about sources in a thread of its own, so that counts are not delayed. */
export type Analyst = ReturnType<typeof openAnalyst>;

/** Opens an analyst. The first question starts its thread. */
export function openAnalyst(host: TaskHost, files: Files) {
  const { methods, running, close } = thread(host, ANALYST, files);
  let waiting = 0;
  const turns = new Semaphore(AT_ONCE);
  return {
    /**
     * Answers a question as of what was committed before.
     *
     * @param hidden - Ids of users whose Posts are left out.
     * @param signal - Stops the work.
     * @returns Null if the signal came first.
     * @throws {@link TooManyPostsError}; {@link UnknownCollectionError}; {@link BusyError}; {@link StoreError} if the file cannot be read; {@link Error}
     *   if the thread ended. The next question starts it again.
     */
    ask: async <Q extends Question>(
      source: AnalysedSource,
      question: Q,
      hidden: readonly string[],
      signal: AbortSignal,
    ): Promise<Evaluated<Answers[Q['what']]> | null> => {
      if (waiting >= AT_ONCE + MOST_WAITING) throw new BusyError('too many questions wait');
      waiting += 1;
      try {
        const found = await turns.take(
          async () => (signal.aborted ? null : await methods.ask(source, question, hidden, signal)),
          signal,
        );
        return found as Evaluated<Answers[Q['what']]> | null;
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    /** Opens the file of a source again, after it was replaced. */
    reopen: async (source: AnalysedSource): Promise<void> => void (await running()?.reopen(source)),
    /** Ends the thread; questions in progress are stopped. */
    close,
  };
}

function analysisOver(files: Files, deps: Pick<ThreadDeps, 'random' | 'elapsed'>) {
  const sources = sourcesIn(files, deps);
  const closing = new AbortController();
  const slices = new Slices(deps.elapsed);
  return {
    ask: (
      source: AnalysedSource,
      question: Question,
      hidden: readonly string[],
      signal: AbortSignal,
    ) =>
      evaluated(
        () => sources.get(source),
        function* (state, due) {
          return yield* answerTo(yield* state.without(hidden, due), question, due);
        },
        slices,
        AbortSignal.any([signal, closing.signal]),
      ),
    reopen: sources.reopen,
    close: () => {
      closing.abort();
      sources.close();
    },
  };
}

export const ANALYST = {
  name: 'analyst',
  // The terms of ten million Posts take less.
  limits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 },
  ended: 'the thread that analyses Posts ended unexpectedly',
  errors: { TooManyPostsError, UnknownCollectionError },
  open: analysisOver,
};
