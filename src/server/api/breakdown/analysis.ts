import { invalidRequest, plainProblem } from '#contract/fault.ts';
import type { Evaluated } from '#server/posts/index/evaluation.ts';
import { BusyError, type AnalysedSource, type Analyst } from './analyst-thread.ts';
import {
  TooManyPostsError,
  UnknownCollectionError,
  type Answers,
  type Question,
} from './question.ts';

/** Makes a function that asks an analyst for an answer of the interface. */
export function analysisBy(analyst: Analyst) {
  /**
   * @returns Null if the client has gone.
   * @throws {@link Fault} 400 for too many Posts or an unknown collection; 503 if too many questions wait.
   */
  return async <Q extends Question>(
    id: AnalysedSource,
    question: Q,
    hidden: readonly string[],
    signal: AbortSignal,
  ): Promise<Evaluated<Answers[Q['what']]> | null> => {
    try {
      return await analyst.ask(id, question, hidden, signal);
    } catch (error) {
      if (error instanceof TooManyPostsError) throw invalidRequest('start_time', '', error.message);
      if (error instanceof UnknownCollectionError) {
        const query = 'query' in question ? (question.query ?? '') : '';
        throw invalidRequest('query', query, error.message);
      }
      if (!(error instanceof BusyError)) throw error;
      const retry = { 'retry-after': '1' };
      const detail = 'Too many breakdowns are being made; try again.';
      throw plainProblem(503, 'Service Unavailable', detail, retry);
    }
  };
}
