import type { Span } from '#core/time/span.ts';
import type { FindPosts, FoundPost } from './found.ts';

/** Posts read of a time to compare its words. */
export const SAMPLE = 300;
/** Posts that search may be asked for at once (platform-facts section 4). */
const LARGEST_PAGE = 100;
const LEAST_PAGE = 10;
/** A time that holds more is read in so many slices of equal length. */
const SLICES = 6;

/**
 * Reads up to {@link SAMPLE} Posts of a time: all where it holds no more, else the newest of six equal
 * slices, because the newest of a long time are those of its last minutes.
 *
 * @param count - Posts that the time holds, as far as counted; NaN where not known.
 */
export async function samplePosts(
  find: FindPosts,
  query: string,
  span: Span,
  count: number,
  signal: AbortSignal,
): Promise<FoundPost[]> {
  // Less than a second apart there is nothing to slice.
  const slices = count <= SAMPLE || span.end - span.start < SLICES * 1000 ? 1 : SLICES;
  const length = (span.end - span.start) / slices;
  const edge = (i: number): number =>
    i === slices ? span.end : span.start + Math.floor((i * length) / 1000) * 1000;
  const out: FoundPost[] = [];
  for (let i = 0; i < slices; i += 1) {
    let left = slices === 1 ? sampleSize(count) : SAMPLE / slices;
    let next: string | null = null;
    do {
      const most = Math.min(LARGEST_PAGE, left);
      const part = { start: edge(i), end: edge(i + 1) };
      const page = await find({ query, span: part, next, most }, signal);
      out.push(...page.posts);
      left -= page.posts.length;
      next = page.posts.length === 0 ? null : page.next;
    } while (next !== null && left >= LEAST_PAGE);
  }
  return out;
}

/** How many Posts {@link samplePosts} reads at most. */
export function sampleSize(count: number): number {
  return Number.isNaN(count) ? SAMPLE : Math.min(SAMPLE, Math.max(LEAST_PAGE, count));
}
