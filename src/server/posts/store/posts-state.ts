import type { Condition } from '#core/query/ast.ts';
import type { StoreKnowledge } from '#core/query/condition.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import type { IdBounds } from '#server/index/counting.ts';
import type { Due, WaitingSteps } from '#server/index/steps.ts';
import type { Hit, SearchBounds } from '#server/index/top-newest.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

/** One state of Posts, for counting and searching in steps: those of a file, or of a cluster. */
export interface PostsState extends StoreKnowledge {
  /** Id of the store, and the revision of this state with its mark. */
  readonly store: string;
  readonly revision: number;
  readonly mark: string;
  /** True if the Posts have an author with that folded username, or that numeric id. */
  hasAuthor(nameOrId: string): WaitingSteps<boolean>;
  /** As `histogramSteps`. */
  histogram(
    condition: Condition,
    span: Span,
    granularity: Granularity,
    ids: IdBounds,
    due: Due,
  ): WaitingSteps<Uint32Array>;
  newest(
    condition: Condition,
    span: Span,
    limit: number,
    bounds: SearchBounds,
    due: Due,
  ): WaitingSteps<Hit[]>;
  /**
   * Computes something from Posts by their ids and what they refer to. Over a cluster it is computed again each time
   * what it asked for has come, so it must change nothing.
   */
  read<T>(work: (finder: PostFinder) => T): WaitingSteps<T>;
  /** True if Posts were added, edited or deleted since. */
  changed(): boolean;
}

/** Work over one state of Posts, in steps. */
export type StateWork<T> = (state: PostsState, due: Due) => WaitingSteps<T>;
