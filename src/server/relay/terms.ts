import type { PlatformSettings } from '#contract/platform.ts';
import { SEARCH_RATE_LIMIT } from '#contract/search.ts';
import { millionths } from './budget.ts';
import type { RelayCall, Resources } from './request.ts';

/** Requests that share a rate limit of the platform. */
export type PoolName = 'recent' | 'all' | 'search/recent' | 'search/all';

export function poolOf({ product, endpoint }: RelayCall): PoolName {
  return product === 'counts' ? endpoint : `search/${endpoint}`;
}

/** What a pool holds until the platform has told: of counts by the settings, of search the public figures. */
export function limitOf(
  { product, endpoint }: RelayCall,
  limits: PlatformSettings['limits'],
): PlatformSettings['limits']['all'] {
  return product === 'counts' ? limits[endpoint] : SEARCH_RATE_LIMIT[endpoint];
}

export function pathOf({ product, endpoint, search }: RelayCall): string {
  return `/2/tweets/${product}/${endpoint}${search}`;
}

/**
 * What an answer costs: counts by the request, search by what the answer brings.
 *
 * @param brought - Of search: what came, or the most that may come.
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
