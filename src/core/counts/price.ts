import type { Granularity } from '#core/time/bucket.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import type { DayWindow } from './plan.ts';

/** Requests that a source takes in a stretch of time. */
export interface Pool {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** How fast a source may be asked. */
export interface Pace {
  readonly recent: Pool;
  readonly all: Pool;
  /** Least time between two requests of the archive. */
  readonly archiveSpacingMs: number;
}

/** Where a pool stands, as the source last said. */
export interface PoolState {
  readonly remaining: number;
  /** When it is full again, unix seconds. */
  readonly reset: number;
}

export interface Pools {
  readonly recent: PoolState | null;
  readonly all: PoolState | null;
}

/** USD per request. */
export interface Prices {
  readonly recent: number;
  readonly all: number;
}

/** How many requests of each endpoint. */
export interface RequestCount {
  readonly recent: number;
  readonly all: number;
}

/**
 * Bytes of a day's buckets of one query, packed: the whole archive of 7,549 days is 0.1 MB by days, 1.6 MB by
 * hours and 70 to 87 MB by minutes (ledger rule 7), here their middle.
 */
const DAY_BYTES: Readonly<Record<Granularity, number>> = {
  minute: 78_500_000 / 7549,
  hour: 1_600_000 / 7549,
  day: 100_000 / 7549,
};

/** An amount without what binary fractions add to it: to a millionth of a thousandth of a dollar. */
export function usd(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

/** What so many requests cost, USD. */
export function priceOf(requests: RequestCount, prices: Prices): number {
  return usd(requests.recent * prices.recent + requests.all * prices.all);
}

/** Requests of one endpoint: so many, one unless said. */
export interface Priced {
  readonly endpoint: 'recent' | 'all';
  readonly requests?: number;
}

/** How many requests of each endpoint there are. */
export function countOf(requests: readonly Priced[]): RequestCount {
  const sum = { recent: 0, all: 0 };
  for (const { endpoint, requests: n = 1 } of requests) sum[endpoint] += n;
  return sum;
}

/** What requests cost, USD. */
export function moneyOf(requests: readonly Priced[], prices: Prices): number {
  return priceOf(countOf(requests), prices);
}

/** Least time from now until the last of some requests of one pool is sent, ms. */
function timeOf(
  requests: number,
  pool: Pool,
  spacingMs: number,
  now: number,
  state: PoolState | null,
): number {
  const windowMs = pool.windowSeconds * SECOND_MS;
  let at = 0;
  let left = requests;
  let open = pool.requests;
  let reset = windowMs;
  const until = (state?.reset ?? 0) * SECOND_MS - now;
  if (state && until > 0) [open, reset] = [Math.min(state.remaining, pool.requests), until];
  for (;;) {
    // A window that is over before its requests are: the next begins with the next request.
    const fit = spacingMs > 0 ? Math.ceil((reset - at) / spacingMs) : Infinity;
    const sent = Math.min(left, open, fit);
    left -= sent;
    if (left === 0) return at + Math.max(0, sent - 1) * spacingMs;
    at = sent === open ? Math.max(reset, at + sent * spacingMs) : at + sent * spacingMs;
    [open, reset] = [pool.requests, at + windowMs];
  }
}

/**
 * Least time from now until the last request is sent: recent and all have pools of their own and go on beside
 * each other; a pool that is used up waits until it is full again.
 *
 * @param now - The source's own time, epoch ms.
 * @param pools - Where the pools stand; null: full.
 * @returns Milliseconds.
 */
export function leastTime(requests: RequestCount, pace: Pace, now: number, pools: Pools): number {
  return Math.max(
    timeOf(requests.recent, pace.recent, 0, now, pools.recent),
    timeOf(requests.all, pace.all, pace.archiveSpacingMs, now, pools.all),
  );
}

/** About how many bytes the answers to requests are, packed (ledger rule 7). */
export function bytesOf(
  requests: readonly (DayWindow & { readonly part?: Span })[],
  granularity: Granularity,
): number {
  const days = requests.reduce(
    (sum, { from, to, part }) => sum + (part ? (part.end - part.start) / DAY_MS : to - from),
    0,
  );
  return Math.round(days * DAY_BYTES[granularity]);
}
