import { readJson } from '#server/posts/json/post-json.ts';
import type { PostFinder } from '#server/posts/index/source.ts';

/** Subscriptions that allow long Posts and editing (docs/posts.md). */
const PREMIUM: ReadonlySet<unknown> = new Set(['Premium', 'PremiumPlus']);

/** The subscription of an account; `None` if it is unknown. */
export function subscriptionOf(finder: PostFinder, account: string): string {
  return String(readJson(finder.object('users', account))?.subscription_type ?? 'None');
}

export function isPremium(finder: PostFinder, account: string): boolean {
  return PREMIUM.has(subscriptionOf(finder, account));
}
