import type { Span } from '#core/time/span.ts';

/**
 * The reason why a bucket has another count, or none, in the new file. `unknown`: the files do not tell.
 *
 * - `query`, `source`, `store`, `rules`, `index`: something else was counted, or by another index or rules of queries;
 * - `computed`: a formula of other topics;
 * - `uncovered`, `uncounted`: one of the files has no count;
 * - `import`, `deletion`, `restored`: the store has another revision;
 * - `unfinished`, `unsettled`: one of the counts was not final.
 */
export type DiffReason =
  | 'query'
  | 'source'
  | 'store'
  | 'rules'
  | 'index'
  | 'computed'
  | 'uncovered'
  | 'uncounted'
  | 'import'
  | 'deletion'
  | 'restored'
  | 'unfinished'
  | 'unsettled'
  | 'unknown';

/** A bucket that is in both files and known to at least one. */
export interface BucketDiff {
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
  /** Null if not known. */
  readonly old: number | null;
  readonly new: number | null;
  /** Null if a count is not known. */
  readonly difference: number | null;
  readonly reason: DiffReason;
  /** The reason in words. */
  readonly why: string;
}

/** Buckets that are only in one file, and the time from the first to the last, epoch ms. */
export interface OtherBuckets extends Span {
  readonly buckets: number;
}

/** The counts of a topic in two files. A topic that is only in one has only buckets of that file. */
export interface TopicDiff {
  readonly topic: string;
  readonly in: 'both' | 'old' | 'new';
  /** Buckets with the same count, and those known to neither file. */
  readonly same: number;
  readonly unknown: number;
  /** Buckets with another count, and those that only one file knows. */
  readonly moved: number;
  readonly onlyKnown: { readonly old: number; readonly new: number };
  /** Of those two kinds. */
  readonly reasons: Readonly<Partial<Record<DiffReason, number>>>;
  /** The first of those two kinds. */
  readonly buckets: readonly BucketDiff[];
  /** Null if there are none. */
  readonly only: { readonly old: OtherBuckets | null; readonly new: OtherBuckets | null };
  /** Buckets of either file that overlap with buckets of the other one, but have other edges. */
  readonly incomparable: { readonly old: number; readonly new: number };
}
