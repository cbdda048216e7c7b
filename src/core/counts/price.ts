import type { Granularity } from '#core/time/bucket.ts';
import { DAY_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { CountsEndpoint } from './endpoint.ts';
import type { DayWindow } from './day-windows.ts';

/** Requests that a source allows in a window of time. */
export interface Pool {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The pace at which a source may be asked. */
export interface RequestPace {
  readonly recent: Pool;
  readonly all: Pool;
  /** Minimum time between two requests to the archive. */
  readonly archiveSpacingMs: number;
}

/** The state of a pool, as the source last reported it. */
export interface PoolState {
  readonly remaining: number;
  /** The time at which it is full again, unix seconds. */
  readonly reset: number;
}

export interface PoolStates {
  readonly recent: PoolState | null;
  readonly all: PoolState | null;
}

/** USD per request. */
export interface Prices {
  readonly recent: number;
  readonly all: number;
}

/** The number of requests to each endpoint. */
export interface RequestCount {
  readonly recent: number;
  readonly all: number;
}

/**
 * Bytes of a day's buckets of one query, compressed. The whole archive of 7,549 days takes 0.1 MB by
 * days, 1.6 MB by hours and 70 to 87 MB by minutes (ledger rule 7); minutes use the middle.
 */
const DAY_BYTES: Readonly<Record<Granularity, number>> = {
  minute: 78_500_000 / 7549,
  hour: 1_600_000 / 7549,
  day: 100_000 / 7549,
};

/** Rounds away the noise of binary fractions, to a billionth of a dollar. */
export function usd(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** The price of requests, USD. */
export function priceOfCount(requests: RequestCount, prices: Prices): number {
  return usd(requests.recent * prices.recent + requests.all * prices.all);
}

/** Requests to one endpoint; one by default. */
export interface Priced {
  readonly endpoint: CountsEndpoint;
  readonly requests?: number;
}

/** Counts the requests to each endpoint. */
export function requestCount(requests: readonly Priced[]): RequestCount {
  const sum = { recent: 0, all: 0 };
  for (const { endpoint, requests: n = 1 } of requests) sum[endpoint] += n;
  return sum;
}

/** The number of requests, to either endpoint. */
export function pagesOf({ recent, all }: RequestCount): number {
  return recent + all;
}

/** The price of requests, USD. */
export function moneyOf(requests: readonly Priced[], prices: Prices): number {
  return priceOfCount(requestCount(requests), prices);
}

/** Minimum time from now until the last request of one pool is sent, ms. */
function timeOf(
  requests: number,
  pool: Pool,
  spacingMs: number,
  now: number,
  state: PoolState | null,
): number {
  const windowMs = pool.windowSeconds * SECOND_MS;
  let at = 0;
  let remaining = requests;
  let open = pool.requests;
  let reset = windowMs;
  const until = (state?.reset ?? 0) * SECOND_MS - now;
  if (state && until > 0) [open, reset] = [Math.min(state.remaining, pool.requests), until];
  for (;;) {
    // A window may end before its requests do; the next one begins with the next request.
    const fit = spacingMs > 0 ? Math.ceil((reset - at) / spacingMs) : Infinity;
    const sent = Math.min(remaining, open, fit);
    remaining -= sent;
    if (remaining === 0) return at + Math.max(0, sent - 1) * spacingMs;
    at = sent === open ? Math.max(reset, at + sent * spacingMs) : at + sent * spacingMs;
    [open, reset] = [pool.requests, at + windowMs];
  }
}

/**
 * Minimum time from now until the last request is sent. Recent and all have separate pools and run in
 * parallel; an empty pool waits until it is full again.
 *
 * @param now - The source's own time, epoch ms.
 * @param pools - The state of the pools; null means full.
 * @returns Milliseconds.
 */
export function leastTime(
  requests: RequestCount,
  pace: RequestPace,
  now: number,
  pools: PoolStates,
): number {
  return Math.max(
    timeOf(requests.recent, pace.recent, 0, now, pools.recent),
    timeOf(requests.all, pace.all, pace.archiveSpacingMs, now, pools.all),
  );
}

/** Approximate size of the answers to requests in bytes, compressed (ledger rule 7). */
export function answerBytes(
  requests: readonly (DayWindow & { readonly part?: Span })[],
  granularity: Granularity,
): number {
  const days = requests.reduce(
    (sum, { from, to, part }) => sum + (part ? (part.end - part.start) / DAY_MS : to - from),
    0,
  );
  return Math.round(days * DAY_BYTES[granularity]);
}
