import type { PlatformSettings } from '#contract/counts/platform.ts';
import { SEARCH } from '#contract/posts/search.ts';
import { millionths } from './budget.ts';
import type { RelayCall, Resources } from './request.ts';

/** Pools of requests that share a rate limit of the platform. */
export type PoolName = 'recent' | 'all' | 'search/recent' | 'search/all';

export function poolOf({ product, endpoint }: RelayCall): PoolName {
  return product === 'counts' ? endpoint : `search/${endpoint}`;
}

/**
 * The size of a pool until the platform reports it: for counts from the settings, for search the public
 * figures.
 */
export function poolSize(
  { product, endpoint }: RelayCall,
  limits: PlatformSettings['limits'],
): PlatformSettings['limits']['all'] {
  return product === 'counts' ? limits[endpoint] : SEARCH[endpoint].limits.app;
}

/** Buckets of the longest page, 31 days. */
const HOURS = 31 * 24;
const MAX_BUCKETS: Readonly<Record<string, number>> = { day: 31, hour: HOURS };

/** Compressed, a bucket with a random count below 2^32 takes 12 bytes. */
const BUCKET_BYTES = 20;

/** A Post of search or a user usually takes some hundreds of bytes, compressed. */
const RESOURCE_BYTES = 4 * 1024;

/** Bytes to reserve for the page of a request, compressed: more than any that a correct platform sends. */
export function roomOf({ product, parts, brings }: RelayCall): number {
  if (product === 'counts') {
    return (MAX_BUCKETS[parts.granularity ?? ''] ?? HOURS * 60) * BUCKET_BYTES;
  }
  return (brings.posts + brings.users) * RESOURCE_BYTES;
}

export function callPath({ product, endpoint, search }: RelayCall): string {
  return `/2/tweets/${product}/${endpoint}${search}`;
}

/**
 * The price of an answer: counts cost per request, search per returned object.
 *
 * @param brought - For search: what came, or the most that may come.
 * @returns Millionths of a dollar.
 */
export function priceOf(
  { product, endpoint }: RelayCall,
  prices: PlatformSettings['prices'],
  brought: Resources,
): number {
  if (product === 'counts') return millionths(prices[endpoint]);
  return brought.posts * millionths(prices.post) + brought.users * millionths(prices.user);
}
