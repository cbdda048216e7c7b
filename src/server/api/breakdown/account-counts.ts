import type { AccountCountsAnswer } from '#contract/counts/account-counts.ts';
import { SECOND_MS, type Span } from '#core/time/span.ts';
import { firstFrom } from '#server/index/histogram.ts';
import { listed } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { SourceState } from '#server/posts/index/source.ts';
import { setsOf, type AnalysisSubject } from './sets.ts';
import { countEach, groupEntries } from '#server/index/counted-terms.ts';
import { postsIn } from '#server/index/chunk-posts.ts';
import { tallyFlags } from '#server/index/tally-flags.ts';

/** Buckets, and the number of them that a window has. */
export interface AccountWindows {
  /** Edges, epoch ms, ascending whole seconds; one more than buckets. */
  readonly bounds: Float64Array;
  readonly length: number;
}

/** Flags of other groups are not counted. */
const AUTHORS_ALONE = {
  language: Infinity,
  country: Infinity,
  cashtag: Infinity,
  emoji: Infinity,
  place: Infinity,
  hashtag: Infinity,
  domain: Infinity,
  address: Infinity,
} as const;

/**
 * Counts the different accounts of Posts per bucket, and per window of so many buckets, in steps. An account is its
 * username, or its id where its Posts have no username; Posts of which neither is known are of no account.
 *
 * Buckets are read in order of time, so that a window has an account exactly if the account's last bucket before the
 * window's end is within it: one pass over the Posts counts all windows.
 *
 * @returns As `AccountCountsAnswer`.
 */
export function* accountCounts(
  { chunks }: Pick<SourceState, 'chunks'>,
  { condition, span }: AnalysisSubject & { readonly span: Span },
  { bounds, length }: AccountWindows,
  due: Due,
): Steps<AccountCountsAnswer['data']> {
  const { now } = setsOf(yield* postsIn(chunks, condition, span, due), []);
  const { author } = yield* tallyFlags(now, [], AUTHORS_ALONE, due);
  const parts = now.map(({ chunk, posts }, i) => {
    const table = chunk.forward().flags;
    const entries = groupEntries(author, i, table, 'author');
    return { table, posts: listed(posts), entries, seconds: chunk.seconds(), next: 0 };
  });
  const size = bounds.length - 1;
  const starts = Math.max(0, size - length + 1);
  const buckets = new Float64Array(size);
  /** By how many accounts more a window has than the one that begins a bucket earlier. */
  const more = new Float64Array(starts + 1);
  /** The last bucket of each account so far. */
  const last = new Int32Array(author.counts.size).fill(-1);
  for (let bucket = 0; bucket < size; bucket += 1) {
    const end = (bounds[bucket + 1] ?? NaN) / SECOND_MS;
    for (const part of parts) {
      const from = part.next;
      part.next = firstFrom(part.seconds, end, from);
      if (part.next === from) continue;
      countEach(part.table, part.posts, from, part.next, part.entries, (account) => {
        const before = last[account] ?? -1;
        if (before === bucket) return;
        last[account] = bucket;
        buckets[bucket] = (buckets[bucket] ?? NaN) + 1;
        // Windows that begin up to its bucket before have counted it; those that begin `length` before end too early.
        const first = Math.max(before, bucket - length) + 1;
        if (first >= starts) return;
        more[first] = (more[first] ?? NaN) + 1;
        const after = Math.min(bucket + 1, starts);
        more[after] = (more[after] ?? NaN) - 1;
      });
      if (due()) yield;
    }
  }
  let accounts = 0;
  const windows = Array.from({ length: starts }, (_, i) => (accounts += more[i] ?? NaN));
  return { buckets: [...buckets], windows };
}
