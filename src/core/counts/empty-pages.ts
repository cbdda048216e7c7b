import type { Span } from '#core/time/span.ts';

/** How a source's empty answers are treated. */
export interface EmptyPolicy {
  /** How long to wait before an answer without `data` is asked again; null believes it at once. */
  readonly confirmAbsentMs: number | null;
}

/** From this many Posts on a neighbour is busy. */
const BUSY = 10;

/** What there is to judge an empty page by. */
export interface EmptyPage {
  /** No `data` at all, rather than zeros. */
  readonly absent: boolean;
  /** A second answer to the same ask was empty too. */
  readonly confirmed: boolean;
  /** An absent answer of this run was confirmed before. */
  readonly vouched: boolean;
  /** Another absent answer of this run is being asked again: what that says may vouch for this one. */
  readonly confirming: boolean;
  /** Posts beside it: a number, `unknown`, or `pending` where an answer is still to come. */
  readonly before: number | 'unknown' | 'pending';
  readonly after: number | 'unknown' | 'pending';
  /** Settled buckets under it that hold Posts. */
  readonly contradicts: boolean;
}

export type EmptyVerdict =
  | { readonly kind: 'believe' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'again'; readonly afterMs: number };

const busy = (neighbour: number | 'unknown' | 'pending'): boolean =>
  typeof neighbour === 'number' && neighbour >= BUSY;

/**
 * What to do with an empty page: zeros are believed unless both neighbours hold ten Posts or more or it
 * contradicts settled buckets; an answer without `data` is confirmed first where the policy says so, and
 * the first confirmed vouches for the rest of the run unless a neighbour is busy. Two agreeing answers are
 * always believed.
 */
export function judgeEmptyPage(page: EmptyPage, policy: EmptyPolicy): EmptyVerdict {
  if (page.confirmed) return { kind: 'believe' };
  if (page.contradicts) return { kind: 'again', afterMs: 0 };
  const { before, after } = page;
  if (page.absent && policy.confirmAbsentMs !== null) {
    const again = { kind: 'again', afterMs: policy.confirmAbsentMs } as const;
    if (busy(before) || busy(after)) return again;
    if (!page.vouched) return page.confirming ? { kind: 'hold' } : again;
    return before === 'pending' || after === 'pending' ? { kind: 'hold' } : { kind: 'believe' };
  }
  if (busy(before) && busy(after)) return { kind: 'again', afterMs: 0 };
  const open = (side: EmptyPage['before']): boolean => side === 'pending' || busy(side);
  return open(before) && open(after) ? { kind: 'hold' } : { kind: 'believe' };
}

/**
 * What of a page's bounds is still to be asked after an answer that promises more: the rest by bounds, or
 * by following its token where the bounds made no progress, or nothing where that made none either.
 *
 * @param told - The span of the answer, null where it had no bucket.
 * @param followed - Whether the answer was itself had by a token.
 */
export function restOf(
  asked: Span,
  told: Span | null,
  followed: boolean,
): { kind: 'bounds'; spans: Span[] } | { kind: 'token' } | { kind: 'stuck' } {
  const spans = told
    ? [
        { start: asked.start, end: Math.min(told.start, asked.end) },
        { start: Math.max(told.end, asked.start), end: asked.end },
      ].filter((span) => span.start < span.end)
    : [{ ...asked }];
  const left = spans.reduce((sum, span) => sum + span.end - span.start, 0);
  if (left < asked.end - asked.start) return { kind: 'bounds', spans };
  return followed ? { kind: 'stuck' } : { kind: 'token' };
}
