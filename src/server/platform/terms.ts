import type { PlatformSettings } from '#contract/counts/platform.ts';
import { SEARCH } from '#contract/posts/search.ts';
import { TIMELINES } from '#contract/posts/timelines.ts';
import { OWN_READ } from '#contract/counts/prices.ts';
import { USERS } from '#contract/relations/users.ts';
import { dollarsOf, millionths } from './budget.ts';
import type { RelayCall, Resources } from './relay-call.ts';

/** Pools of requests that share a rate limit of the platform. */
export type PoolName = 'recent' | 'all' | 'search/recent' | 'search/all' | 'users' | 'timeline';

export function poolOf({ product, endpoint, brings }: RelayCall): PoolName {
  if (product === 'own') return brings.posts > 0 ? 'timeline' : 'users';
  return product === 'counts' ? endpoint : `search/${endpoint}`;
}

/**
 * The size of a pool until the platform reports it: for counts from the settings, for search the public
 * figures.
 */
export function poolSize(
  { product, endpoint, brings }: RelayCall,
  limits: PlatformSettings['limits'],
): PlatformSettings['limits']['all'] {
  if (product === 'own') {
    return (brings.posts > 0 ? TIMELINES.posts : USERS.byUsername).limits.app;
  }
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

export function callPath({ path, search }: RelayCall): string {
  return path + search;
}

/**
 * The price of a Post of an account, USD: less if it is the one that the token is for, which is taken for the owner of
 * the app.
 */
export function ownPrice(prices: PlatformSettings['prices'], isOwner: boolean): number {
  return isOwner ? dollarsOf(OWN_READ) : prices.post;
}

/**
 * The price of an answer: counts cost per request, everything else per returned object.
 *
 * @param brought - But for counts: what came, or the most that may come.
 * @returns Millionths of a dollar.
 */
export function priceOf(
  { product, endpoint, isOwner = false }: RelayCall,
  prices: PlatformSettings['prices'],
  brought: Resources,
): number {
  if (product === 'counts') return millionths(prices[endpoint]);
  const post = millionths(ownPrice(prices, isOwner));
  return brought.posts * post + brought.users * millionths(prices.user);
}
