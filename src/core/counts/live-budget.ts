import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';

/** The amount that may still be spent, and until when: requests or money, null without a cap. */
export interface SpendingAllowance {
  readonly requests: number | null;
  /** USD. */
  readonly money: number | null;
  /** Until it is renewed, ms. */
  readonly remainingMs: number;
}

/** The cost of one refresh of a board. */
export interface Refresh {
  readonly requests: number;
  /** USD. */
  readonly money: number;
  /** The rate limit: this many requests per window. */
  readonly limit: { readonly requests: number; readonly windowSeconds: number };
}

/** The shortest interval, whatever may be spent: counts lag by seconds, and a curve changes by the minute. */
const MIN_MS = MINUTE_MS;
/** The interval without any cap. */
const UNCAPPED_MS = 15 * MINUTE_MS;
/** Part of the rate limit reserved for other requests. */
const LIMIT_SHARE = 0.5;
/** Beyond this interval a board is not live. */
const MAX_MS = 6 * HOUR_MS;

/**
 * The interval at which a board that costs money can refresh so that the allowances last until they are renewed.
 *
 * @returns Time between two refreshes in ms; null if even one every {@link MAX_MS} exceeds them.
 */
export function livePace(
  refresh: Refresh,
  allowances: readonly SpendingAllowance[],
): number | null {
  if (refresh.requests === 0) return MIN_MS;
  const { requests, windowSeconds } = refresh.limit;
  let pace = (refresh.requests * windowSeconds * SECOND_MS) / (requests * LIMIT_SHARE);
  const shares = allowances.flatMap(({ requests: remaining, money, remainingMs }) => [
    ...(remaining === null ? [] : [{ parts: remaining / refresh.requests, remainingMs }]),
    ...(money === null || refresh.money === 0
      ? []
      : [{ parts: money / refresh.money, remainingMs }]),
  ]);
  for (const { parts, remainingMs } of shares) {
    if (parts < 1) return null;
    pace = Math.max(pace, remainingMs / parts);
  }
  const min = shares.length === 0 && refresh.money > 0 ? UNCAPPED_MS : MIN_MS;
  const every = Math.ceil(Math.max(pace, min) / SECOND_MS) * SECOND_MS;
  return every > MAX_MS ? null : every;
}
