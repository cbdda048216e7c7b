import { LINK_WRITE, POST_WRITE, SUMMONED_WRITE } from '#contract/counts/prices.ts';
import { entitiesOf } from '#core/text/entities.ts';

/**
 * The price of creating a Post, in micro-dollars. A link is an address under which search finds the Post.
 *
 * @param text - The whole text.
 * @param isSummoned - Whether the Post is a reply that the author of the answered Post asked for; it costs the same with
 *   and without a link.
 */
export function priceOfPost(text: string, isSummoned: boolean): number {
  if (isSummoned) return SUMMONED_WRITE.amount;
  return (entitiesOf(text).urls ? LINK_WRITE : POST_WRITE).amount;
}
