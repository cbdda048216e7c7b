import { clearEpisode } from '#core/series/episode.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import type { SearchedPost } from '#app/api/search-api.ts';

/** The order of a list of Posts: nearest to the summit, most engagement, or newest first. */
export type PostOrder = 'summit' | 'engagement' | 'time';

/** Likes, reposts and replies together; what is unknown counts as none. */
export function engagementOf({ likes, reposts, replies }: SearchedPost): number {
  return (likes ?? 0) + (reposts ?? 0) + (replies ?? 0);
}

/**
 * Posts in an order; equal ones newest first, but of two equally near to the summit the earlier one, which is in its
 * bucket where times are known to the minute.
 *
 * @param summit - Epoch ms.
 */
export function orderedPosts(
  posts: readonly SearchedPost[],
  order: PostOrder,
  summit: number,
): readonly SearchedPost[] {
  const rank = (post: SearchedPost): number => {
    if (order === 'engagement') return engagementOf(post);
    return order === 'summit' ? -Math.abs(post.at - summit) : post.at;
  };
  const way = order === 'summit' ? -1 : 1;
  return posts.toSorted((a, b) => rank(b) - rank(a) || way * (b.at - a.at));
}

/**
 * The middle of the summit of a span: of its peak, otherwise of its highest bucket.
 *
 * @param fine - The finest buckets known around it.
 * @returns Epoch ms; null if no Post of it is known.
 */
export function summitOf(fine: Curve, zone: string, span: Span): number | null {
  const clear = clearEpisode(fine, zone, span);
  const middle = ({ bounds }: Curve, i: number): number =>
    ((bounds[i] ?? 0) + (bounds[i + 1] ?? 0)) / 2;
  const at = (instant: number): number =>
    Math.min(span.end - 1, Math.max(span.start, Math.floor(instant / 1000) * 1000));
  if (clear && clear !== 'unknown') return at(middle(clear.curve, clear.episode.summit));
  let [highest, most] = [-1, 0];
  for (const [i, count] of fine.counts.entries()) {
    const inside = (fine.bounds[i] ?? 0) >= span.start && (fine.bounds[i + 1] ?? 0) <= span.end;
    if (inside && count > most) [highest, most] = [i, count];
  }
  return highest < 0 ? null : at(middle(fine, highest));
}
