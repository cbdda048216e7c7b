import type { Span } from '#core/time/span.ts';
import type { SearchAsk, SearchedPage, SearchedPost } from '#app/api/search-api.ts';

/** Requests Posts from the source; rejects when aborted. */
export type FindPosts = (
  ask: Pick<SearchAsk, 'query' | 'span' | 'next' | 'max'>,
  signal: AbortSignal,
) => Promise<SearchedPage>;

/** Posts to read from a time for comparing its words. */
const SAMPLE = 300;
/** The most Posts per search request (platform-facts section 4). */
const LARGEST_PAGE = 100;
const LEAST_PAGE = 10;
/** A time with more Posts is read in this many slices of equal length. */
const SLICES = 6;

/**
 * Reads up to {@link SAMPLE} Posts of a time: all if it has no more, otherwise the newest of six equal slices, because
 * the newest Posts of a long time all come from its last minutes.
 *
 * @param count - Counted Posts of the time; NaN if unknown.
 */
export async function readSample(
  find: FindPosts,
  query: string,
  span: Span,
  count: number,
  signal: AbortSignal,
): Promise<SearchedPost[]> {
  // Slices shorter than a second make no sense.
  const slices = count <= SAMPLE || span.end - span.start < SLICES * 1000 ? 1 : SLICES;
  const length = (span.end - span.start) / slices;
  const edge = (i: number): number =>
    i === slices ? span.end : span.start + Math.floor((i * length) / 1000) * 1000;
  const out: SearchedPost[] = [];
  for (let i = 0; i < slices; i += 1) {
    let remaining = slices === 1 ? sampleSize(count) : SAMPLE / slices;
    let next: string | null = null;
    do {
      const max = Math.min(LARGEST_PAGE, remaining);
      const part = { start: edge(i), end: edge(i + 1) };
      const page = await find({ query, span: part, next, max }, signal);
      out.push(...page.posts);
      remaining -= page.posts.length;
      next = page.posts.length === 0 ? null : page.next;
    } while (next !== null && remaining >= LEAST_PAGE);
  }
  return out;
}

/** The most Posts that {@link readSample} reads. */
export function sampleSize(count: number): number {
  return Number.isNaN(count) ? SAMPLE : Math.min(SAMPLE, Math.max(LEAST_PAGE, count));
}
