import type { MessagePort } from 'node:worker_threads';
import type { SourceId } from '#contract/counts/source.ts';
import { Semaphore } from '#core/semaphore.ts';
import { evaluated, type Evaluated } from '#server/posts/index/evaluation.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { answerCalls, callThread, type Calls } from '#server/thread-calls.ts';
import { errorOf, type ThreadData, type ThreadFault } from '#server/threads.ts';
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

/** Start data of a thread that analyses sources. */
interface AnalystData extends ThreadData {
  readonly task: 'analyse';
  readonly files: Files;
}

type Answer = Evaluated<Answers[Question['what']]>;

type Call =
  | {
      readonly what: 'ask';
      readonly n: number;
      readonly source: AnalysedSource;
      readonly question: Question;
      readonly hidden: readonly string[];
    }
  | { readonly what: 'stop'; readonly n: number }
  | { readonly what: 'reopen'; readonly source: AnalysedSource }
  | { readonly what: 'close' };

/** Questions worked on at once, and those that wait: each may take hundreds of megabytes. */
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** The terms of ten million Posts take less. */
const LIMITS = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 64 };

const ENDED = 'the thread that analyses Posts ended unexpectedly';

/** Whether a worker's data starts a thread that analyses sources. */
export function isAnalystData(data: unknown): data is AnalystData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'analyse';
}

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

interface AnalystDeps {
  readonly random: (n: number) => Uint8Array;
  /** A clock that never goes back, ms. */
  readonly elapsed: () => number;
}

type Start = (onEnd: () => void) => Calls<Call, Answer | null>;

/** An analyst that works on this thread. */
export function analystOver(files: Files, deps: AnalystDeps): Analyst {
  return analystBy(() => {
    const carryOut = carrierOver(files, deps);
    return { send: (call) => void carryOut(call), call: carryOut };
  });
}

/**
 * Opens an analyst. The first question starts its thread.
 *
 * @param entry - Module whose code calls {@link runAnalyst} in a worker.
 */
export function openAnalyst(entry: URL, files: Files): Analyst {
  const data: AnalystData = { task: 'analyse', entry: entry.href, files };
  const error = (fault: ThreadFault): Error => {
    if (fault.kind === 'TooManyPostsError') return new TooManyPostsError(fault.message);
    if (fault.kind === 'UnknownCollectionError') return new UnknownCollectionError(fault.message);
    return errorOf(fault);
  };
  return analystBy((onEnd) => callThread(data, { limits: LIMITS, ended: ENDED, error, onEnd }));
}

function analystBy(start: Start): Analyst {
  let thread: ReturnType<Start> | null = null;
  let asked = 0;
  let waiting = 0;
  const turns = new Semaphore(AT_ONCE);
  const started = (): ReturnType<Start> => {
    if (thread) return thread;
    const opened = start(() => {
      if (thread === opened) thread = null;
    });
    thread = opened;
    return opened;
  };
  const answered = async (
    source: AnalysedSource,
    question: Question,
    hidden: readonly string[],
    signal: AbortSignal,
  ): Promise<Answer | null> => {
    const { call, send } = started();
    const n = asked++;
    const stop = (): void => send({ what: 'stop', n });
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await call({ what: 'ask', n, source, question, hidden });
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  return {
    ask: async (source, question, hidden, signal) => {
      if (waiting >= AT_ONCE + MOST_WAITING) throw new BusyError('too many questions wait');
      waiting += 1;
      try {
        const found = await turns.take(
          async () => (signal.aborted ? null : await answered(source, question, hidden, signal)),
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
    reopen: async (source) => void (await thread?.call({ what: 'reopen', source })),
    close: async () => {
      const closing = thread;
      thread = null;
      await closing?.call({ what: 'close' });
    },
  };
}

/** Carries out calls over the files of the sources. */
function carrierOver(files: Files, { random, elapsed }: AnalystDeps) {
  const open = new Map<AnalysedSource, Source>();
  const working = new Map<number, AbortController>();
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
  return async (call: Call): Promise<Answer | null> => {
    if (call.what === 'stop') working.get(call.n)?.abort();
    if (call.what === 'reopen') close(call.source);
    if (call.what === 'close') {
      for (const controller of working.values()) controller.abort();
      for (const source of open.keys()) close(source);
    }
    if (call.what !== 'ask') return null;
    const { n, source, question, hidden } = call;
    const controller = new AbortController();
    working.set(n, controller);
    try {
      return await evaluated(
        () => opened(source),
        function* (state, due) {
          return yield* answerTo(yield* state.without(hidden, due), question, due);
        },
        slices,
        controller.signal,
      );
    } finally {
      working.delete(n);
    }
  };
}

/** Runs in the thread that analyses sources, until it is asked to end. */
export function runAnalyst({ files }: AnalystData, port: MessagePort, deps: AnalystDeps): void {
  answerCalls(port, carrierOver(files, deps), ({ what }) => what === 'close');
}
