import type { NoteStatus } from './status.ts';

/** The verdict of a status on the writer. */
export type WriterVerdict = 'helpful' | 'not_helpful' | 'none';

export function verdictOf(status: NoteStatus): WriterVerdict {
  if (status === 'currently_rated_helpful') return 'helpful';
  return status === 'currently_rated_not_helpful' || status === 'firm_reject'
    ? 'not_helpful'
    : 'none';
}

/** The notes that a writer has written, without test notes. */
export interface WritingHistory {
  /** Verdicts of the newest notes first, at least of the last 100 if there are as many. */
  readonly verdicts: readonly WriterVerdict[];
  /** T: all notes so far. */
  readonly total: number;
  /** DN_30: notes per day, over 30 days. */
  readonly daily: number;
}

/** (helpful − not helpful) / all, over the last `n` notes; 0 if there are none. */
function hitRate(verdicts: readonly WriterVerdict[], n: number): number {
  const last = verdicts.slice(0, n);
  const of = (verdict: WriterVerdict): number => last.filter((each) => each === verdict).length;
  return last.length === 0 ? 0 : (of('helpful') - of('not_helpful')) / last.length;
}

/** The number of the last `n` notes with a verdict that are not helpful. */
function notHelpful(verdicts: readonly WriterVerdict[], n: number): number {
  return verdicts
    .filter((verdict) => verdict !== 'none')
    .slice(0, n)
    .filter((verdict) => verdict === 'not_helpful').length;
}

/** WL_L. */
function longLimit(recent: number, long: number): number {
  if (long < 0.1) return 200 * Math.max(recent, long);
  if (long < 0.15) return 20 + 1600 * (long - 0.1);
  if (long < 0.2) return 100 + 8000 * (long - 0.15);
  return 500;
}

/** Rates are not exact as binary fractions: 1600 × (0.11 − 0.1) is a little less than 16. */
const ROUNDING = 1e-9;

/**
 * The number of notes a writer may write in 24 hours, by the published formula (platform-facts-additions, section 8).
 */
export function writingLimit({ verdicts, total, daily }: WritingHistory): number {
  if (notHelpful(verdicts, 10) >= 8) return 2;
  if (notHelpful(verdicts, 5) >= 3) return 5;
  if (total < 20) return 10;
  const limit = longLimit(hitRate(verdicts, 20), hitRate(verdicts, 100));
  return Math.max(5, Math.floor(Math.min(5 * daily, limit) + ROUNDING));
}

/** Notes, and rates over the last 100 of them, that a writer needs for large feeds (platform-facts-additions, section 8). */
const LARGE_FEEDS = { notes: 100, hits: 0.1, misses: 0.1 } as const;

/** True if a writer may select large feeds. */
export function mayReadLargeFeeds({ verdicts, total }: WritingHistory): boolean {
  const last = verdicts.slice(0, LARGE_FEEDS.notes);
  const misses = last.filter((each) => each === 'not_helpful').length / LARGE_FEEDS.notes;
  return (
    total >= LARGE_FEEDS.notes &&
    hitRate(verdicts, LARGE_FEEDS.notes) >= LARGE_FEEDS.hits &&
    misses <= LARGE_FEEDS.misses
  );
}
