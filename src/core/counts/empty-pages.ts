import { MINUTE_MS, type Span } from '#core/time/span.ts';

/** The treatment of a source's empty answers. */
export interface EmptyPolicy {
  /** The time to wait before an answer without `data` is requested again; null accepts it at once. */
  readonly confirmAbsentMs: number | null;
}

/** The time to wait before an answer of the platform without `data` is requested again (ledger rule 17). */
export const CONFIRM_ABSENT_MS = MINUTE_MS;

/** A neighbour with this many Posts is busy. */
const BUSY = 10;

/** The evidence about an empty page. */
export interface EmptyPage {
  /** No `data` at all, rather than zeros. */
  readonly absent: boolean;
  /** A second answer to the same request was empty too. */
  readonly confirmed: boolean;
  /** An absent answer of this run was confirmed before. */
  readonly vouched: boolean;
  /** Another absent answer of this run is being requested again; it may vouch for this one. */
  readonly confirming: boolean;
  /** Posts in the neighbouring page: a number, `unknown`, or `pending` if its answer is still to come. */
  readonly before: number | 'unknown' | 'pending';
  readonly after: number | 'unknown' | 'pending';
  /** Settled buckets in the same place have Posts. */
  readonly contradicts: boolean;
}

export type EmptyVerdict =
  | { readonly kind: 'believe' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'again'; readonly afterMs: number };

const busy = (neighbour: number | 'unknown' | 'pending'): boolean =>
  typeof neighbour === 'number' && neighbour >= BUSY;

/**
 * Decides about an empty page.
 *
 * Zeros are accepted unless both neighbours have ten Posts or more, or settled buckets contradict them.
 * An answer without `data` is confirmed first if the policy says so; the first confirmed one vouches
 * for the rest of the run, unless a neighbour is busy. Two agreeing answers are always accepted.
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
 * The next request after an answer that promises more: the rest by bounds; by the token if the
 * bounds made no progress; nothing if the token made none either.
 *
 * @param answered - The span of the answer, null if it had no bucket.
 * @param followed - Whether the request for the answer followed a token.
 */
export function restOf(
  asked: Span,
  answered: Span | null,
  followed: boolean,
): { kind: 'bounds'; spans: Span[] } | { kind: 'token' } | { kind: 'stuck' } {
  const spans = answered
    ? [
        { start: asked.start, end: Math.min(answered.start, asked.end) },
        { start: Math.max(answered.end, asked.start), end: asked.end },
      ].filter((span) => span.start < span.end)
    : [{ ...asked }];
  const rest = spans.reduce((sum, span) => sum + span.end - span.start, 0);
  if (rest < asked.end - asked.start) return { kind: 'bounds', spans };
  return followed ? { kind: 'stuck' } : { kind: 'token' };
}
