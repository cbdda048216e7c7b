import { CONFIRM_ABSENT_MS, judgeEmptyPage, type EmptyVerdict } from '#core/counts/empty-pages.ts';
import type { ReportedCounts } from '#core/counts/ledger.ts';
import { BUCKET_MS, floorTo, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';

/** An answer that passed its check. */
export interface CheckedAnswer {
  readonly granularity: Granularity;
  readonly reported: ReportedCounts;
  /** Without `data`, rather than with zeros. */
  readonly absent: boolean;
  /** From the vault: the run that bought it had it confirmed. */
  readonly held: boolean;
}

/** The Posts of answers in a span, by the buckets that begin in it; null if no answer covers any of it. */
function postsIn(
  answers: readonly ReportedCounts[],
  granularity: Granularity,
  { start, end }: Span,
): number | null {
  const width = BUCKET_MS[granularity];
  let posts: number | null = null;
  for (const answer of answers) {
    if (answer.end <= start || answer.start >= end) continue;
    posts ??= 0;
    const base = floorTo(answer.start, granularity);
    const first = Math.max(0, Math.ceil((start - base) / width));
    const last = Math.min(answer.counts.length, Math.ceil((end - base) / width));
    for (let i = first; i < last; i += 1) posts += answer.counts[i] ?? 0;
  }
  return posts;
}

/**
 * Decides about an answer without Posts when all others are there, by the rules of core/counts/empty-pages.ts.
 *
 * @param others - The other answers at the granularity, and the empty ones that wait.
 * @param vouched - Whether an absent answer of this run was confirmed before.
 */
export function verdictOn(
  { granularity, reported, absent, held }: CheckedAnswer,
  others: readonly ReportedCounts[],
  vouched: boolean,
): EmptyVerdict {
  const length = Math.max(DAY_MS, reported.end - reported.start);
  const next = (side: -1 | 1): number | 'unknown' => {
    const edge = side < 0 ? reported.start : reported.end;
    const stretch = (ms: number): Span =>
      side < 0 ? { start: edge - ms, end: edge } : { start: edge, end: edge + ms };
    if (postsIn(others, granularity, stretch(DAY_MS)) === null) return 'unknown';
    return postsIn(others, granularity, stretch(length)) ?? 'unknown';
  };
  return judgeEmptyPage(
    {
      absent,
      confirmed: false,
      vouched: vouched || held,
      confirming: false,
      before: next(-1),
      after: next(1),
      contradicts: false,
    },
    { confirmAbsentMs: CONFIRM_ABSENT_MS },
  );
}
