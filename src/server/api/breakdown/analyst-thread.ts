import type { SourceId } from '#contract/counts/source.ts';
import { Semaphore } from '#core/semaphore.ts';
import { evaluated, type Evaluated } from '#server/posts/index/evaluation.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { thread, type Task, type TaskHost, type ThreadDeps } from '#server/threads.ts';
import {
  answerTo,
  TooManyPostsError,
  UnknownCollectionError,
  type Answers,
  type Question,
} from './question.ts';

/** Sources that can be analysed. */
export type AnalysedSource = Exclude<SourceId, 'platform'>;
type Files = Readonly<Record<AnalysedSource, string>>;

type Answer = Evaluated<Answers[Question['what']]>;

/** The analysis of sources in their thread. */
interface Analysis {
  ask(
    source: AnalysedSource,
    question: Question,
    hidden: readonly string[],
    signal: AbortSignal,
  ): Promise<Answer | null>;
  reopen(source: AnalysedSource): Promise<void>;
}

/** Questions worked on at once, and those that wait: each may take hundreds of megabytes. */
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** Thrown if too many questions wait. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}

/** Answers questions about sources in a thread of its own, so that counts are not delayed. */
export interface Analyst {
  /**
   * Answers a question as of what was committed before.
   *
   * @param hidden - Ids of users whose Posts are left out.
   * @param signal - Stops the work.
   * @returns Null if the signal came first.
   * @throws {@link TooManyPostsError}; {@link UnknownCollectionError}; {@link BusyError}; {@link StoreError} if the file cannot be read; {@link Error}
   *   if the thread ended. The next question starts it again.
   */
  ask<Q extends Question>(
    source: AnalysedSource,
    question: Q,
    hidden: readonly string[],
    signal: AbortSignal,
  ): Promise<Evaluated<Answers[Q['what']]> | null>;
  /** Opens the file of a source again, after it was replaced. */
  reopen(source: AnalysedSource): Promise<void>;
  /** Ends the thread; questions in progress are stopped. */
  close(): Promise<void>;
}

/** Opens an analyst. The first question starts its thread. */
export function openAnalyst(host: TaskHost, files: Files): Analyst {
  const { methods, running, close } = thread(host, ANALYST, files);
  let waiting = 0;
  const turns = new Semaphore(AT_ONCE);
  return {
    ask: async (source, question, hidden, signal) => {
      if (waiting >= AT_ONCE + MOST_WAITING) throw new BusyError('too many questions wait');
      waiting += 1;
      try {
        const found = await turns.take(
          async () => (signal.aborted ? null : await methods.ask(source, question, hidden, signal)),
          signal,
        );
        return found as Evaluated<Answers[(typeof question)['what']]> | null;
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    reopen: async (source) => void (await running()?.reopen(source)),
    close,
  };
}

function analysisOver(
  files: Files,
  { random, elapsed }: Pick<ThreadDeps, 'random' | 'elapsed'>,
): Analysis & { close(): void } {
  const open = new Map<AnalysedSource, Source>();
  const closing = new AbortController();
  const slices = new Slices(elapsed);
  const close = (source: AnalysedSource): void => {
    open.get(source)?.close();
    open.delete(source);
  };
  const opened = (id: AnalysedSource): Source => {
    const source = open.get(id) ?? openSource(files[id], { random });
    open.set(id, source);
    return source;
  };
  return {
    ask: (source, question, hidden, signal) =>
      evaluated(
        () => opened(source),
        function* (state, due) {
          return yield* answerTo(yield* state.without(hidden, due), question, due);
        },
        slices,
        AbortSignal.any([signal, closing.signal]),
      ),
    reopen: async (source) => close(source),
    close: () => {
      closing.abort();
      for (const source of open.keys()) close(source);
    },
  };
}

export const ANALYST: Task<Files, Analysis> = {
  name: 'analyst',
  // The terms of ten million Posts take less.
  limits: { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 },
  ended: 'the thread that analyses Posts ended unexpectedly',
  errors: { TooManyPostsError, UnknownCollectionError },
  open: analysisOver,
};
