import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';

/** What may still be spent, and until when: requests or money, null where there is no cap. */
export interface Allowance {
  readonly requests: number | null;
  /** USD. */
  readonly money: number | null;
  /** Until it is renewed, ms. */
  readonly leftMs: number;
}

/** What refreshing a board once takes. */
export interface Refresh {
  readonly requests: number;
  /** USD. */
  readonly money: number;
  /** Of the rate limit: so many requests in so much time. */
  readonly limit: { readonly requests: number; readonly windowSeconds: number };
}

/** Never more often, however much may be spent: counts lag by some seconds, and a curve moves by the minute. */
const LEAST_MS = MINUTE_MS;
/** Without any cap. */
const UNCAPPED_MS = 15 * MINUTE_MS;
/** Part of the rate limit that is left to everything else. */
const LIMIT_SHARE = 0.5;
/** Seldomer than this is no live board. */
const MOST_MS = 6 * HOUR_MS;

/**
 * How often a board that is charged for can be refreshed so that what may be spent lasts until it is renewed.
 *
 * @returns Time between two refreshes in ms; null where it cannot be had even every {@link MOST_MS}.
 */
export function livePace(refresh: Refresh, allowances: readonly Allowance[]): number | null {
  if (refresh.requests === 0) return LEAST_MS;
  const { requests, windowSeconds } = refresh.limit;
  let pace = (refresh.requests * windowSeconds * SECOND_MS) / (requests * LIMIT_SHARE);
  const shares = allowances.flatMap(({ requests: left, money, leftMs }) => [
    ...(left === null ? [] : [{ parts: left / refresh.requests, leftMs }]),
    ...(money === null || refresh.money === 0 ? [] : [{ parts: money / refresh.money, leftMs }]),
  ]);
  for (const { parts, leftMs } of shares) {
    if (parts < 1) return null;
    pace = Math.max(pace, leftMs / parts);
  }
  const least = shares.length === 0 && refresh.money > 0 ? UNCAPPED_MS : LEAST_MS;
  const every = Math.ceil(Math.max(pace, least) / SECOND_MS) * SECOND_MS;
  return every > MOST_MS ? null : every;
}
